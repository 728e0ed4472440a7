import type { Report, Step } from './report'

const marks = { good: '✓', warning: '!', wrong: '✗', skipped: '-' }

/**
 * A step in plain words: what was found, each with its remedy.
 *
 * @param shown The remedies that have been printed before. Those of this step are added.
 */
export function stepText({ title, status, findings, notes }: Step, shown = new Set<string>()): string {
  const found = findings.flatMap(({ level, says, remedy }) => {
    const isKnown = shown.has(remedy)
    shown.add(remedy)
    return [`  ${marks[level]} ${says}.`, `    → ${isKnown ? 'As above' : remedy}.`]
  })
  if (status === 'skipped') return `${marks.skipped} ${title}: ${notes.join('. ').replace(/^S/, 's')}\n`
  const lines = [`${marks[status]} ${title}`, ...found, ...notes.map((note) => `  ${note}`)]
  return `${lines.join('\n')}\n`
}

/** The last line. */
export function summaryText({ steps }: Report): string {
  const count = (level: 'wrong' | 'warning') =>
    steps.flatMap(({ findings }) => findings).filter((finding) => finding.level === level).length
  const [wrong, warnings] = [count('wrong'), count('warning')]
  if (wrong + warnings === 0) return '\nNothing is wrong.\n'
  return `\n${wrong} wrong (✗), ${warnings} ${warnings === 1 ? 'warning' : 'warnings'} (!).\n`
}
