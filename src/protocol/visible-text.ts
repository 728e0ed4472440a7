// Scripts in which a letter can have another form beside a joiner.
const joining = 'Arab|Syrc|Mong|Deva|Beng|Guru|Gujr|Orya|Taml|Telu|Knda|Mlym|Sinh|Khmr|Mymr'
const joined = joining.replace(/\w{4}/g, '\\p{Script_Extensions=$&}')

/** Such characters where one sees them, by what they do to those beside them. */
const harmless = [
  // Between two letters of a script that has joiners: Persian, Hindi.
  `(?<=(?:${joined})\\p{M}*)[\u200c\u200d](?=${joined})`,
  // Emoji of several characters, and those with a picture of their own.
  '(?<=\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?)\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})\\ufe0f',
  // The space between a Japanese family name and given name.
  '(?<=\\p{L})\\u3000(?=\\p{L})',
  // A single space within a text.
  '(?<=[^ ]) (?=[^ ])',
].join('|')

// Of the blank ones, U+115F, U+1160, U+3164 and U+FFA0 are default ignorable, too.
// Unassigned code points are seen at most as a box, except that new emoji are pictures.
const unseen =
  '(?!\\p{Extended_Pictographic})\\p{Cn}|[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{1d159}]'

const seenOrUnseen = new RegExp(`(${harmless})|${unseen}`, 'gu')

/**
 * A text that somebody else has chosen, with each character that nobody sees, or that turns the direction of writing, as its code point:
 * `[U+202E]`. Two texts that differ look different if they differ in such characters only, and a text of nothing else is seen.
 */
export function visible(text: string): string {
  return text.replace(seenOrUnseen, (character, isHarmless) => (isHarmless ? character : codePoint(character)))
}

function codePoint(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}
