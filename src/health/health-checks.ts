import { duration, optional, record } from '../configuration/checks'
import { withinTime } from '../host/call-host'
import { type Emit, faultEvent } from '../host/emitter'
import type { GuardedStore } from '../host/guarded-store'
import type { Keyring } from '../tokens/keyring'

/** What {@link CustomerSignIn.health} takes. */
export interface HealthRequest {
  /** How many seconds to wait for the token store and for a signer. Default 0.5, from 0.01 to 60. */
  timeout?: number | undefined
}

/** How this process is. It contains no secret, no address and no error message, so a probe may see all of it. */
export interface Health {
  /**
   * Whether to send requests to this process: true as soon as the token store, and the signer if there is one, have worked once. It stays
   * true if they fail later: this process then answers clients with a 503 that lets them keep their tokens.
   */
  ready: boolean
  /** Whether nothing is wrong now. */
  ok: boolean
  /** What is wrong now, and what to do about it. */
  problems: HealthProblem[]
  /** The token store. */
  tokenStore: TokenStoreHealth
  /** The signing keys. */
  keys: KeysHealth
  /** The metadata documents of clients, in the memory of this process. */
  documents: DocumentCounts
}

/** Something that is wrong, in words for an operator. */
export interface HealthProblem {
  /** What it is about. */
  part: 'tokenStore' | 'clock' | 'signingKeys'
  /** What is wrong. */
  problem: string
  /** What to do about it. */
  remedy: string
}

/** How the token store is. */
export interface TokenStoreHealth {
  /** Whether it has answered in time. */
  answers: boolean
  /** How long it took to answer, or has taken until now. */
  milliseconds: number
  /** How many seconds its clock was ahead of this process's clock at its last answer. Absent before the first. */
  clockOffset?: number | undefined
}

/** Which signing keys there are. */
export interface KeysHealth {
  /** The name of the key that signs (`kid`). */
  signing: string
  /** How many keys verify. */
  verifying: number
  /** Whether the key was made for this process, because `keys.signing` is not set. */
  temporary: boolean
  /** Whether the last signature of the host's own signer was right. Absent if this process signs itself. */
  signerWorks?: boolean | undefined
}

/** How many metadata documents a process keeps. */
export interface DocumentCounts {
  /** All of them. */
  kept: number
  /** Those that are no longer fresh, and are fetched again when they are needed. */
  stale: number
  /** Those that could not be fetched again, so that a copy is used. */
  failing: number
}

const checks = { timeout: optional(duration(0.01, 60, 'number'), 500) }

// Seconds. The clocks of machines that are kept in time differ by much less.
const maxClockOffset = 60

/** Says how this process is. */
export class HealthChecks {
  readonly #keyring: Keyring
  readonly #documents: () => DocumentCounts
  readonly #lookAtStore: Look
  readonly #lookAtSigner: Look
  /** In seconds. Undefined until the store has worked once. */
  #clockOffset: number | undefined
  #isReady = false

  /** @param now The clock, in milliseconds since 1970. */
  constructor(store: GuardedStore, keyring: Keyring, documents: () => DocumentCounts, emit: Emit, now: () => number) {
    const tell = (error: unknown) => emit(faultEvent('health', error, {}))
    this.#keyring = keyring
    this.#documents = documents
    this.#lookAtStore = sharedLook(async () => {
      this.#clockOffset = (await store.clockOffset(now)) / 1000
    }, tell)
    this.#lookAtSigner = sharedLook(async () => keyring.inUse.signingKeys[0].signer?.try(), tell)
  }

  /** @throws {ConfigurationError} for a wrong request, and for nothing else. */
  async check(request: HealthRequest): Promise<Health> {
    const { timeout } = record(checks)(request, 'health')
    // A signer is looked at if its last signature was wrong or it has not signed anything: otherwise the tokens of clients show how it is.
    const signerWorks = this.#keyring.inUse.signingKeys[0].signer?.works ?? true
    const [store, signer] = await Promise.all([
      this.#lookAtStore(timeout),
      signerWorks ? ({ outcome: 'works', milliseconds: 0 } as const) : this.#lookAtSigner(timeout),
    ])
    const { signingKeys } = this.#keyring.inUse
    const [{ kid, signer: external }] = signingKeys
    this.#isReady ||= this.#clockOffset !== undefined && (external?.hasWorked ?? true)
    const problems = [
      ...problemsOf('tokenStore', store),
      ...clockProblems(this.#clockOffset),
      ...problemsOf('signingKeys', signer),
    ]
    return {
      ready: this.#isReady,
      ok: problems.length === 0,
      problems,
      tokenStore: {
        answers: store.outcome === 'works',
        milliseconds: store.milliseconds,
        ...(this.#clockOffset !== undefined && { clockOffset: this.#clockOffset }),
      },
      keys: {
        signing: kid,
        verifying: signingKeys.length,
        temporary: this.#keyring.isTemporary,
        ...(external && { signerWorks: signer.outcome === 'works' }),
      },
      documents: this.#documents(),
    }
  }
}

/** What an operator is told of the parts that are looked at, and what to do if one fails, or does not answer. */
const lookedAt = {
  tokenStore: {
    name: 'The token store',
    fails:
      'Look at the error of the event whose where is health. Then look at the database: its logs, its address, who may log in',
    waiting: 'See whether the database and the network to it are up, and whether it is overloaded',
  },
  signingKeys: {
    name: 'The signer of keys.signing[0]',
    fails:
      'Look at the error of the event whose where is health. Then look at the key in its service: whether it is on, and who may use it',
    waiting: 'See whether its service and the network to it are up',
  },
}

function problemsOf(part: keyof typeof lookedAt, { outcome, milliseconds }: Finding): HealthProblem[] {
  if (outcome === 'works') return []
  const { name, [outcome]: remedy } = lookedAt[part]
  const says = outcome === 'fails' ? 'fails, so clients get 503' : `has not answered for ${milliseconds} ms`
  return [{ part, problem: `${name} ${says}`, remedy }]
}

function clockProblems(offset = 0): HealthProblem[] {
  const away = Math.round(Math.abs(offset))
  if (away <= maxClockOffset) return []
  const problem = `The clock of this process is ${away} s ${offset > 0 ? 'behind' : 'ahead of'} the clock of the token store`
  const remedy = 'Set both by NTP. Other servers judge by their own clocks when an access token of this process ends'
  return [{ part: 'clock', problem, remedy }]
}

/** What a look has found: that it works, that it fails, or nothing yet. */
interface Finding {
  outcome: 'works' | 'fails' | 'waiting'
  /** How long the look took, or has taken until now. */
  milliseconds: number
}

/** Looks whether something works, or joins the look that is under way, and waits for at most `timeout` milliseconds. The look then goes on. */
type Look = (timeout: number) => Promise<Finding>

/** However many look, `work` looks once at a time. It rejects if it does not work, which `tell` is told, and must settle some time. */
function sharedLook(work: () => Promise<unknown>, tell: (error: unknown) => void): Look {
  let underWay: Promise<Finding> | undefined
  let startedAt = 0
  const found = (outcome: Finding['outcome']) => ({ outcome, milliseconds: Math.round(performance.now() - startedAt) })
  const look = async () => {
    startedAt = performance.now()
    try {
      await work()
      return found('works')
    } catch (error) {
      tell(error)
      return found('fails')
    } finally {
      underWay = undefined
    }
  }
  return (timeout) => {
    underWay ??= look()
    return withinTime(underWay, timeout, () => found('waiting'))
  }
}
