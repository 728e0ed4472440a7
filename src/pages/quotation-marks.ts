/**
 * Quotation marks, and what looks like one. The pages put a name that nobody vouches for between two of them, and no such name keeps one.
 * The single marks that are apostrophes too are not among them. (NFC turns U+2329 and U+232A into others of them.)
 */
const marks = '"“”„‟«»‹›〝〞〟＂ʺˮ″‶❝❞⹂「」『』｢｣﹁﹂﹃﹄⌈⌉⌊⌋⌜⌝⌞⌟《》〈〉︽︾︿﹀≪≫⟪⟫⟨⟩❮❯❰❱\u2329\u232a'

/** Each quotation mark in a text. */
export const quotationMarks = new RegExp(`[${marks}]`, 'gu')

/** Whether a word is `{name}` between quotation marks, at least one on each side, with or without spaces. */
export function isQuotation(word: string): boolean {
  return new RegExp(`^\\s*[${marks}][${marks}\\s]*\\{name\\}[${marks}\\s]*[${marks}]\\s*$`, 'u').test(word)
}
