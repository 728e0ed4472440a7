// A token store that somebody could write from the public types alone.
import type {
  CreateResult,
  CredentialKind,
  CredentialSwap,
  Grant,
  GrantOwner,
  GrantPage,
  GrantPageRequest,
  Late,
  NewGrant,
  RedeemedCredential,
  ReversalResult,
  SwapResult,
  SwapReversal,
  TokenStore,
} from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'

class MapTokenStore implements TokenStore {
  readonly #grants = new Map<string, Grant>()
  readonly #used = new Map<string, number>()

  everything(): Grant[] {
    return [...this.#grants.values()]
  }

  async createGrant({ lifetime, endsAfter, deadline, ...grant }: NewGrant): Promise<CreateResult> {
    const now = Date.now()
    const taken = this.#grants.get(`${grant.tenantId} ${grant.grantId}`)
    if (taken) return { outcome: 'taken', grant: taken, now }
    if (now >= deadline) return { outcome: 'late', now }
    const endsAt = endsAfter && now + endsAfter
    const created: Grant = { ...grant, createdAt: now, expiresAt: Math.min(now + lifetime, endsAt ?? Infinity), endsAt }
    this.#grants.set(`${grant.tenantId} ${grant.grantId}`, created)
    return { outcome: 'created', grant: created, now }
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#grants.get(`${tenantId} ${grantId}`)
  }

  async swapCredential({ tenantId, grantId, from, to, attempt, ...swap }: CredentialSwap): Promise<SwapResult> {
    const now = Date.now()
    const grant = this.#grants.get(`${tenantId} ${grantId}`)
    if (!grant) return { outcome: 'missing', now }
    if (grant.credential?.hash !== from) return { outcome: 'mismatch', grant, now }
    if (swap.resource !== undefined && swap.resource !== grant.resource)
      return { outcome: 'wrong_resource', grant, now }
    const { redeemed: before, at = 0 } = grant.swap ?? {}
    if (before === 'refresh_token' && now >= at && now - at < swap.rest) return { outcome: 'fresh', grant, now }
    if (now >= swap.deadline) return { outcome: 'late', now }
    const kind: CredentialKind = 'refresh_token'
    const { request: _, ...kept } = grant
    const expiresAt = Math.min(now + swap.lifetime, grant.endsAt ?? Infinity)
    const isRecent = ({ at }: RedeemedCredential) => now - at <= swap.remember
    const redeemed: readonly RedeemedCredential[] = [
      ...swap.redeems.map((hash) => ({ mark: hash.slice(0, 8), at: now })),
      ...(grant.redeemed ?? []).filter(isRecent),
    ]
    const swapped: Grant = {
      ...kept,
      credential: { kind, hash: to },
      swap: { attempt, at: now, redeemed: grant.credential?.kind },
      redeemed: redeemed.slice(0, 16),
      expiresAt,
    }
    this.#grants.set(`${tenantId} ${grantId}`, swapped)
    return { outcome: 'swapped', grant: swapped, now }
  }

  async reverseSwap({ tenantId, grantId, to, attempts, credential, ...rest }: SwapReversal): Promise<ReversalResult> {
    const now = Date.now()
    const grant = this.#grants.get(`${tenantId} ${grantId}`)
    if (!grant) return { outcome: 'missing', now }
    const isTheirs = grant.swap !== undefined && attempts.includes(grant.swap.attempt)
    if (grant.credential?.hash !== to || !isTheirs) return { outcome: 'mismatch', now }
    if (now >= rest.deadline) return { outcome: 'late', now }
    const before = grant.redeemed?.slice(1)
    const swap = grant.swap && { ...grant.swap, at: before?.[0]?.at ?? grant.createdAt }
    const reversed: Grant = { ...grant, credential, swap, redeemed: before }
    const code = rest.code && {
      request: rest.code.request,
      swap: undefined,
      expiresAt: Math.min(grant.createdAt + rest.code.lifetime, grant.endsAt ?? Infinity),
    }
    this.#grants.set(`${tenantId} ${grantId}`, { ...reversed, ...code })
    return { outcome: 'reversed', now }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#grants.delete(`${tenantId} ${grantId}`)
  }

  async listGrants({ after = '', limit, ...owner }: GrantPageRequest): Promise<GrantPage> {
    const rest = [...this.#grants.values()]
      .filter((grant) => isOwned(grant, owner) && grant.grantId > after)
      .sort((one, other) => one.grantId.localeCompare(other.grantId))
    const grants = rest.slice(0, limit)
    return rest.length > limit ? { grants, next: grants.at(-1)?.grantId } : { grants }
  }

  async *deleteGrants({ all, ...owner }: GrantOwner): AsyncIterable<Grant> {
    for (const grant of this.#grants.values()) {
      if (isOwned(grant, owner) && (await this.deleteGrant(grant.tenantId, grant.grantId))) yield grant
    }
    if (all !== 'everything') return
    for (const key of this.#used.keys()) if (key.startsWith(`${owner.tenantId} `)) this.#used.delete(key)
  }

  async useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean> {
    const key = `${tenantId} ${id}`
    if ((this.#used.get(key) ?? 0) > Date.now()) return false
    this.#used.set(key, Date.now() + lifetime)
    return true
  }
}

function isOwned(grant: Grant, { tenantId, subject, clientId }: Omit<GrantPageRequest, 'limit'>): boolean {
  const isCustomers = subject === undefined || subject === grant.subject
  const isClients = clientId === undefined || clientId === grant.clientId
  return grant.tenantId === tenantId && isCustomers && isClients
}

tokenStoreContract({ describe, it }, () => new MapTokenStore())
tokenStoreContract({ describe, it }, async () => new MapTokenStore())
tokenStoreContract({ describe, it }, async () => new MapTokenStore(), { contents: (store) => store.everything() })

// @ts-expect-error A store must have every method.
export const partial: TokenStore = { deleteGrant: async () => true }

declare const grant: Grant
const now = Date.now()

// Each of the three results can be `late`, which has no grant.
export const late: Late & CreateResult & SwapResult & ReversalResult = { outcome: 'late', now }

// @ts-expect-error A swap that was applied returns the grant.
export const forgetful: SwapResult = { outcome: 'swapped', now }

// @ts-expect-error Every result has the store's time.
export const timeless: SwapResult = { outcome: 'swapped', grant }

// @ts-expect-error So has a result that found nothing.
export const nothing: SwapResult = { outcome: 'missing' }

// @ts-expect-error There is no such outcome.
export const other: SwapResult = { outcome: 'expired', now }

// @ts-expect-error When an id is taken, the result has the grant with that id.
export const taken: CreateResult = { outcome: 'taken', now }

// @ts-expect-error A grant begins with a code.
export const refreshed: NewGrant['credential'] = { kind: 'refresh_token', hash: '' }

// @ts-expect-error The test runner is a required argument.
tokenStoreContract(() => new MapTokenStore())
