import type { Client } from './tenant-store'

/** The two kinds of credential that redeem a grant: first its authorization code, then its newest refresh token. */
export type CredentialKind = 'code' | 'refresh_token'

/**
 * One customer's authorization of one client. Times are milliseconds since 1970, as `Date.now()` gives them.
 *
 * Nothing in here lets its reader redeem the grant: `grantId` and `credential.hash` are hashes.
 */
export interface Grant {
  tenantId: string
  grantId: string
  clientId: string
  /** The customer inside the tenant. */
  subject: string
  /** Space-separated. */
  scope: string
  /** The protected API that tokens of this grant are for, in its canonical form. */
  resource: string
  /** The host's own claims for the access tokens; plain JSON. */
  claims?: Record<string, unknown>
  createdAt: number
  /** From here on the grant counts as gone. */
  expiresAt: number
  /** The grant never lives longer than this, whatever is redeemed. */
  endsAt?: number
  /** What redeems the grant now, as a hash. */
  credential: { kind: CredentialKind; hash: string }
  /** The redirect URI and code challenge of the authorization request, until the code is redeemed. */
  request?: { redirectUri: string; codeChallenge: string }
  /** The swap that made the credential the live one; absent until the code is redeemed. */
  swap?: { attempt: string; at: number }
}

/** The one atomic step: makes `to` the live credential of a grant. */
export interface CredentialSwap {
  tenantId: string
  grantId: string
  /** The hash that must be live. */
  from: string
  /** The hash of the refresh token that becomes live. */
  to: string
  /** Names this redemption; the same swap sent twice carries the same attempt. */
  attempt: string
  /** The caller's time. The grant must not have expired by then, nor by the store's own clock if it has one. */
  now: number
  /** The grant's new expiry, unless its `endsAt` is earlier. */
  expiresAt: number
  /** The resource that the grant must have, where one is required. */
  resource?: string
}

/**
 * What came of a swap, with the grant as it is after it.
 *
 * - `swapped`: `to` is live.
 * - `mismatch`: another credential than `from` is live; nothing was written.
 * - `refused`: `from` is live, but the grant has another resource; nothing was written.
 * - `missing`: there is no such grant, or it has expired.
 */
export type SwapResult = { outcome: 'swapped' | 'mismatch' | 'refused'; grant: Grant } | { outcome: 'missing' }

/** A client that registered itself (RFC 7591). It expires when it is idle and without a live grant. */
export interface RegisteredClient extends Client {
  tenantId: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** Milliseconds since 1970. From here on the client counts as gone. */
  expiresAt: number
  /** Whether it has ever been kept: it has had a grant, and does not make room for others. */
  inUse?: boolean
}

/**
 * Everything this library writes: grants and registered clients, partitioned by tenant id.
 *
 * Whoever implements it runs `tokenStoreContract` from `customer-sign-in/testing`. A method that cannot do its work
 * rejects, and the client is answered with 503; it never guesses. Records that it hands out are the caller's to read, not
 * to change.
 */
export interface TokenStore {
  /** Stores a new grant until its `expiresAt`. Rejects when the id is taken. */
  createGrant(grant: Grant): Promise<void>

  findGrant(tenantId: string, grantId: string): Promise<Grant | undefined>

  /**
   * Swaps the live credential of a grant if it is still `from` and the conditions hold, atomically with every other call.
   *
   * A swap that is applied sets `credential` to `{ kind: 'refresh_token', hash: to }`, `swap` to the attempt and the later of
   * `now` and the store's own clock, `expiresAt` to the earlier of the swap's and the grant's `endsAt`, and drops `request`.
   */
  swapCredential(swap: CredentialSwap): Promise<SwapResult>

  /** @returns Whether there was such a grant. */
  deleteGrant(tenantId: string, grantId: string): Promise<boolean>

  /** All live grants of a customer, in any order. */
  listGrants(tenantId: string, subject: string): Promise<Grant[]>

  /** All live grants of a tenant, in any order; each at least once if it lives throughout. The cost grows with the whole store. */
  scanGrants(tenantId: string): AsyncIterable<Grant>

  /**
   * Stores a registered client until its `expiresAt`, over the one with its id if there is one. Where that makes more than `mostIdle`
   * of its tenant's that are not in use, the oldest of those are dropped.
   */
  saveClient(client: RegisteredClient, mostIdle: number): Promise<void>

  findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined>

  /**
   * Notes that a client is in use, and moves its expiry to `expiresAt` if that is later than its own. Does nothing if there is no such
   * client.
   */
  keepClient(tenantId: string, clientId: string, expiresAt: number): Promise<void>

  /** @returns Whether there was such a client. */
  deleteClient(tenantId: string, clientId: string): Promise<boolean>
}
