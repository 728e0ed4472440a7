import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The owner of a token, as the access token and the API name it. */
export interface Who {
  subject: string
  clientId: string
  tenantKey: string
  grantId?: string
}

/** Who sends a request: the grant's own client, somebody else, or the network as a repeat. */
export type Actor = 'owner' | 'thief' | 'revoker' | 'probe' | 'garbage' | 'network'

export type Act = 'register' | 'sign-in' | 'redeem-code' | 'refresh' | 'api' | 'revoke'

/** A status, or why there is no status: the client hung up after its timeout, or the connection broke. */
export type Answer = number | 'timeout' | 'lost'

/** A request and its answer. Times are milliseconds on the campaign's own clock, which never jumps. */
export interface Exchange {
  kind: 'exchange'
  id: number
  by: Actor
  act: Act
  /** The number that the campaign gave to the grant. */
  grant: number
  host: number
  begun: number
  ended: number
  /** The name of the code or token. */
  presented?: string
  /** Whether a value besides the credential is wrong, so that the request must be refused and change nothing. */
  forged?: true
  /** Whether the tokens of the grant are bound to a key. */
  bound?: true
  /** How it was revoked. */
  way?: string
  answer: Answer
  error?: string
  /** The names of the tokens in the response, and their owner. */
  gave?: { credential?: string; accessToken?: string; who?: Who }
}

/** A report of a host process: an event of the library, or a failure of the process. */
export interface Told {
  kind: 'told'
  at: number
  host: number
  event: string
  grantId?: string
  detail?: string
}

/** What the nemesis did. */
export interface Fault {
  kind: 'fault'
  at: number
  what: string
  /** Writes that were acknowledged in this time may be lost. */
  lost?: { from: number; to: number }
}

export type Entry = Exchange | Told | Fault

/** Everything that happened in one run. */
export class History {
  readonly entries: Entry[] = []
  #ids = 0

  now(): number {
    return Math.round(performance.now() * 100) / 100
  }

  nextId(): number {
    return this.#ids++
  }

  add(entry: Entry): void {
    this.entries.push(entry)
  }

  /** Writes the history as JSON lines into a temporary folder. @returns The path. */
  save(name: string): string {
    const file = join(mkdtempSync(join(tmpdir(), 'histories-')), `${name}.jsonl`)
    writeFileSync(file, this.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    return file
  }
}

/**
 * A short name for a credential. A code or refresh token is named by a part of its secret, because its tag may be made with another of the
 * server's secrets. An access token is named by the end of its signature.
 */
export function nameOf(credential: string): string {
  const [, kind, secret] = /^csi([cr])_.{34}(.{12})/.exec(credential) ?? []
  return secret === undefined ? `access ${credential.slice(-12)}` : `${kind === 'c' ? 'code' : 'refresh'} ${secret}`
}
