import type { FindingCode } from './findings'

/** What the doctor looks at, in this order. */
export const stepTitles = {
  api: 'The API asks for a token (RFC 6750 section 3, RFC 9728 section 5.1)',
  bearer: 'A token reaches the API (RFC 6750 section 2.1)',
  resource: 'Protected resource metadata (RFC 9728)',
  server: 'Authorization server metadata (RFC 8414)',
  keys: 'Key set (RFC 7517)',
  registration: 'Registration (RFC 7591)',
  authorize: 'The first page of the sign-in (RFC 6749 section 4.1.1)',
  document: 'Client ID metadata documents',
  token: 'Token endpoint (RFC 6749 section 3.2)',
  revocation: 'Revocation endpoint (RFC 7009)',
  clock: 'Clocks',
  'sign-in': 'Sign-in in the browser, and its tokens (RFC 6749 section 4.1)',
  call: 'A call of the API with the access token',
  refresh: 'Refresh (RFC 6749 section 6)',
  end: 'Revocation of the grant',
  leave: 'What stays behind',
} as const

export type StepName = keyof typeof stepTitles

/** Something that is wrong, or may be. */
export interface Finding {
  /** Names the finding. docs/doctor.md has each. */
  code: FindingCode
  level: 'wrong' | 'warning'
  /** What was seen, in one sentence. */
  says: string
  /** What to change. */
  remedy: string
}

/** What became of one step. */
export interface Step {
  step: StepName
  title: string
  status: 'good' | 'warning' | 'wrong' | 'skipped'
  findings: Finding[]
  /** Facts that are neither good nor bad, such as the id of the client that was registered, or why the step was skipped. */
  notes: string[]
}

/** What `--json` prints. A new version may add members, steps and findings; `version` changes if anything else does. */
export interface Report {
  version: 1
  /** The address that was examined. */
  address: string
  /** Whether no finding is `wrong`. */
  good: boolean
  steps: Step[]
}

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
