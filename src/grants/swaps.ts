import { randomBytes } from 'node:crypto'
import {
  type CredentialSwap,
  type Grant,
  liveHash,
  type ReversedCredential,
  type SwapResult,
} from '../contract/token-store'
import type { GuardedStore } from '../host/guarded-store'
import { temporarilyUnavailable } from '../protocol/oauth-error'

/** One step of a grant: from its live credential to the next one. */
export interface Step
  extends Pick<
    CredentialSwap,
    'tenantId' | 'grantId' | 'from' | 'to' | 'redeems' | 'remember' | 'rest' | 'lifetime' | 'resource'
  > {
  /** The credential that the client presented. It becomes live again if the step is reversed. */
  presented: ReversedCredential
  /** Whether this server issued that credential. Attempts at a step of any other are not remembered, so junk takes up no room. */
  isIssuedHere(): boolean
}

/** What a step is named by. */
type NamedStep = Pick<Step, 'tenantId' | 'grantId' | 'to'>

/** The result of a swap that reached the store before its deadline. */
export type DecidedSwap = Exclude<SwapResult, { outcome: 'late' }>

/** Attempts at one step that the store may have applied, although no client was given the result. */
interface Undecided {
  step: Step
  attempts: Set<string>
  /** The deadline of the last attempt, by the monotonic clock of this process. The store applies none of them after it. */
  overAt: number
  /** Pending while the attempts are being reversed. */
  reversing?: Promise<void> | undefined
}

// How many steps have their attempts reversed at a time, and the pauses before that, in milliseconds.
const maxReversedAtOnce = 100
const [atOnce, soonest, latest] = [1, 250, 5000]

/**
 * Takes the steps of grants. Each step is one atomic swap of the store. This class holds the whole life of an attempt at a step:
 *
 * - Sent: the store is asked to swap, and asked once more if its answer does not come.
 * - Decided: an answer says what came of the swap.
 * - Undecided: no answer says so. The client gets 503, and this process remembers the attempt.
 * - Continued: if the client comes again before the attempt's deadline, its request uses the same attempt id. So there are never more
 *   attempts at a step than there are requests for it at one time.
 * - Reversed: as soon as the store answers again, or the client comes again, the store makes the presented credential live again. No client
 *   was given the result of the attempt, so the client still has that credential, and it is accepted wherever the client comes next.
 * - Taken over: another process gives its result to a client, so it can no longer be reversed.
 * - Forgotten: once the deadline has passed and the store has said that it reversed the attempt or does not have it.
 */
export class Swaps {
  readonly #store: GuardedStore
  readonly #maxUndecided: number
  /** Keyed by {@link nameOf} their step. */
  readonly #undecided = new Map<string, Undecided>()
  #delay = soonest
  #timer: NodeJS.Timeout | undefined

  /** @param maxUndecided At how many steps it remembers attempts. */
  constructor(store: GuardedStore, maxUndecided = 100_000) {
    this.#store = store
    this.#maxUndecided = maxUndecided
  }

  /** Whether there is an attempt of which nobody knows what came of it. */
  get hasUndecided(): boolean {
    return this.#undecided.size > 0
  }

  /** Whether there is such an attempt at this step. */
  isUndecided(step: NamedStep): boolean {
    return this.#undecided.has(nameOf(step))
  }

  /**
   * Takes a step, if the store finds the credential live and the conditions hold.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store does not say what came of it.
   */
  async take(step: Step): Promise<DecidedSwap> {
    const [attempt, overAt] = (this.hasUndecided && (await this.#continueAttempt(nameOf(step)))) || [newAttempt()]
    const { tenantId, grantId, from, to, redeems, remember, rest, lifetime, resource } = step
    const swap = { tenantId, grantId, from, to, attempt, redeems, remember, rest, lifetime, resource }
    const patience = this.#patience()
    try {
      const result = interpret(await this.#store.swapCredential(swap, patience), step, attempt)
      // The store may still apply the earlier sendings of this attempt, which may swap from another live credential than this one.
      const isDecided = result.outcome === 'swapped' || result.outcome === 'missing'
      if (!isDecided && overAt !== undefined) this.#rememberAttempt(step, attempt, overAt)
      return result
    } catch (lost) {
      const again = await this.#store
        .swapCredential(swap, patience)
        .then((result) => interpret(result, step, attempt))
        .catch(() => undefined)
      if (again?.outcome === 'swapped' || again?.outcome === 'missing') return again
      this.#rememberAttempt(step, attempt, patience.giveUpAt)
      if (again?.outcome === 'fresh') return again
      // A mismatch decides nothing here: the store may have applied the first sending, and more swaps after it.
      throw lost
    }
  }

  /**
   * Reverses a step that has been taken, because the client is refused.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails. The step is then reversed as soon as the store answers again.
   */
  async reverse(step: Step, attempt: string): Promise<void> {
    // If its answer was lost once, the store may still apply the first sending, and that after the reversal.
    const overAt = performance.now() + this.#store.timeout
    this.#rememberAttempt(step, attempt, overAt)
    await this.#reverseAttempts(nameOf(step), { step, attempts: new Set([attempt]), overAt })
  }

  /**
   * Makes the live refresh token of a grant the work of a new attempt, so that no process can reverse the earlier one any more.
   *
   * @returns Whether it was still live.
   * @throws {OAuthError} `temporarily_unavailable` if the store does not say so.
   */
  async keep(
    { tenantId, grantId, credential }: Grant,
    times: Pick<CredentialSwap, 'remember' | 'lifetime'>,
  ): Promise<boolean> {
    const hash = liveHash({ credential })
    const swap = { tenantId, grantId, from: hash, to: hash, attempt: newAttempt(), redeems: [], rest: 0, ...times }
    const patience = this.#patience()
    const send = () => this.#store.swapCredential(swap, patience)
    // Sent twice, it has the same effect as once.
    const { outcome } = await send().catch(send)
    return outcome === 'swapped'
  }

  #patience() {
    return { giveUpAt: performance.now() + this.#store.timeout, timeout: this.#store.timeout / 2 }
  }

  /**
   * Reverses what is undecided at a step, and gives an attempt that the store may still apply to one request only: of two, each could take
   * the other's swap for its own.
   */
  async #continueAttempt(name: string): Promise<[attempt: string, overAt: number] | undefined> {
    await this.#reverseStep(name)
    const undecided = this.#undecided.get(name)
    const [attempt] = undecided?.attempts ?? []
    if (!undecided || attempt === undefined) return undefined
    undecided.attempts.delete(attempt)
    if (undecided.attempts.size === 0) this.#undecided.delete(name)
    return [attempt, undecided.overAt]
  }

  #rememberAttempt(step: Step, attempt: string, overAt: number): void {
    if (!step.isIssuedHere()) return
    const name = nameOf(step)
    const undecided = this.#undecided.get(name)
    if (undecided) {
      undecided.attempts.add(attempt)
      undecided.overAt = Math.max(undecided.overAt, overAt)
    } else if (this.#undecided.size < this.#maxUndecided) {
      // If there are too many, the first stay: those are the ones that the store may have applied before it failed.
      this.#undecided.set(name, { step, attempts: new Set([attempt]), overAt })
    }
    this.#reverseLater()
  }

  /** Reverses the attempts at a step. All requests that wait for that share one call. */
  async #reverseStep(name: string): Promise<void> {
    const undecided = this.#undecided.get(name)
    if (!undecided) return
    undecided.reversing ??= this.#reverseAttempts(name, undecided).finally(() => {
      undecided.reversing = undefined
    })
    await undecided.reversing
  }

  async #reverseAttempts(name: string, { step, attempts, overAt }: Undecided): Promise<void> {
    const { tenantId, grantId, to, presented } = step
    const meant = [...attempts]
    const isOver = performance.now() >= overAt
    await this.#store.reverseSwap({ tenantId, grantId, to, attempts: meant, ...presented })
    // The store may still apply one of them before its deadline.
    if (!isOver) return
    const remembered = this.#undecided.get(name)
    for (const attempt of meant) remembered?.attempts.delete(attempt)
    if (remembered?.attempts.size === 0) this.#undecided.delete(name)
  }

  #reverseLater(): void {
    if (this.#timer || this.#undecided.size === 0) return
    this.#timer = setTimeout(() => this.#reverseAll(), this.#delay).unref()
  }

  async #reverseAll(): Promise<void> {
    const now = performance.now()
    const due: string[] = []
    for (const [name, { overAt }] of this.#undecided) {
      if (overAt <= now) due.push(name)
      if (due.length === maxReversedAtOnce) break
    }
    const settled = await Promise.allSettled(due.map((name) => this.#reverseStep(name)))
    const isAway = settled.length > 0 && settled.every(({ status }) => status === 'rejected')
    const isMore = due.length === maxReversedAtOnce
    if (isAway) this.#delay = Math.min(2 * this.#delay, latest)
    else this.#delay = isMore ? atOnce : soonest
    this.#timer = undefined
    this.#reverseLater()
  }
}

let ownName: string | undefined
let named = 0

/**
 * Names an attempt as nothing else names one, in this process or another: two attempts with one name would both take a swap for their own.
 * Drawn at the first attempt and not when this module is loaded, so that processes that begin as copies of one differ too.
 */
function newAttempt(): string {
  ownName ??= randomBytes(8).toString('base64url')
  return `${ownName}${named++}`
}

/** Interprets a result of the store: a mismatch that shows this attempt as live means that an earlier sending was applied. */
function interpret(result: DecidedSwap, { from, to, resource }: Step, attempt: string): DecidedSwap {
  if (result.outcome !== 'mismatch') return result
  const { grant } = result
  if (grant.credential?.hash === from) {
    throw temporarilyUnavailable(
      new Error('The token store answered mismatch, but shows the expected credential as the live one'),
    )
  }
  if (grant.credential?.hash !== to || grant.swap?.attempt !== attempt) return result
  return { ...result, outcome: resource === undefined || resource === grant.resource ? 'swapped' : 'wrong_resource' }
}

/** Names a step by its successor alone: if the store has lost writes, `from` changes and the successor does not. */
function nameOf({ tenantId, grantId, to }: NamedStep): string {
  return `${tenantId}:${grantId}:${to}`
}
