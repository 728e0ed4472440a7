import {
  type CreateResult,
  type CredentialSwap,
  endMarkLifetime,
  endMarkOf,
  endMarks,
  type Grant,
  type GrantOwner,
  type GrantPage,
  type GrantPageRequest,
  isOwned,
  markLength,
  maxRedeemed,
  type NewGrant,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from '../contract/token-store'

// Each takes some hundred bytes, for an hour at most.
const maxUsed = 100_000

// Milliseconds.
const sweepEvery = 60_000

/** The options of {@link MemoryTokenStore}. */
export interface MemoryTokenStoreOptions {
  /** The most live grants. Default 100,000. When the store is full, new sign-ins are answered with 503: no live grant makes room. */
  maxGrants?: number | undefined
  /** The store's clock: milliseconds since 1970. For tests in which time passes. Default `Date.now`. */
  now?: (() => number) | undefined
}

/**
 * A {@link TokenStore} in the memory of this process, for development, tests and hosts with a single process. When the process restarts,
 * all customers have to sign in again. Its clock is that of the process, unless `now` says otherwise.
 *
 * @example
 * new MemoryTokenStore({ maxGrants: 10_000 })
 */
export class MemoryTokenStore implements TokenStore {
  readonly #grants: ExpiringMap<Grant>
  readonly #used: ExpiringMap<{ tenantId: string; id: string; expiresAt: number }>
  /** When the grants of an owner were deleted, by the owner's mark. Only hosts delete them, so there are not many. */
  readonly #ended: ExpiringMap<{ mark: string; at: number; expiresAt: number }>
  readonly #now: () => number
  readonly #maxGrants: number

  constructor({ maxGrants = 100_000, now = () => Date.now() }: MemoryTokenStoreOptions = {}) {
    this.#now = now
    this.#grants = new ExpiringMap(now)
    this.#used = new ExpiringMap(now)
    this.#ended = new ExpiringMap(now)
    this.#maxGrants = maxGrants
  }

  /** @returns Everything in memory, with what has expired and is not removed yet. For tests. */
  contents(): { grants: Grant[]; used: { tenantId: string; id: string }[]; ended: { mark: string; at: number }[] } {
    return { grants: this.#grants.all(), used: this.#used.all(), ended: this.#ended.all() }
  }

  async createGrant({ deadline, lifetime, endsAfter, assertedAt, ...grant }: NewGrant): Promise<CreateResult> {
    const now = this.#now()
    const key = keyOf(grant.tenantId, grant.grantId)
    const taken = this.#grants.get(key)
    if (taken) return { outcome: 'taken', grant: taken, now }
    if (assertedAt !== undefined && endMarks(grant).some((mark) => this.#endedAt(mark) >= assertedAt))
      return { outcome: 'ended', now }
    if (now >= deadline) return { outcome: 'late', now }
    this.#grants.mustHaveRoom(this.#maxGrants, 'grants')
    const endsAt = endsAfter === undefined ? undefined : now + endsAfter
    const created = structuredClone({ ...grant, createdAt: now, expiresAt: earlier(now + lifetime, endsAt), endsAt })
    this.#grants.set(key, created)
    return { outcome: 'created', grant: created, now }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#grants.get(keyOf(tenantId, grantId))
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const now = this.#now()
    const key = keyOf(swap.tenantId, swap.grantId)
    const grant = this.#grants.get(key)
    if (!grant) return { outcome: 'missing', now }
    if (grant.credential?.hash !== swap.from) return { outcome: 'mismatch', grant, now }
    if (swap.resource !== undefined && swap.resource !== grant.resource)
      return { outcome: 'wrong_resource', grant, now }
    const refreshedAt = grant.swap?.redeemed === 'refresh_token' ? grant.swap.at : Number.NEGATIVE_INFINITY
    // If the clock has gone back, the age of the refresh token is unknown: it is not new.
    if (now >= refreshedAt && now - refreshedAt < swap.rest) return { outcome: 'fresh', grant, now }
    if (now >= swap.deadline) return { outcome: 'late', now }
    // Even if the clock has gone back, a swap is not older than the one before.
    const at = Math.max(now, grant.swap?.at ?? grant.createdAt)
    const remembered = (grant.redeemed ?? []).filter((redeemed) => at - redeemed.at <= swap.remember)
    const redeemed = swap.redeems.map((hash) => ({ mark: hash.slice(0, markLength), at }))
    const { request: _, ...kept } = grant
    const swapped: Grant = {
      ...kept,
      credential: { kind: 'refresh_token', hash: swap.to },
      swap: { attempt: swap.attempt, at, redeemed: grant.credential.kind },
      redeemed: [...redeemed, ...remembered].slice(0, maxRedeemed),
      expiresAt: earlier(now + swap.lifetime, grant.endsAt),
    }
    this.#grants.set(key, swapped)
    return { outcome: 'swapped', grant: swapped, now }
  }

  async reverseSwap(reversal: SwapReversal): Promise<ReversalResult> {
    const now = this.#now()
    const key = keyOf(reversal.tenantId, reversal.grantId)
    const grant = this.#grants.get(key)
    if (!grant) return { outcome: 'missing', now }
    const { to, attempts, credential, code } = reversal
    if (grant.credential?.hash !== to || !attempts.includes(grant.swap?.attempt ?? ''))
      return { outcome: 'mismatch', now }
    if (now >= reversal.deadline) return { outcome: 'late', now }
    const redeemed = grant.redeemed?.slice(1)
    const swap = grant.swap && { ...grant.swap, at: redeemed?.[0]?.at ?? grant.createdAt }
    const reversed = { ...grant, credential: { ...credential }, redeemed, swap }
    const expiresAt = earlier(grant.createdAt + (code?.lifetime ?? 0), grant.endsAt)
    this.#grants.set(key, code ? { ...reversed, request: { ...code.request }, swap: undefined, expiresAt } : reversed)
    return { outcome: 'reversed', now }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#grants.delete(keyOf(tenantId, grantId))
  }

  async listGrants({ after = '', limit, ...owner }: GrantPageRequest): Promise<GrantPage> {
    const owned = this.#grants.all().filter((grant) => isOwned(grant, owner) && grant.grantId > after)
    const rest = owned.filter(({ expiresAt }) => expiresAt > this.#now())
    const grants = rest.sort((one, other) => (one.grantId < other.grantId ? -1 : 1)).slice(0, limit)
    return { grants, ...(rest.length > limit && { next: grants.at(-1)?.grantId }) }
  }

  async *deleteGrants(owner: GrantOwner): AsyncIterable<Grant> {
    const [mark, now] = [endMarkOf(owner), this.#now()]
    this.#ended.set(mark, { mark, at: Math.max(now, this.#endedAt(mark)), expiresAt: now + endMarkLifetime })
    // Deletes those that have expired too, without yielding them: nothing of a customer must remain.
    for (const grant of this.#grants.all()) {
      if (isOwned(grant, owner) && this.#grants.delete(keyOf(grant.tenantId, grant.grantId))) yield grant
    }
    if (owner.all !== 'everything') return
    for (const { tenantId, id } of this.#used.all()) {
      if (tenantId === owner.tenantId) this.#used.delete(keyOf(tenantId, id))
    }
  }

  #endedAt(mark: string): number {
    return this.#ended.get(mark)?.at ?? Number.NEGATIVE_INFINITY
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    const key = keyOf(tenantId, id)
    if (this.#used.get(key)) return false
    // None of them makes room: its consent page or assertion could be used again.
    this.#used.mustHaveRoom(maxUsed, 'ids of used consent pages and assertions')
    this.#used.set(key, { tenantId, id, expiresAt: this.#now() + lifetime })
    return true
  }
}

function earlier(expiresAt: number, endsAt = Number.POSITIVE_INFINITY): number {
  return Math.min(expiresAt, endsAt)
}

/** One key for two ids with any characters: the length says where the first id ends. */
function keyOf(tenantId: string, id: string): string {
  return `${tenantId.length}:${tenantId}${id}`
}

/** A map without the records that have expired. The first call that comes a minute later removes them from memory. */
class ExpiringMap<T extends { expiresAt: number }> {
  readonly #records = new Map<string, T>()
  readonly #now: () => number
  #sweptAt: number

  /** @param now The clock, in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
    this.#sweptAt = now()
  }

  /** @returns The record, unless it has expired. */
  get(key: string): T | undefined {
    this.#sweepSometimes()
    const record = this.#records.get(key)
    return record && record.expiresAt > this.#now() ? record : undefined
  }

  /** Replaces a record, or adds one after all others. */
  set(key: string, record: T): void {
    this.#sweepSometimes()
    this.#records.set(key, record)
  }

  /** @returns Whether there was such a record that had not expired. */
  delete(key: string): boolean {
    const isLive = this.get(key) !== undefined
    this.#records.delete(key)
    return isLive
  }

  /** All records in memory, in the order in which they were added, with those that have expired and are not removed yet. */
  all(): T[] {
    return [...this.#records.values()]
  }

  /** @throws {Error} if there are `max` records that have not expired. */
  mustHaveRoom(max: number, what: string): void {
    if (this.#records.size >= max) this.#sweep()
    if (this.#records.size >= max) throw new Error(`MemoryTokenStore is full: it holds ${max} ${what}`)
  }

  #sweepSometimes(): void {
    // `abs`, so that a clock that is set back does not delay it.
    if (Math.abs(this.#now() - this.#sweptAt) >= sweepEvery) this.#sweep()
  }

  #sweep(): void {
    this.#sweptAt = this.#now()
    for (const [key, { expiresAt }] of this.#records) {
      if (expiresAt <= this.#sweptAt) this.#records.delete(key)
    }
  }
}
