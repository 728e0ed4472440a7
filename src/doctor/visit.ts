import { ProofKey } from '../protocol/proof-key'
import { startOf } from '../protocol/without-credentials'
import type { Answer } from './answer'
import { Fault, type FindingCode, fault, findings, type ValuesIn } from './findings'
import { type Finding, type Report, type Step, type StepName, stepTitles } from './report'
import type { SignInWindow } from './sign-in-window'
import { type Asked, Wire } from './wire'

export interface VisitOptions {
  /** The client id to use, in place of registering a client. */
  clientId?: string | undefined
  /** Lets somebody sign in. Without it, the doctor goes no further than the first page. */
  window?: SignInWindow | undefined
  /** Is told of each step as soon as it is over. */
  onStep?: ((step: Step) => void) | undefined
  /** How long one request may take, in milliseconds. Default 15,000. */
  timeLimit?: number | undefined
}

/** What steps find out for those after them. */
export interface Found {
  api: {
    /** The request that the API answers with its challenge. */
    asked: Asked
    challenge: Answer['challenge']
  }
  resource: {
    /** What clients send as `resource`. */
    resource: string
    /** The authorization server, as the metadata names it. */
    issuer: string
    /** The authorization server, where it is reached. The same, unless the app does not know its own address. */
    reachedAt: string
  }
  /** What the metadata of the authorization server says, with the endpoints where they are reached. */
  server: {
    issuer: string
    authorization: string
    token: string
    registration: string | undefined
    revocation: string | undefined
    keys: string | undefined
    /** All that it says. */
    members: Record<string, unknown>
  }
  /** The client that the doctor acts as. */
  registration: {
    id: string
    redirectUri: string
    /** `document`: it is an assistant's, and nobody signs in with it. */
    source: 'given' | 'registered' | 'document'
    /** Where the registration can be deleted, if the server has that (RFC 7592). */
    management?: { url: string; token: string } | undefined
  }
  /** The first page. */
  authorize: Answer
  'sign-in': { accessToken: string; refreshToken: string | undefined; isBound: boolean }
  /** The refresh token that is valid now. */
  refresh: string
}

/** Ends a step that has nothing to look at. */
export class Skipped extends Error {
  constructor(why: string, opening = 'Skipped: ') {
    super(opening + why)
  }
}

/** The doctor's visit to one API: goes from step to step, and writes down what became of each. */
export class Visit {
  readonly redirectUri: string
  readonly wire: Wire
  /** The key of the client that the doctor acts as. */
  readonly key = new ProofKey()
  /** What this step has seen. */
  seen: Fault[] = []
  #notes: string[] = []
  readonly #secrets = new Set<string>()
  readonly #found: Map<string, unknown>
  readonly #steps: Step[] = []

  /**
   * @param address The address that customers paste into an assistant.
   * @param found What is known before the first step.
   */
  constructor(
    readonly address: string,
    readonly options: VisitOptions = {},
    found: Partial<Found> = {},
  ) {
    this.redirectUri = options.window?.redirectUri ?? 'http://127.0.0.1/callback'
    this.wire = new Wire(options.timeLimit)
    this.#found = new Map(Object.entries(found))
  }

  /** What earlier steps have found. If one of them led nowhere, this step is skipped. */
  found<const Names extends readonly (keyof Found)[]>(
    ...names: Names
  ): { [Index in keyof Names]: Found[Names[Index]] } {
    const missing = names.find((name) => !this.#found.has(name))
    if (missing) throw new Skipped(`because it needs the result of the step “${missing}”`, 'Skipped, ')
    return names.map((name) => this.#found.get(name)) as { [Index in keyof Names]: Found[Names[Index]] }
  }

  /** Adds a finding. The step goes on. */
  find<Code extends FindingCode>(code: Code, values: ValuesIn<Code>): void {
    this.seen.push(fault(code, values))
  }

  /** Adds a fact that is neither good nor bad. */
  note(text: string): void {
    this.#notes.push(text)
  }

  /** Keeps codes and tokens out of the report. A server may repeat them in the text of an error. */
  hide(...secrets: unknown[]): void {
    for (const secret of secrets) if (typeof secret === 'string' && secret !== '') this.#secrets.add(secret)
  }

  /** Takes a step. What it throws becomes its last finding. */
  async step<Name extends StepName>(
    name: Name,
    take: (visit: Visit) => Promise<Name extends keyof Found ? Found[Name] : void>,
  ): Promise<void> {
    this.seen = []
    this.#notes = []
    let otherwise: Step['status'] = 'good'
    try {
      this.#found.set(name, await take(this))
    } catch (thrown) {
      if (thrown instanceof Fault) this.seen.push(thrown)
      else if (thrown instanceof Skipped) this.note(thrown.message)
      else throw thrown
      otherwise = 'skipped'
    }
    const found = this.seen
      .map((seen) => this.#inWords(seen))
      .filter(({ says }, place, all) => all.findIndex((other) => other.says === says) === place)
    const status = found.find(({ level }) => level === 'wrong')?.level ?? found[0]?.level ?? otherwise
    const notes = this.#notes.map((text) => this.#shown(text))
    const step: Step = { step: name, title: stepTitles[name], status, findings: found, notes }
    this.#steps.push(step)
    this.options.onStep?.(step)
  }

  report(): Report {
    const good = this.#steps.every(({ status }) => status !== 'wrong')
    return { version: 1, address: this.address, good, steps: this.#steps }
  }

  #inWords({ code, values }: Fault): Finding {
    const { level, says, remedy } = findings[code]
    const filled = (text: string) =>
      text
        .replace(/\{(\w+)\}/g, (_, name: string) => this.#shown(String(values[name])))
        .replace(/ {2,}/g, ' ')
        .replace(/[ .]+$/, '')
    return { code, level, says: filled(says), remedy: filled(remedy) }
  }

  // Secrets first: one that has been cut could not be recognised.
  #shown(text: string): string {
    return printable([...this.#secrets].reduce((shown, secret) => shown.replaceAll(secret, '…'), text))
  }
}

const maxLength = 300

/** A text of a server without the control characters that could move a terminal's cursor or change its title, and a few lines long at most. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
  return plain.length > maxLength ? `${startOf(plain, maxLength)}…` : plain
}
