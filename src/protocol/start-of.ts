/** The first characters of a text, without half of one: a character beyond U+FFFF is a pair in a string. */
export function startOf(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}
