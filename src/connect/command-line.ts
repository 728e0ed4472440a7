// What every shell reads as nothing but itself: sh, bash and zsh, PowerShell, cmd.exe.
const plainWord = /^[\w./:-]+$/

/**
 * A command as a line to paste into any shell. No quotes mean the same in all shells, so none are used.
 *
 * @param words The program, and its arguments.
 * @returns Undefined if a word needs quotes in some shell.
 */
export function commandLine(words: readonly string[]): string | undefined {
  return words.every((word) => plainWord.test(word)) ? words.join(' ') : undefined
}
