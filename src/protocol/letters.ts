// Letters of one group are written together, as in Japanese. Those of two groups can look the same, as Latin and Cyrillic ones do.
const groups = [
  /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
]

/** Whether a word of a text has letters of several scripts that are not written together (UTS 39 section 5.1). */
export function mixesLetters(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  return words.some((word) => {
    const letters = word.match(/\p{L}/gu) ?? []
    const groupsOf = letters.filter(isOfScript).map((letter) => groups.findIndex((group) => group.test(letter)))
    return new Set(groupsOf).size > 1
  })
}

/** Whether a letter is of one script. Others, such as the long vowel of Japanese, are of all. */
function isOfScript(letter: string): boolean {
  return !/\p{Script=Common}/u.test(letter)
}
