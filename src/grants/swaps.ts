import { randomBytes } from 'node:crypto'
import {
  type CredentialSwap,
  type Grant,
  liveHash,
  type ReversedCredential,
  type SwapResult,
} from '../contract/token-store'
import type { GuardedStore, Patience, Timely } from '../host/guarded-store'
import { temporarilyUnavailable } from '../protocol/oauth-error'

/** One step of a grant: from its live credential to the next one. */
export interface Step extends Omit<CredentialSwap, 'attempt' | 'deadline'> {
  /** The credential that the client presented. It becomes live again if the step is reversed. */
  presented: ReversedCredential
  /** Whether this server issued that credential. Attempts at a step of any other are not remembered, so junk takes up no room. */
  isIssuedHere(): boolean
}

/** What a step is named by. */
type NamedStep = Pick<Step, 'tenantId' | 'grantId' | 'to'>

/** Attempts at one step that the store may have applied, although no client was given the result. */
interface Undecided {
  step: Step
  /** Each with its deadline, by the monotonic clock of this process. The store does not apply it after that. */
  attempts: Map<string, number>
  /** Pending while the attempts are being reversed. */
  reversing?: Promise<void> | undefined
}

// At one step. If there are as many, its requests get 503 until the deadline of some has passed.
const maxAttempts = 100
// How often a request finds that the store has applied one of them only now, before it is answered with 503.
const maxLooks = 3
// How many steps have their attempts reversed at a time, and the pauses before that, in milliseconds.
const maxReversedAtOnce = 100
const [atOnce, soonest, latest] = [1, 250, 5000]

/**
 * Takes the steps of grants. Each step is one atomic swap of the store. This class holds the whole life of an attempt at a step:
 *
 * - Sent: the store is asked to swap, and asked once more if its answer does not come.
 * - Decided: an answer says what came of the swap.
 * - Undecided: no answer says so. The client gets 503, and this process remembers the attempt. No later request takes it up: its reversal may
 *   still be on its way, and would make a credential live again that has given tokens.
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

  /** Takes a step, if its conditions hold. @throws {OAuthError} `temporarily_unavailable` if the store does not say what came of it. */
  async take(step: Step): Promise<Timely<SwapResult>> {
    const { tenantId, grantId, from, to, redeems, remember, rest, lifetime, resource } = step
    for (let looks = 0; looks < maxLooks; looks++) {
      if (this.hasUndecided) await this.#reverseFirst(nameOf(step))
      const attempt = newAttempt()
      const swap = { tenantId, grantId, from, to, attempt, redeems, remember, rest, lifetime, resource }
      const patience = this.#store.patience(2)
      let result: Timely<SwapResult>
      try {
        result = interpret(await this.#store.swapCredential(swap, patience), step, attempt)
      } catch (lost) {
        result = await this.#sendAgain(swap, patience, step, lost)
      }
      if (!this.#isByUndecided(result, step)) return result
    }
    throw temporarilyUnavailable(
      new Error('The token store applies earlier attempts between every two looks at the grant'),
    )
  }

  /** @throws What the first sending has thrown, if nobody knows what came of it. */
  async #sendAgain(
    swap: Omit<CredentialSwap, 'deadline'>,
    patience: Patience,
    step: Step,
    lost: unknown,
  ): Promise<Timely<SwapResult>> {
    const again = await this.#store
      .swapCredential(swap, patience)
      .then((result) => interpret(result, step, swap.attempt))
      .catch(() => undefined)
    if (again?.outcome === 'swapped' || again?.outcome === 'missing') return again
    this.#rememberAttempt(step, swap.attempt, patience.giveUpAt)
    if (again?.outcome === 'fresh') return again
    // A mismatch decides nothing here: the store may have applied the first sending, and more swaps after it.
    throw lost
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
    await this.#reverseAttempts(nameOf(step), { step, attempts: new Map([[attempt, overAt]]) })
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
    const patience = this.#store.patience(2)
    const send = () => this.#store.swapCredential(swap, patience)
    // Sent twice, it has the same effect as once.
    const { outcome } = await send().catch(send)
    return outcome === 'swapped'
  }

  /** @throws {OAuthError} `temporarily_unavailable` if the store fails, or so many attempts stay undecided that one more is too many. */
  async #reverseFirst(name: string): Promise<void> {
    await this.#reverseStep(name)
    if ((this.#undecided.get(name)?.attempts.size ?? 0) < maxAttempts) return
    throw temporarilyUnavailable(
      new Error(`The token store has not told the results of ${maxAttempts} attempts at one step`),
    )
  }

  /** Whether a swap finds that the store has applied one of the undecided attempts at its step. */
  #isByUndecided(result: Timely<SwapResult>, step: Step): boolean {
    if (result.outcome !== 'mismatch') return false
    const { credential, swap } = result.grant
    if (!swap || credential?.hash !== step.to) return false
    return this.#undecided.get(nameOf(step))?.attempts.has(swap.attempt) === true
  }

  #rememberAttempt(step: Step, attempt: string, overAt: number): void {
    if (!step.isIssuedHere()) return
    const name = nameOf(step)
    const undecided = this.#undecided.get(name)
    if (undecided) {
      undecided.attempts.set(attempt, overAt)
    } else if (this.#undecided.size < this.#maxUndecided) {
      // If there are too many, the first stay: those are the ones that the store may have applied before it failed.
      this.#undecided.set(name, { step, attempts: new Map([[attempt, overAt]]) })
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

  async #reverseAttempts(name: string, { step, attempts }: Undecided): Promise<void> {
    const { tenantId, grantId, to, presented } = step
    const now = performance.now()
    const meant = [...attempts]
    await this.#store.reverseSwap({ tenantId, grantId, to, attempts: meant.map(([attempt]) => attempt), ...presented })
    const remembered = this.#undecided.get(name)
    // The store may still apply one of the others before its deadline.
    for (const [attempt, overAt] of meant) if (overAt <= now) remembered?.attempts.delete(attempt)
    if (remembered?.attempts.size === 0) this.#undecided.delete(name)
  }

  #reverseLater(): void {
    if (this.#timer || this.#undecided.size === 0) return
    this.#timer = setTimeout(() => this.#reverseAll(), this.#delay).unref()
  }

  async #reverseAll(): Promise<void> {
    const now = performance.now()
    const due: string[] = []
    for (const [name, { attempts }] of this.#undecided) {
      if (Math.min(...attempts.values()) <= now) due.push(name)
      if (due.length === maxReversedAtOnce) break
    }
    const settled = await Promise.allSettled(due.map((name) => this.#reverseStep(name)))
    const isAway = settled.length > 0 && settled.every(({ status }) => status === 'rejected')
    const next = due.length === maxReversedAtOnce ? atOnce : soonest
    this.#delay = isAway ? Math.min(2 * this.#delay, latest) : next
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
function interpret(result: Timely<SwapResult>, { from, to, resource }: Step, attempt: string): Timely<SwapResult> {
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
