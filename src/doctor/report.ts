import { type FindingCode, findings, type ValuesIn } from './findings'
import type { Level } from './findings/words'

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
  /** `wrong`: an assistant cannot connect, or not every one. `warning`: it works, but not as it should. */
  level: Level
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

/** What a step has seen, before it is put into words. */
export interface Seen {
  code: FindingCode
  values: Readonly<Record<string, string>>
}

/** Ends a step with a finding. */
export class Fault extends Error {
  readonly seen: Seen

  constructor(seen: Seen) {
    super(findings[seen.code].says)
    this.seen = seen
  }
}

/** Ends a step that has nothing to look at. */
export class Skipped extends Error {}

/** Makes a finding that ends the step: `throw fault('no-keys', { url })`. */
export function fault<Code extends FindingCode>(code: Code, values: ValuesIn<Code>): Fault {
  return new Fault({ code, values })
}

/** What a step writes down while it goes on. */
export class Notes {
  readonly seen: Seen[] = []
  readonly texts: string[] = []

  /** Adds a finding. The step goes on. */
  find<Code extends FindingCode>(code: Code, values: ValuesIn<Code>): void {
    this.seen.push({ code, values })
  }

  /** Adds a fact that is neither good nor bad. */
  note(text: string): void {
    this.texts.push(text)
  }
}
