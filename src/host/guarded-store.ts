import { isObject } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import {
  type CreateResult,
  type CredentialSwap,
  type Grant,
  type GrantOwner,
  type GrantPage,
  type GrantPageRequest,
  type Late,
  type NewGrant,
  noSwap,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from '../contract/token-store'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import { timedOut } from '../protocol/thrown'
import { callHost, StoreCalls } from './call-host'

// No tenant has an empty key, and no id of another begins with `key:`.
const noGrant = { tenantId: 'key:', grantId: '-'.repeat(28) }

// The first result of a store shows its clock. A second one is enough if the clock has been set in the meantime.
const maxAttempts = 3

// Of a customer's grants. Both together are more than any customer has.
const pageSize = 1000
const maxPages = 100

/** When a caller gives up for good, by this process's monotonic clock, and how many milliseconds it waits for this call. */
export interface Patience {
  giveUpAt: number
  timeout: number
}

/** A call before it has a deadline. */
type Undated<Call> = Call extends unknown ? Omit<Call, 'deadline'> : never

/** The result of a call that came before its deadline. */
export type Timely<Result> = Exclude<Result, Late>

/**
 * The host's store with a time limit: no call takes longer than `timeout` milliseconds. If the store rejects, the error is
 * `temporarily_unavailable`, with the store's own error as its cause.
 *
 * Calls that change a grant have a deadline: once this process has given such a call up, the store no longer applies it, however long the
 * call waits in a queue, at a server that hangs, or to be sent again.
 */
export class GuardedStore {
  /** Milliseconds. */
  readonly timeout: number
  readonly #store: TokenStore
  readonly #calls: StoreCalls
  readonly #clock = new StoreClock()

  constructor(store: TokenStore, timeout: number) {
    this.#store = store
    this.timeout = timeout
    this.#calls = new StoreCalls('tokenStore', store, timeout)
  }

  /** How long to wait for a call that begins now, and may have to be sent this often. */
  patience(sendings = 1): Patience {
    return { giveUpAt: performance.now() + this.timeout, timeout: this.timeout / sendings }
  }

  createGrant(grant: Omit<NewGrant, 'deadline'>, patience: Patience): Promise<Timely<CreateResult>> {
    return this.#send('createGrant', patience, (deadline) => this.#store.createGrant({ ...grant, deadline }))
  }

  findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#calls.call('findGrant', () => this.#store.findGrant(tenantId, grantId))
  }

  swapCredential(swap: Omit<CredentialSwap, 'deadline'>, patience: Patience): Promise<Timely<SwapResult>> {
    return this.#send('swapCredential', patience, (deadline) => this.#store.swapCredential({ ...swap, deadline }))
  }

  reverseSwap(reversal: Undated<SwapReversal>): Promise<Timely<ReversalResult>> {
    return this.#send('reverseSwap', this.patience(), (deadline) => this.#store.reverseSwap({ ...reversal, deadline }))
  }

  deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#calls.call('deleteGrant', async () => (await this.#store.deleteGrant(tenantId, grantId)) === true)
  }

  /** All grants of a customer, or those of one client. */
  grantsOf(customer: { tenantId: string; subject: string; clientId?: string | undefined }): Promise<Grant[]> {
    return this.#calls.call('listGrants', async () => {
      const grants: Grant[] = []
      let after: string | undefined
      for (let count = 0; count < maxPages; count++) {
        const page = await this.#page({ ...customer, after, limit: pageSize })
        grants.push(...page.grants)
        after = page.next
        if (after === undefined) return grants
      }
      throw new Error('tokenStore.listGrants does not end its pages')
    })
  }

  /** No time limit if no customer is named: it may scan the whole store, and only hosts call it. */
  listGrants(of: GrantPageRequest): Promise<GrantPage> {
    return this.#calls.call('listGrants', () => this.#page(of), of.subject === undefined ? 'unlimited' : this.timeout)
  }

  async #page(of: GrantPageRequest): Promise<GrantPage> {
    const page: unknown = await this.#store.listGrants(of)
    if (isGrantPage(page)) return page
    throw wrongAnswer('tokenStore.listGrants', page, 'a page of grants: { grants, next }')
  }

  /** No time limit: only hosts call it. */
  deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    return this.#calls.each('deleteGrants', () => this.#store.deleteGrants(owner))
  }

  useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    return this.#calls.call('useOnce', async () => (await this.#store.useOnce(tenantId, id, lifetime)) === true)
  }

  /**
   * Asks the store for its time, with a swap of a grant that there cannot be: it takes what a redemption takes of the store, its connection
   * and its rights.
   *
   * @param clock This process's, in milliseconds since 1970.
   * @returns How many milliseconds the store's clock is ahead of it.
   */
  async clockOffset(clock: () => number): Promise<number> {
    const askedAt = clock()
    const { outcome, now } = await this.swapCredential({ ...noSwap, ...noGrant }, this.patience())
    if (outcome === 'missing') return Math.round(now - (askedAt + clock()) / 2)
    const wrong = new Error(`tokenStore.swapCredential answered ${outcome} for a grant that does not exist`)
    throw temporarilyUnavailable(wrong)
  }

  /** A time that the store's clock has not passed yet. */
  async latestTime(): Promise<number> {
    await this.#learnTime()
    return this.#clock.noEarlierThan(performance.now())
  }

  /** A time that the store's clock had reached when this process's monotonic clock showed `at`. */
  async timeBefore(at: number): Promise<number> {
    await this.#learnTime()
    return this.#clock.noLaterThan(at)
  }

  /** Asks the store for its time, if none of its results has told it. */
  async #learnTime(): Promise<void> {
    if (!this.#clock.isKnown) await this.clockOffset(() => performance.now())
  }

  #send<Result extends { outcome: string; now: number }>(
    method: string,
    { giveUpAt, timeout }: Patience,
    call: (deadline: number) => Promise<Result>,
  ): Promise<Timely<Result>> {
    const attempt = (number: number, left: number): Promise<Timely<Result>> => {
      const sentAt = performance.now()
      const read = (result: Result) => {
        this.#clock.learn(result.now, sentAt)
        if (result.outcome !== 'late') return result as Timely<Result>
        const rest = Math.ceil(left - (performance.now() - sentAt))
        // A process that was held up reads the answer before its own timer.
        if (rest <= 0) throw timedOut(`tokenStore.${method} took longer than ${timeout} ms`)
        if (number < maxAttempts) return attempt(number + 1, rest)
        throw new Error(
          `tokenStore.${method} came too late by the store's clock, again and again: is that clock being set?`,
        )
      }
      return callHost(`tokenStore.${method}`, left, () => call(this.#clock.noLaterThan(giveUpAt)), read)
    }
    return this.#calls.told(method, () => attempt(1, timeout))
  }
}

/** Whether a page has what its reader needs of each grant. */
function isGrantPage(given: unknown): given is GrantPage {
  if (!isObject(given) || !Array.isArray(given.grants)) return false
  const isGrant = (grant: unknown) =>
    isObject(grant) &&
    typeof grant.clientId === 'string' &&
    (grant.credential === undefined || isObject(grant.credential)) &&
    Array.isArray(grant.scopes)
  return given.grants.every(isGrant) && (given.next === undefined || typeof given.next === 'string')
}

/**
 * What this process knows of a token store's clock from the store's results. That clock may differ from this machine's by any amount.
 * Between two results, this process's monotonic clock says how much time has passed: by it are `at` and `calledAt`.
 */
class StoreClock {
  // The store's clock is ahead of the monotonic clock by something between these two.
  #minOffset = Number.NEGATIVE_INFINITY
  #maxOffset = Number.POSITIVE_INFINITY

  /** Whether a result has told the store's time. */
  get isKnown(): boolean {
    return Number.isFinite(this.#maxOffset)
  }

  /** Learns from a result: the store's clock showed `now` at some time between `calledAt` and this moment. */
  learn(now: number, calledAt: number): void {
    if (!Number.isFinite(now)) throw new TypeError('The token store does not tell its time')
    const min = now - performance.now()
    const max = now - calledAt
    // No offset explains both results: a clock has been set or has drifted, or another server answers.
    const isContradiction = min > this.#maxOffset || max < this.#minOffset
    this.#minOffset = isContradiction ? min : Math.max(min, this.#minOffset)
    this.#maxOffset = isContradiction ? max : Math.min(max, this.#maxOffset)
  }

  /** A time that the store's clock has reached at `at`. Before the first result it is 1970: the store then answers `late`, with its time. */
  noLaterThan(at: number): number {
    return this.#minOffset === Number.NEGATIVE_INFINITY ? 0 : Math.floor(at + this.#minOffset)
  }

  /** A time that the store's clock has not passed at `at`. Infinite before the first result. */
  noEarlierThan(at: number): number {
    return Math.ceil(at + this.#maxOffset)
  }
}
