import type { CredentialKind } from '../protocol/grant-types'
import type { ClientMetadata } from './tenant-store'

/**
 * One customer's authorization of one client. Times are milliseconds since 1970 by the store's clock.
 *
 * Nothing in here lets its reader redeem the grant: `grantId` and `credential.hash` are hashes.
 */
export interface Grant {
  /** The `id` of the tenant (`key:` and its `key` where it has none). A store keeps the records of different tenants apart by it. */
  tenantId: string
  /**
   * The id of the grant inside its tenant. The first 12 characters are the same for all grants of one customer, so that a store can keep
   * those together.
   */
  grantId: string
  /** The client that the customer has authorized. */
  clientId: string
  /** The customer inside the tenant. */
  subject: string
  /** What the customer has granted: scope tokens, in this order. */
  scopes: string[]
  /** The protected API that tokens of this grant are for, in its canonical form. */
  resource: string
  /** The host's own claims for the access tokens; plain JSON. */
  claims?: Record<string, unknown> | undefined
  /** When the grant was created. */
  createdAt: number
  /** From here on the grant counts as gone. */
  expiresAt: number
  /** The grant never lives longer than this, whatever is redeemed. */
  endsAt?: number | undefined
  /** What redeems the grant now, as a hash. */
  credential: { kind: CredentialKind; hash: string }
  /** The redirect URI and code challenge of the authorization request, until the code is redeemed. */
  request?: { redirectUri: string; codeChallenge: string } | undefined
  /** The swap that made the credential the live one, and what it redeemed; absent until the code is redeemed. */
  swap?: { attempt: string; at: number; redeemed: CredentialKind } | undefined
  /** The credentials that were redeemed last, the newest first. */
  redeemed?: readonly RedeemedCredential[] | undefined
}

/** How much of a hash is enough to tell a credential among those that a grant remembers. */
export const markLength = 8

/** How many redeemed credentials a grant remembers at the most. */
export const maxRedeemed = 16

/** A credential that was redeemed lately, and when. */
export interface RedeemedCredential {
  /** The first 8 characters of its hash. */
  mark: string
  /** When it was redeemed, in milliseconds since 1970 by the store's clock. */
  at: number
}

/** A grant as it is created: how long it lives is counted from the store's own time. */
export interface NewGrant
  extends Omit<Grant, 'createdAt' | 'expiresAt' | 'endsAt' | 'swap' | 'redeemed' | 'credential' | 'request'> {
  /** The authorization code that redeems the grant, as a hash. */
  credential: { kind: 'code'; hash: string }
  /** The redirect URI and code challenge of the authorization request. */
  request: { redirectUri: string; codeChallenge: string }
  /** Milliseconds until it expires. */
  lifetime: number
  /** Milliseconds after which it ends, whatever is redeemed. */
  endsAfter?: number | undefined
  /** The time of the store from which on the grant must not be created any more. */
  deadline: number
}

/**
 * What came of creating a grant. `now` is the time of the store.
 *
 * - `created`: it is stored.
 * - `taken`: there is a grant with this id, which is given as it is.
 * - `late`: the deadline has passed; nothing was written.
 */
export type CreateResult = { outcome: 'created' | 'taken'; grant: Grant; now: number } | Late

/** The deadline of a call has passed by the store's clock, so it wrote nothing. */
export interface Late {
  outcome: 'late'
  /** The time of the store, in milliseconds since 1970. */
  now: number
}

/** The one atomic step: makes `to` the live credential of a grant. */
export interface CredentialSwap {
  /** The tenant of the grant. */
  tenantId: string
  /** The grant whose credential is swapped. */
  grantId: string
  /** The hash that must be live. */
  from: string
  /** The hash of the refresh token that becomes live. */
  to: string
  /** Names this redemption; the same swap sent twice carries the same attempt. */
  attempt: string
  /** The hashes of the credentials that this redeems, the newest first: `from`, and others where the store had lost writes. */
  redeems: readonly string[]
  /** For how many milliseconds the grant remembers a redeemed credential. */
  remember: number
  /** For how many milliseconds a refresh token that came of another one is not swapped again. */
  rest: number
  /** Milliseconds until the grant expires, unless its `endsAt` is earlier. */
  lifetime: number
  /** The resource that the grant must have, where one is required. */
  resource?: string | undefined
  /** The time of the store from which on the swap must not be applied any more. */
  deadline: number
}

/**
 * What came of a swap, with the grant as it is after it. `now` is the time of the store.
 *
 * - `swapped`: `to` is live.
 * - `mismatch`: another credential than `from` is live; nothing was written.
 * - `wrong_resource`: `from` is live, but the grant has another resource; nothing was written.
 * - `fresh`: `from` is live since less than `rest`, by a swap that redeemed a refresh token; nothing was written.
 * - `missing`: there is no such grant, or it has expired.
 * - `late`: the deadline has passed; nothing was written.
 *
 * Where several hold, the outcome is the first in this order: `missing`, `mismatch`, `wrong_resource`, `fresh`, `late`.
 */
export type SwapResult =
  | { outcome: 'swapped' | 'mismatch' | 'wrong_resource' | 'fresh'; grant: Grant; now: number }
  | { outcome: 'missing'; now: number }
  | Late

/** Takes a swap back that was answered to nobody: makes the credential that it redeemed the live one again. */
export type SwapReversal = ReversedCredential & {
  tenantId: string
  grantId: string
  /** The hash that the swap made live. */
  to: string
  /** The attempts that may have made it so. */
  attempts: readonly string[]
  /** The time of the store from which on it must not be taken back any more. */
  deadline: number
}

/** The credential that becomes the live one again. */
export type ReversedCredential =
  | { credential: { kind: 'refresh_token'; hash: string }; code?: undefined }
  | { credential: { kind: 'code'; hash: string }; code: ReversedCode }

/** What the swap of a code dropped, to be put back. */
export interface ReversedCode {
  /** The redirect URI and code challenge of the authorization request. */
  request: NonNullable<Grant['request']>
  /** For how many milliseconds from its creation the grant then lives. */
  lifetime: number
}

/**
 * What came of taking a swap back. `now` is the time of the store.
 *
 * - `reversed`: the credential that it redeemed is live again.
 * - `mismatch`: the live credential is not the work of one of the attempts (any more); nothing was written.
 * - `missing`: there is no such grant, or it has expired.
 * - `late`: the deadline has passed; nothing was written.
 *
 * Where several hold, the outcome is the first in this order: `missing`, `mismatch`, `late`.
 */
export type ReversalResult = {
  /** What came of it. */
  outcome: 'reversed' | 'mismatch' | 'missing' | 'late'
  /** The time of the store, in milliseconds since 1970. */
  now: number
}

/** Whose grants to end: a customer's, a client's, or those of one customer and one client. */
export type GrantOwner = { tenantId: string } & (
  | { subject: string; clientId?: string | undefined }
  | { subject?: undefined; clientId: string }
)

/**
 * A client that registered itself (RFC 7591). Times are milliseconds since 1970 by the store's clock.
 *
 * It expires when it is idle and without a live grant.
 */
export interface RegisteredClient extends ClientMetadata {
  /** What the client sends as `client_id`. */
  clientId: string
  /** The `id` of the tenant that it registered at (`key:` and the tenant's `key` where it has none). */
  tenantId: string
  /** When it registered. */
  createdAt: number
  /** From here on the client counts as gone. */
  expiresAt: number
  /** Whether it has ever redeemed a code, so that a customer has connected it. One that is in use never makes room for others. */
  inUse?: boolean | undefined
}

/** A client as it registers: how long it lives unused is counted from the store's own time. */
export interface NewClient extends Omit<RegisteredClient, 'createdAt' | 'expiresAt' | 'inUse'> {
  /** Milliseconds until it expires. */
  lifetime: number
}

/** How many registered clients that are not in use a store holds at the most. */
export interface RegistrationLimits {
  /** Of one tenant. */
  perTenant: number
  /** Of all tenants together. */
  total: number
}

/** What a client was used for just now, as {@link TokenStore.touchClient} is told. */
export interface ClientUse {
  /** The milliseconds that it lives at least from now on. */
  lifetime: number
  /** True once it has redeemed a code, false where a customer is being asked or has just allowed it. */
  inUse: boolean
}

/**
 * Everything this library writes: grants and registered clients, partitioned by tenant id.
 *
 * **The store is the one clock**: every time in a record is a reading of the store's clock, and so is every `now` that
 * it answers with. All processes see the same clock. A store that has none of its own, such as one in memory, takes its
 * process's.
 *
 * Whoever implements it runs `tokenStoreContract` from `customer-sign-in/testing`. A method that cannot do its work
 * rejects, and the client is answered with 503; it never guesses. Records that it hands out are the caller's to read, not
 * to change.
 */
export interface TokenStore {
  /**
   * Stores a new grant, unless its id is taken: `createdAt` is the store's time, the rest follows from it. An id whose grant has expired is
   * free. Where an id is taken and the deadline has passed, the outcome is `taken`.
   */
  createGrant(grant: NewGrant): Promise<CreateResult>

  /** @returns The grant as it is now; undefined when there is none or it has expired. */
  findGrant(tenantId: string, grantId: string): Promise<Grant | undefined>

  /**
   * Swaps the live credential of a grant if it is still `from` and the conditions hold, atomically with every other call.
   *
   * A swap that is applied sets `credential` to `{ kind: 'refresh_token', hash: to }`, `swap` to the attempt, the store's time and the
   * kind of credential that was live,
   * `expiresAt` to the earlier of that time plus `lifetime` and the grant's `endsAt`, and drops `request`. It puts what it redeems
   * in front of `redeemed`, and keeps of the others those that are no older than `remember`, up to 16 in all. Where the store's clock has
   * gone back, the swap is as old as the one before it.
   */
  swapCredential(swap: CredentialSwap): Promise<SwapResult>

  /**
   * Takes a swap back if the live credential is still the work of one of the attempts, atomically with every other call: `credential` and
   * `request` become what the reversal says, the newest of `redeemed` goes, and `swap.at` is the time of the next one, or of the
   * grant's creation. Of a code, `swap` goes, and `expiresAt` is again what it was.
   *
   * That it finds a mismatch is final: it waits for a swap that is still being committed.
   */
  reverseSwap(reversal: SwapReversal): Promise<ReversalResult>

  /**
   * Ends a grant.
   *
   * @returns Whether there was such a grant. One that has expired does not count.
   */
  deleteGrant(tenantId: string, grantId: string): Promise<boolean>

  /** @returns All live grants of a customer, in any order. */
  listGrants(tenantId: string, subject: string): Promise<Grant[]>

  /**
   * Ends all grants of a customer, of a client, or of that customer and that client, and gives each as it ends it.
   *
   * Once it is through, every such grant that was there when it began has ended. Where it cannot know that, or cannot read a grant,
   * it ends the others and throws.
   */
  deleteGrants(owner: GrantOwner): AsyncIterable<Grant>

  /**
   * Stores a registered client, over the one with its id if there is one, and makes room for it among those that are not in use: where
   * its tenant has more than `perTenant`, the oldest of that tenant go. Where there are more than `total`, the oldest of whichever tenant
   * has the most go, again and again. Never the one that is being stored, and never for the sake of one that is deleted or expired.
   *
   * @returns The client as it is stored. `createdAt` is the store's time.
   */
  saveClient(client: NewClient, limits: RegistrationLimits): Promise<RegisteredClient>

  /** @returns The registered client as it is now; undefined when there is none or it has expired. */
  findClient(tenantId: string, clientId: string): Promise<RegisteredClient | undefined>

  /**
   * Moves a client's expiry to `lifetime` from now if that is later than its own. With `inUse` it is in use from then on, and makes no
   * room any more. Without, one that is not in use yet is the last to make room, as if it had just been stored. Does nothing if there is
   * no such client.
   */
  touchClient(tenantId: string, clientId: string, use: ClientUse): Promise<void>

  /**
   * Deletes a registered client.
   *
   * @returns Whether there was such a client.
   */
  deleteClient(tenantId: string, clientId: string): Promise<boolean>
}
