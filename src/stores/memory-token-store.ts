import {
  type CreateResult,
  type CredentialSwap,
  type Grant,
  type GrantOwner,
  markLength,
  mostRedeemed,
  type NewGrant,
  type RegisteredClient,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from './token-store'

const sweepEvery = 60_000

/**
 * Grants and registered clients in this process's memory, for development, tests and a single process: all customers sign
 * in again when it restarts. Its clock is the process's. It keeps no timer.
 *
 * @param options.maxGrants The most live grants it holds (default 100,000). When it is full, new sign-ins are answered with
 * 503; no live grant makes room.
 * @param options.maxClients The same for registered clients (default 10,000).
 */
export class MemoryTokenStore implements TokenStore {
  readonly #grants: ExpiringMap<Grant>
  readonly #clients: ExpiringMap<RegisteredClient>

  constructor({ maxGrants = 100_000, maxClients = 10_000 }: { maxGrants?: number; maxClients?: number } = {}) {
    this.#grants = new ExpiringMap('grants', maxGrants)
    this.#clients = new ExpiringMap('registered clients', maxClients)
  }

  async createGrant({ deadline, lifetime, endsAfter, ...grant }: NewGrant): Promise<CreateResult> {
    const now = Date.now()
    const key = keyOf(grant.tenantId, grant.grantId)
    const taken = this.#grants.get(key)
    if (taken) return { outcome: 'taken', grant: taken, now }
    if (now >= deadline) return { outcome: 'late', now }
    const endsAt = endsAfter === undefined ? undefined : now + endsAfter
    const created = structuredClone({ ...grant, createdAt: now, expiresAt: earlier(now + lifetime, endsAt), endsAt })
    this.#grants.set(key, created)
    return { outcome: 'created', grant: created, now }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#grants.get(keyOf(tenantId, grantId))
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const now = Date.now()
    const key = keyOf(swap.tenantId, swap.grantId)
    const grant = this.#grants.get(key)
    if (!grant) return { outcome: 'missing', now }
    if (grant.credential.hash !== swap.from) return { outcome: 'mismatch', grant, now }
    if (swap.resource !== undefined && swap.resource !== grant.resource)
      return { outcome: 'wrong_resource', grant, now }
    const refreshedAt = grant.swap?.redeemed === 'refresh_token' ? grant.swap.at : Number.NEGATIVE_INFINITY
    // Where the clock has gone back, it is not new but of an unknown age.
    if (now >= refreshedAt && now - refreshedAt < swap.rest) return { outcome: 'fresh', grant, now }
    if (now >= swap.deadline) return { outcome: 'late', now }
    // A clock that has gone back must not make a swap older than the one before.
    const at = Math.max(now, grant.swap?.at ?? grant.createdAt)
    const remembered = (grant.redeemed ?? []).filter((redeemed) => at - redeemed.at <= swap.remember)
    const redeemed = swap.redeems.map((hash) => ({ mark: hash.slice(0, markLength), at }))
    const { request: _, ...kept } = grant
    const swapped: Grant = {
      ...kept,
      credential: { kind: 'refresh_token', hash: swap.to },
      swap: { attempt: swap.attempt, at, redeemed: grant.credential.kind },
      redeemed: [...redeemed, ...remembered].slice(0, mostRedeemed),
      expiresAt: earlier(now + swap.lifetime, grant.endsAt),
    }
    this.#grants.set(key, swapped)
    return { outcome: 'swapped', grant: swapped, now }
  }

  async reverseSwap(reversal: SwapReversal): Promise<ReversalResult> {
    const now = Date.now()
    const key = keyOf(reversal.tenantId, reversal.grantId)
    const grant = this.#grants.get(key)
    if (!grant) return { outcome: 'missing', now }
    const { to, attempts, credential, code } = reversal
    if (grant.credential.hash !== to || !attempts.includes(grant.swap?.attempt ?? ''))
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

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    return this.#grants.live().filter((grant) => grant.tenantId === tenantId && grant.subject === subject)
  }

  async *deleteGrants({ tenantId, subject, clientId }: GrantOwner): AsyncIterable<Grant> {
    for (const grant of this.#grants.live()) {
      if (grant.tenantId !== tenantId || grant.subject !== (subject ?? grant.subject)) continue
      if (grant.clientId !== (clientId ?? grant.clientId)) continue
      if (this.#grants.delete(keyOf(tenantId, grant.grantId))) yield grant
    }
  }

  async saveClient(client: RegisteredClient, mostIdle: number): Promise<void> {
    const { tenantId, clientId } = client
    const others = this.#clients.live().filter((other) => other.tenantId === tenantId && other.clientId !== clientId)
    const idle = others.filter(({ inUse }) => !inUse)
    for (const old of idle.slice(0, Math.max(0, idle.length + 1 - mostIdle))) {
      this.#clients.delete(keyOf(tenantId, old.clientId))
    }
    this.#clients.set(keyOf(tenantId, clientId), structuredClone(client))
  }

  async findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    return this.#clients.get(keyOf(tenantId, clientId))
  }

  async keepClient(tenantId: string, clientId: string, expiresAt: number): Promise<void> {
    const key = keyOf(tenantId, clientId)
    const client = this.#clients.get(key)
    if (!client) return
    this.#clients.set(key, { ...client, expiresAt: Math.max(expiresAt, client.expiresAt), inUse: true })
  }

  async deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    return this.#clients.delete(keyOf(tenantId, clientId))
  }
}

/** A map that forgets its records when they expire, and takes no more than it is allowed. */
class ExpiringMap<T extends { expiresAt: number }> {
  readonly #records = new Map<string, T>()
  readonly #what: string
  readonly #most: number
  #sweptAt = 0

  constructor(what: string, most: number) {
    this.#what = what
    this.#most = most
  }

  get(key: string): T | undefined {
    const record = this.#records.get(key)
    return record && record.expiresAt > Date.now() ? record : undefined
  }

  set(key: string, record: T): void {
    const full = this.#records.size >= this.#most && !this.#records.has(key)
    if (full || Date.now() - this.#sweptAt > sweepEvery) this.#sweep()
    if (full && this.#records.size >= this.#most) {
      throw new Error(`MemoryTokenStore is full: it holds ${this.#most} ${this.#what}`)
    }
    this.#records.set(key, record)
  }

  delete(key: string): boolean {
    const live = this.get(key) !== undefined
    this.#records.delete(key)
    return live
  }

  live(): T[] {
    const now = Date.now()
    return [...this.#records.values()].filter((record) => record.expiresAt > now)
  }

  #sweep(): void {
    this.#sweptAt = Date.now()
    for (const [key, record] of this.#records) {
      if (record.expiresAt <= this.#sweptAt) this.#records.delete(key)
    }
  }
}

function earlier(expiresAt: number, endsAt = Number.POSITIVE_INFINITY): number {
  return Math.min(expiresAt, endsAt)
}

/** One key for two ids of any content: the length says where the first ends. */
function keyOf(tenantId: string, id: string): string {
  return `${tenantId.length}:${tenantId}${id}`
}
