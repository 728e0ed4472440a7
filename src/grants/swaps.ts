import { randomUUID } from 'node:crypto'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import type { GuardedStore } from '../stores/guarded-store'
import type { CredentialSwap, ReversedCredential, SwapResult } from '../stores/token-store'

/** A step of a grant from its live credential to the next one. */
export interface Step
  extends Pick<CredentialSwap, 'tenantId' | 'grantId' | 'from' | 'to' | 'redeems' | 'lifetime' | 'resource'> {
  /** What is live again if the step is taken back: the credential that was presented. */
  presented: ReversedCredential
  /** Whether this server minted that credential: nothing is remembered for junk. */
  isOurs(): boolean
}

/** In milliseconds: for how long a grant remembers what it was redeemed by, and for how long it keeps a refresh token that is new. */
export type SwapTimes = Pick<CredentialSwap, 'remember' | 'rest'>

/** A result that a verdict can rest on. */
export type DecidedSwap = Exclude<SwapResult, { outcome: 'late' }>

/** The attempts at a step that the store may have applied, and whose result was given to nobody. */
interface Undecided {
  step: Step
  attempts: Set<string>
  /** When the last one was given up, by the monotonic clock of this process. From then on the store does not apply it any more. */
  overAt: number
  /** While they are being taken back. */
  settling?: Promise<void> | undefined
}

const settledAtOnce = 100
const [atOnce, soonest, latest] = [1, 250, 5000]

/**
 * Takes the steps of grants, one atomic swap of the store each. The whole life of an attempt at a step is in here:
 *
 * - begun: it is sent, and once more where the answer does not come;
 * - decided: an answer says what came of it;
 * - undecided: none does. The client is answered 503, and this process remembers the attempt;
 * - taken up: a client that comes again before the attempt is over goes on under its name, so that there are never more of them than
 *   requests at a time;
 * - taken back: as soon as the store answers again, or the client comes again. The store may have applied the attempt, but its result was
 *   given to nobody. So the credential that was presented is made live again, and wherever the client goes next, it is accepted;
 * - forgotten: once the store has said that it is taken back, or that it never came to be.
 */
export class Swaps {
  readonly #store: GuardedStore
  readonly #times: SwapTimes
  readonly #maxUndecided: number
  /** By the name of their step. */
  readonly #undecided = new Map<string, Undecided>()
  #delay = soonest
  #timer: NodeJS.Timeout | undefined

  /** @param maxUndecided How many steps it remembers attempts at. */
  constructor(store: GuardedStore, times: SwapTimes, maxUndecided = 100_000) {
    this.#store = store
    this.#times = times
    this.#maxUndecided = maxUndecided
  }

  /** @throws {OAuthError} `temporarily_unavailable` where the store does not say what came of it. */
  async take(step: Step): Promise<DecidedSwap> {
    if (this.#undecided.size > 0) await this.#settle(nameOf(step))
    const [attempt, overAt] = this.#takeUp(nameOf(step)) ?? [randomUUID().slice(-12)]
    const { presented: _, isOurs: __, ...swap } = step
    const { remember } = this.#times
    // What the store had lost writes before is not what it says is new.
    const rest = step.redeems.length > 1 ? 0 : this.#times.rest
    const patience = { giveUpAt: performance.now() + this.#store.timeout, timeout: this.#store.timeout / 2 }
    const send = async () => {
      const result = await this.#store.swapCredential({ ...swap, attempt, remember, rest }, patience)
      return interpreted(result, step, attempt)
    }
    try {
      const result = await send()
      // The sendings that were given up may still be applied, also from another live credential than this one.
      const isSettled = result.outcome === 'swapped' || result.outcome === 'missing'
      if (!isSettled && overAt !== undefined) this.#remind(step, attempt, overAt)
      return result
    } catch (lost) {
      const again = await send().catch(() => undefined)
      if (again?.outcome === 'swapped' || again?.outcome === 'missing') return again
      this.#remind(step, attempt, patience.giveUpAt)
      if (again?.outcome === 'fresh') return again
      // A mismatch decides nothing here: the first sending may have been applied, and followed by more.
      throw lost
    }
  }

  /**
   * Takes a step back that has been taken and must not be answered.
   *
   * @throws {OAuthError} `temporarily_unavailable` where the store fails; it is then taken back as soon as that is possible.
   */
  async takeBack(step: Step, attempt: string): Promise<void> {
    const overAt = performance.now()
    this.#remind(step, attempt, overAt)
    await this.#takeBack(nameOf(step), { step, attempts: new Set([attempt]), overAt })
  }

  /** Hands an attempt out that may still be applied, to one request: two could both find the work of the other. */
  #takeUp(name: string): [attempt: string, overAt: number] | undefined {
    const undecided = this.#undecided.get(name)
    const [attempt] = undecided?.attempts ?? []
    if (!undecided || attempt === undefined) return undefined
    undecided.attempts.delete(attempt)
    if (undecided.attempts.size === 0) this.#undecided.delete(name)
    return [attempt, undecided.overAt]
  }

  #remind(step: Step, attempt: string, overAt: number): void {
    if (!step.isOurs()) return
    const name = nameOf(step)
    const undecided = this.#undecided.get(name)
    if (undecided) {
      undecided.attempts.add(attempt)
      undecided.overAt = Math.max(undecided.overAt, overAt)
    } else if (this.#undecided.size < this.#maxUndecided) {
      // The first attempts of an outage are those that may have been applied: where there are too many, they stay.
      this.#undecided.set(name, { step, attempts: new Set([attempt]), overAt })
    }
    this.#settleLater()
  }

  /** Takes the attempts at a step back. All who wait for it share one call. */
  async #settle(name: string): Promise<void> {
    const undecided = this.#undecided.get(name)
    if (!undecided) return
    undecided.settling ??= this.#takeBack(name, undecided).finally(() => {
      undecided.settling = undefined
    })
    await undecided.settling
  }

  async #takeBack(name: string, { step, attempts, overAt }: Undecided): Promise<void> {
    const { tenantId, grantId, to, presented } = step
    const meant = [...attempts]
    const isOver = performance.now() >= overAt
    await this.#store.reverseSwap({ tenantId, grantId, to, attempts: meant, ...presented })
    // Until then one of them may still be applied.
    if (!isOver) return
    const remembered = this.#undecided.get(name)
    for (const attempt of meant) remembered?.attempts.delete(attempt)
    if (remembered?.attempts.size === 0) this.#undecided.delete(name)
  }

  #settleLater(): void {
    if (this.#timer || this.#undecided.size === 0) return
    this.#timer = setTimeout(() => this.#settleAll(), this.#delay).unref()
  }

  async #settleAll(): Promise<void> {
    const now = performance.now()
    const due: string[] = []
    for (const [name, { overAt }] of this.#undecided) {
      if (overAt <= now) due.push(name)
      if (due.length === settledAtOnce) break
    }
    const settled = await Promise.allSettled(due.map((name) => this.#settle(name)))
    const isAway = settled.length > 0 && settled.every(({ status }) => status === 'rejected')
    const isMore = due.length === settledAtOnce
    if (isAway) this.#delay = Math.min(2 * this.#delay, latest)
    else this.#delay = isMore ? atOnce : soonest
    this.#timer = undefined
    this.#settleLater()
  }
}

/** The result as far as a verdict can rest on it: a swap that was applied although its answer never came finds its own work. */
function interpreted(result: DecidedSwap, { from, to, resource }: Step, attempt: string): DecidedSwap {
  if (result.outcome !== 'mismatch') return result
  const { grant } = result
  if (grant.credential.hash === from) {
    throw temporarilyUnavailable(new Error('The token store says mismatch and shows the grant from before'))
  }
  if (grant.credential.hash !== to || grant.swap?.attempt !== attempt) return result
  return { ...result, outcome: resource === undefined || resource === grant.resource ? 'swapped' : 'wrong_resource' }
}

/** A step is named by where it leads: that stays the same where the store turns out to be behind and the step begins elsewhere. */
function nameOf({ tenantId, grantId, to }: Step): string {
  return `${tenantId}:${grantId}:${to}`
}
