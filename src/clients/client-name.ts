import { quotationMarks } from '../pages/words'

// In code points, because a grapheme can have any number of them.
const maxLength = 60

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Makes the name that a client gives itself safe to show beside this library's own words: in normal form C, on one line, without characters that are
 * invisible or change the direction of the text, with at most two combining marks in a row, and at most 60 characters long.
 * Quotation marks become apostrophes, because the page puts the name between quotation marks, which differ between languages.
 *
 * @returns Undefined if the name has no letter and no digit.
 */
export function presentableName(name: string): string | undefined {
  const presentable = name
    // These include all bidi controls. The joiners and U+FE0F stay: Persian, Indic scripts and emoji need them.
    .replace(/(?!\u200C|\u200D|\uFE0F)\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{Cs}\p{Co}\uFFF9-\uFFFB]/gu, '')
    .replace(/[\p{White_Space}\p{Cc}\u2800]+/gu, ' ')
    .replace(quotationMarks, "'")
    .normalize('NFC')
    .replace(/((?:\p{M}[\u200C\u200D]*){2})[\p{M}\u200C\u200D]+/gu, '$1')
    .replace(/^[\p{M}\p{Z}\u200C\u200D]+| $/gu, '')
  return /[\p{L}\p{N}]/u.test(presentable) ? shorten(presentable) : undefined
}

function shorten(name: string): string {
  if ([...name].length <= maxLength) return name
  let start = ''
  for (const { segment } of graphemes.segment(name)) {
    if ([...start, ...segment].length >= maxLength) break
    start += segment
  }
  return `${start.trimEnd()}…`
}
