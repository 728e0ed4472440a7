// An adapter of someone else's, written from the public types alone.
import type { CredentialKind, CredentialSwap, Grant, RegisteredClient, SwapResult, TokenStore } from 'customer-sign-in'
import { tokenStoreContract } from 'customer-sign-in/testing'

class MapTokenStore implements TokenStore {
  readonly #grants = new Map<string, Grant>()
  readonly #clients = new Map<string, RegisteredClient>()

  async createGrant(grant: Grant): Promise<void> {
    this.#grants.set(`${grant.tenantId} ${grant.grantId}`, grant)
  }

  async findGrant(tenantId: string, grantId: string): Promise<Grant | undefined> {
    return this.#grants.get(`${tenantId} ${grantId}`)
  }

  async swapCredential({ tenantId, grantId, from, to, attempt, now, ...swap }: CredentialSwap): Promise<SwapResult> {
    const grant = this.#grants.get(`${tenantId} ${grantId}`)
    if (!grant) return { outcome: 'missing' }
    if (grant.credential.hash !== from) return { outcome: 'mismatch', grant }
    if (swap.resource !== undefined && swap.resource !== grant.resource) return { outcome: 'refused', grant }
    const kind: CredentialKind = 'refresh_token'
    const { request: _, ...kept } = grant
    const expiresAt = Math.min(swap.expiresAt, grant.endsAt ?? swap.expiresAt)
    const swapped: Grant = { ...kept, credential: { kind, hash: to }, swap: { attempt, at: now }, expiresAt }
    await this.createGrant(swapped)
    return { outcome: 'swapped', grant: swapped }
  }

  async deleteGrant(tenantId: string, grantId: string): Promise<boolean> {
    return this.#grants.delete(`${tenantId} ${grantId}`)
  }

  async listGrants(tenantId: string, subject: string): Promise<Grant[]> {
    return [...this.#grants.values()].filter((grant) => grant.tenantId === tenantId && grant.subject === subject)
  }

  async *scanGrants(tenantId: string): AsyncIterable<Grant> {
    for (const grant of this.#grants.values()) if (grant.tenantId === tenantId) yield grant
  }

  async saveClient(client: RegisteredClient, mostIdle: number): Promise<void> {
    if (this.#clients.size < mostIdle) this.#clients.set(`${client.tenantId} ${client.clientId}`, client)
  }

  async findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined> {
    return this.#clients.get(`${tenantId} ${clientId}`)
  }

  async keepClient(tenantId: string, clientId: string, expiresAt: number): Promise<void> {
    const client = await this.findClient(tenantId, clientId)
    if (client) this.#clients.set(`${tenantId} ${clientId}`, { ...client, inUse: true, expiresAt })
  }

  async deleteClient(tenantId: string, clientId: string): Promise<boolean> {
    return this.#clients.delete(`${tenantId} ${clientId}`)
  }
}

tokenStoreContract({ describe, it }, () => new MapTokenStore())
tokenStoreContract({ describe, it }, async () => new MapTokenStore())

// @ts-expect-error A store must do all of it.
export const partial: TokenStore = { createGrant: async () => {} }

// @ts-expect-error A swap that was applied hands out the grant.
export const forgetful: SwapResult = { outcome: 'swapped' }

// @ts-expect-error There are three ways to be refused.
export const other: SwapResult = { outcome: 'expired' }

// @ts-expect-error A test runner is injected.
tokenStoreContract(() => new MapTokenStore())
