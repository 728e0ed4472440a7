// More than 300 lines: one contract, three quarters of it the words that authors of stores need.

import { digest } from '../protocol/digest'
import type { CredentialKind } from '../protocol/grant-types'

/**
 * One customer's authorization of one client. Times are milliseconds since 1970 by the store's clock.
 *
 * Whoever reads a grant cannot redeem it: `grantId` and `credential.hash` are hashes.
 */
export interface Grant {
  /** The `id` of the tenant, or `key:` and its `key` if it has none. A store keeps the records of different tenants apart by it. */
  tenantId: string
  /** The id of the grant in its tenant. Those of one customer begin with the same 12 characters, so that a store can keep them together. */
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
  /** The first 8 characters of a hash of the redirect URI to which the customer has agreed. Absent if that consent is not remembered. */
  consentTo?: string | undefined
  /** When the grant was created. */
  createdAt: number
  /** From this time on the grant does not exist. */
  expiresAt: number
  /** The latest time at which the grant can expire, whatever is redeemed. */
  endsAt?: number | undefined
  /** What redeems the grant now, as a hash. Absent if nothing does: the grant was made without a credential, and is never redeemed. */
  credential?: { kind: CredentialKind; hash: string } | undefined
  /** The redirect URI and code challenge of the authorization request, until the code is redeemed. */
  request?: { redirectUri: string; codeChallenge: string } | undefined
  /** The swap that made the credential live, and the kind of credential that it redeemed. Absent until the code is redeemed. */
  swap?: { attempt: string; at: number; redeemed: CredentialKind } | undefined
  /** The credentials that were redeemed last, newest first. */
  redeemed?: readonly RedeemedCredential[] | undefined
}

/** How many characters of a hash identify a credential among those that a grant remembers. */
export const markLength = 8

/** The most redeemed credentials that a grant remembers. */
export const maxRedeemed = 16

/** A credential that was redeemed recently. */
export interface RedeemedCredential {
  /** The first 8 characters of its hash. */
  mark: string
  /** When it was redeemed, in milliseconds since 1970 by the store's clock. */
  at: number
}

/** A grant to create. Its lifetime counts from the store's own time. */
export interface NewGrant
  extends Omit<Grant, 'createdAt' | 'expiresAt' | 'endsAt' | 'swap' | 'redeemed' | 'credential'> {
  /** The authorization code that redeems the grant, as a hash. Absent, with `request`, if nothing redeems it. */
  credential?: { kind: 'code'; hash: string } | undefined
  /**
   * When the customer's sign-in was asserted, in milliseconds since 1970 by the store's clock, for a grant that rests on an assertion. The
   * grant must not be created if its customer, client or tenant was ended at that time or later. It is not part of the grant.
   */
  assertedAt?: number | undefined
  /** Milliseconds until it expires. */
  lifetime: number
  /** Milliseconds after which it ends, whatever is redeemed. */
  endsAfter?: number | undefined
  /** From this time of the store on, the grant must not be created. */
  deadline: number
}

/**
 * The result of creating a grant. `now` is the time of the store.
 *
 * - `created`: the grant is stored.
 * - `taken`: another grant has this id. The result has that grant, unchanged.
 * - `ended`: `deleteGrants` was called for its customer, its client, both together or its tenant at `assertedAt` or later. No grant is left.
 * - `late`: the deadline has passed. Nothing was written.
 *
 * If several of these are true, the outcome is the first in this order: `taken`, `ended`, `late`.
 */
export type CreateResult =
  | { outcome: 'created' | 'taken'; grant: Grant; now: number }
  | { outcome: 'ended'; now: number }
  | Late

/** The deadline of a call has passed by the store's clock, so the store wrote nothing. */
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
  /** The hash of the refresh token that becomes live. It is `from` if the grant is to have another attempt, and nothing else. */
  to: string
  /** Identifies this redemption: a swap that is sent twice has the same attempt. */
  attempt: string
  /** The hashes of the credentials that this redeems, newest first: `from`, and others if the store had lost writes. None if `to` is `from`. */
  redeems: readonly string[]
  /** How many milliseconds the grant remembers a redeemed credential. */
  remember: number
  /** How many milliseconds a refresh token that replaced another one is not swapped again. */
  rest: number
  /** Milliseconds until the grant expires, unless its `endsAt` is earlier. */
  lifetime: number
  /** The resource that the grant must have, if one is required. */
  resource?: string | undefined
  /** From this time of the store on, the swap must not be applied. */
  deadline: number
}

/**
 * The result of a swap, with the grant as it is afterwards. `now` is the time of the store. Only `swapped` has written something.
 *
 * - `swapped`: `to` is live.
 * - `mismatch`: a credential other than `from` is live, or the grant has none.
 * - `wrong_resource`: `from` is live, but the grant has another resource.
 * - `fresh`: `from` became live less than `rest` ago, by a swap that redeemed a refresh token.
 * - `missing`: there is no such grant, or it has expired.
 * - `late`: the deadline has passed.
 *
 * If several of these are true, the outcome is the first in this order: `missing`, `mismatch`, `wrong_resource`, `fresh`, `late`.
 */
export type SwapResult =
  | { outcome: 'swapped' | 'mismatch' | 'wrong_resource' | 'fresh'; grant: Grant; now: number }
  | { outcome: 'missing'; now: number }
  | Late

/** Reverses a swap whose result no client has received: makes the credential that it redeemed live again. */
export type SwapReversal = ReversedCredential & {
  tenantId: string
  grantId: string
  /** The hash that the swap made live. */
  to: string
  /** The attempts of the swap, one of which made it live. */
  attempts: readonly string[]
  /** From this time of the store on, the swap must not be reversed. */
  deadline: number
}

/** The credential that becomes live again. */
export type ReversedCredential =
  | { credential: { kind: 'refresh_token'; hash: string }; code?: undefined }
  | { credential: { kind: 'code'; hash: string }; code: ReversedCode }

/** What the swap of a code has removed, to be restored. */
export interface ReversedCode {
  /** The redirect URI and code challenge of the authorization request. */
  request: NonNullable<Grant['request']>
  /** Milliseconds from the creation of the grant until it expires. */
  lifetime: number
}

/**
 * The result of reversing a swap. `now` is the time of the store. Only `reversed` has written something.
 *
 * - `reversed`: the credential that the swap redeemed is live again.
 * - `mismatch`: the live credential is not, or no longer, the one that the attempts have made live.
 * - `missing`: there is no such grant, or it has expired.
 * - `late`: the deadline has passed.
 *
 * If several of these are true, the outcome is the first in this order: `missing`, `mismatch`, `late`.
 */
export type ReversalResult = {
  /** What the store did. */
  outcome: 'reversed' | 'mismatch' | 'missing' | 'late'
  /** The time of the store, in milliseconds since 1970. */
  now: number
}

/**
 * Whose grants to delete: those of a customer, of a client, of that customer and that client, or all of the tenant. These must be named by
 * `all`, so that nobody ends them by leaving something out. With `all: 'everything'`, the tenant's used ids are deleted as well.
 */
export type GrantOwner = { tenantId: string } & (
  | { subject: string; clientId?: string | undefined; all?: undefined }
  | { subject?: undefined; clientId: string; all?: undefined }
  | { subject?: undefined; clientId?: undefined; all: 'grants' | 'everything' }
)

/** Which grants to list: all of a tenant, those of a customer, of a client, or of that customer and that client. */
export interface GrantPageRequest {
  /** The tenant. */
  tenantId: string
  /** The customer, if only their grants are meant. */
  subject?: string | undefined
  /** The client, if only its grants are meant. */
  clientId?: string | undefined
  /** The `next` of the page before. It is no secret, and may also be a text that no page has had. */
  after?: string | undefined
  /** The most grants of the page. */
  limit: number
}

/** The hash of what redeems a grant. It is empty, as no hash is, if nothing does. */
export function liveHash({ credential }: Pick<Grant, 'credential'>): string {
  return credential?.hash ?? ''
}

/** Whether a grant is one of the tenant, and of the customer and the client if these are named. */
export function isOwned(grant: Grant, { tenantId, subject, clientId }: Omit<GrantPageRequest, 'limit'>): boolean {
  return (
    grant.tenantId === tenantId &&
    grant.subject === (subject ?? grant.subject) &&
    grant.clientId === (clientId ?? grant.clientId)
  )
}

/** How long a store remembers that an owner's grants were deleted, in milliseconds: one hour and one minute. */
export const endMarkLifetime = 3_660_000

/** What a store calls the mark of an owner whose grants were deleted. It is a hash, so the mark names nobody. */
export function endMark({ tenantId, subject, clientId }: Omit<GrantPageRequest, 'limit'>): string {
  return digest('ended', tenantId, JSON.stringify([subject, clientId]))
}

/** The mark of an owner. @throws {TypeError} if a host without types names nobody: a whole company's grants would end. */
export function endMarkOf(owner: GrantOwner): string {
  if (owner.subject !== undefined || owner.clientId !== undefined || owner.all) return endMark(owner)
  throw new TypeError('deleteGrants must be told whose grants to delete')
}

/** The marks that concern a grant: those of its tenant, its customer, its client, and both together. */
export function endMarks({ tenantId, subject, clientId }: Pick<Grant, 'tenantId' | 'subject' | 'clientId'>): string[] {
  return [{}, { subject }, { clientId }, { subject, clientId }].map((owner) => endMark({ tenantId, ...owner }))
}

/** A page of grants. */
export interface GrantPage {
  /** Each grant at most once. They can be fewer than the limit, even none, although there are more pages. */
  grants: Grant[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/**
 * Everything this library writes: grants, and ids that can be used once, partitioned by tenant id.
 *
 * **The store is the only clock**: every time in a record, and every `now` in a result, is read from the store's clock. All processes see
 * the same clock. A store without a clock of its own, such as one in memory, uses that of its process.
 *
 * If you implement a store, test it with `tokenStoreContract` from `customer-sign-in/testing`. A method that cannot do its work must
 * reject, never guess: the client is then answered with 503. The caller does not change the records that a store returns.
 */
export interface TokenStore {
  /**
   * Stores a new grant, unless another grant has its id. `createdAt` is the store's time, and the other times follow from it. The id of a
   * grant that has expired is free.
   */
  createGrant(grant: NewGrant): Promise<CreateResult>

  /** @returns The grant, or undefined if there is none or it has expired. */
  findGrant(tenantId: string, grantId: string): Promise<Grant | undefined>

  /**
   * Swaps the live credential of a grant if it is still `from` and the other conditions are met, atomically with every other call.
   *
   * A swap that is applied changes the grant:
   *
   * - `credential` becomes `{ kind: 'refresh_token', hash: to }`.
   * - `swap` becomes the attempt, the store's time, and the kind of credential that was live. If the store's clock has gone back, the time is
   *   that of the swap before.
   * - `expiresAt` becomes the store's time plus `lifetime`, or the grant's `endsAt` if that is earlier.
   * - `redeemed` begins with what this swap redeems. Of the others it keeps those that are not older than `remember`, up to 16 in all.
   * - `request` is removed.
   */
  swapCredential(swap: CredentialSwap): Promise<SwapResult>

  /**
   * Reverses a swap if one of its attempts has made the live credential live, atomically with every other call.
   *
   * A reversal that is applied changes the grant: `credential` and `request` become what the reversal says, the newest of `redeemed` is
   * removed, and `swap.at` becomes the time of the next one, or of the grant's creation. The reversal of a code's swap also removes `swap`,
   * and makes `expiresAt` what it was before.
   *
   * A `mismatch` is final: if the swap is still being committed, the store waits for it first.
   */
  reverseSwap(reversal: SwapReversal): Promise<ReversalResult>

  /**
   * Deletes a grant.
   *
   * @returns Whether there was such a grant that had not expired.
   */
  deleteGrant(tenantId: string, grantId: string): Promise<boolean>

  /**
   * Gives a page of the live grants of a tenant, a customer or a client, in an order of the store's own.
   *
   * The pages from the first to the last have every grant that was there all that time, whatever was created or deleted meanwhile. It may go
   * through the whole store if no customer is named. Each sign-in lists the grants of its customer.
   */
  listGrants(of: GrantPageRequest): Promise<GrantPage>

  /**
   * Deletes all grants of an owner, also those that have expired, and yields each live one that it has deleted. Before it deletes any, it
   * leaves a mark of the owner, which names nobody, with the store's time, and keeps it for an hour and a minute: `createGrant` looks for it.
   * With `all: 'everything'`, it deletes the tenant's used ids too. The tenant store may no longer know the tenant.
   *
   * When it is done, everything of the owner that existed when it began is gone. If it cannot be sure of that, it throws. If it cannot read a
   * grant, it deletes the others and throws, except that a tenant's grants are deleted unread. After a call that was cut off, the next one
   * deletes what is left.
   */
  deleteGrants(owner: GrantOwner): AsyncIterable<Grant>

  /**
   * Notes that an id is used, and forgets that after `lifetime` milliseconds. Of any number of calls with one id in that time, in any number
   * of processes, exactly one resolves to true. Ids of different tenants are different. It is called for each consent page on which a customer
   * presses Allow, and for clients that authenticate with a key, whose assertions may be used once (RFC 7523 section 3).
   *
   * @param id 43 characters of `A-Z a-z 0-9 _ -`.
   * @returns Whether this call was the first.
   */
  useOnce(tenantId: string, id: string, lifetime: number): Promise<boolean>
}

const methods = {
  createGrant: null,
  findGrant: null,
  swapCredential: null,
  reverseSwap: null,
  deleteGrant: null,
  listGrants: null,
  deleteGrants: null,
  useOnce: null,
} satisfies Record<keyof TokenStore, null>

/** The names of all methods of a {@link TokenStore}. */
export const tokenStoreMethods = Object.keys(methods) as (keyof TokenStore)[]

const noHash = '-'.repeat(43)

/** A swap that no store applies: no credential has this hash, and its deadline has passed. */
export const noSwap: Omit<CredentialSwap, 'tenantId' | 'grantId'> = {
  from: noHash,
  to: noHash,
  attempt: noHash,
  redeems: [],
  remember: 0,
  rest: 0,
  lifetime: 0,
  deadline: 0,
}
