import type { CredentialSwap, Grant, RegisteredClient, SwapResult, TokenStore } from './token-store'

const sweepEvery = 60_000

/**
 * Grants and registered clients in this process's memory, for development, tests and a single process: all customers sign
 * in anew when it restarts. It keeps no timer.
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

  async createGrant(grant: Grant): Promise<void> {
    const key = keyOf(grant.tenantId, grant.grantId)
    if (this.#grants.get(key)) throw new Error('MemoryTokenStore: the grant id is taken')
    this.#grants.set(key, structuredClone(grant))
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#grants.get(keyOf(tenantId, grantId))
  }

  async swapCredential(swap: CredentialSwap): Promise<SwapResult> {
    const key = keyOf(swap.tenantId, swap.grantId)
    const grant = this.#grants.get(key)
    if (!grant || grant.expiresAt <= swap.now) return { outcome: 'missing' }
    if (grant.credential.hash !== swap.from) return { outcome: 'mismatch', grant }
    if (swap.resource !== undefined && swap.resource !== grant.resource) return { outcome: 'refused', grant }
    const { request: _, ...kept } = grant
    const swapped: Grant = {
      ...kept,
      credential: { kind: 'refresh_token', hash: swap.to },
      swap: { attempt: swap.attempt, at: Math.max(swap.now, Date.now()) },
      expiresAt: Math.min(swap.expiresAt, grant.endsAt ?? Number.POSITIVE_INFINITY),
    }
    this.#grants.set(key, swapped)
    return { outcome: 'swapped', grant: swapped }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#grants.delete(keyOf(tenantId, grantId))
  }

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    return this.#grants.live().filter((grant) => grant.tenantId === tenantId && grant.subject === subject)
  }

  async *scanGrants(tenantId: string): AsyncIterable<Grant> {
    for (const grant of this.#grants.live()) if (grant.tenantId === tenantId) yield grant
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

/** One key for two ids of any content: the length says where the first ends. */
function keyOf(tenantId: string, id: string): string {
  return `${tenantId.length}:${tenantId}${id}`
}
