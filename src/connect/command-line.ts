// What no shell reads as anything but itself: sh, bash and zsh, PowerShell, cmd.exe.
const plainWord = /^[\w./:%-]+$/

/**
 * A command as a line to paste into a shell. Words that are plain stand as they are. All others are quoted for a POSIX shell.
 *
 * @param words The program, and its arguments.
 */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}
