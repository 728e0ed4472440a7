import type { Registrations } from '../clients/registrations'
import { flag, identifier, optional, record, requirements, text, wholeNumber } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Grant } from '../contract/token-store'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import { languageTag } from '../pages/languages'
import { customerHandle } from '../protocol/customer-handle'
import { issuerOfGrant } from '../protocol/trusted-issuer-claim'
import type { Tenants } from '../tenants/tenants'
import type { ConnectedGrant, ConnectedGrants } from './connected-grants'
import { actor, type NamedTenant, namedTenant, type TenantSelector, tenantMembers } from './tenant-data'

/** Which page of a list to give. */
export interface PageRequest {
  /** The `next` of the page before. */
  after?: string | undefined
  /** The most grants of a page, 1 to 1000. Default 100. */
  limit?: number | undefined
}

/** A page of a list. */
export interface GrantsPage<G> {
  /** The grants of this page, in no particular order. They can be fewer than the limit, even none, although there is a next page. */
  grants: G[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/**
 * Which grants to list: those of a customer, or with `anyCustomer: true` those of all customers of the tenant. One of them is required, so that
 * no customer sees the grants of others by mistake.
 */
export type GrantsRequest = TenantSelector &
  PageRequest &
  ({ subject: string; anyCustomer?: never } | { anyCustomer: true; subject?: never }) & {
    /** Only the grants of this client. */
    clientId?: string | undefined
    /**
     * The language of what is in words, the scopes above all: a tag, such as `de` (RFC 5646). A scope without words in it has those of the option
     * `locale`, or else English ones. Default: the tenant's `locale`, or else the option.
     */
    language?: string | undefined
  }

/** Whose grants to end: those of a customer, of a client, or of one customer and one client. */
export type GrantSelector = TenantSelector &
  (
    | { subject: string; clientId?: never }
    | { clientId: string; subject?: never }
    | { subject: string; clientId: string }
  )

/** Everything that the store has about a customer's grant, except for its hashes. Times are milliseconds since 1970. */
export interface ExportedGrant {
  /** The grant. The first 12 characters are the same for all grants of one customer. */
  grantId: string
  /** The client that the customer has authorized. */
  clientId: string
  /** Its name, if it registered itself or is in the tenant's record. Unverified: the client has chosen it itself. */
  clientName?: string | undefined
  /** What the customer has granted. */
  scopes: string[]
  /** The protected API that its tokens are for. */
  resource: string
  /** The company's trusted issuer that has vouched for the customer. Absent if the customer agreed. */
  issuer?: string | undefined
  /** The host's own claims for the access tokens. */
  claims?: Record<string, unknown> | undefined
  /** When the customer agreed. */
  createdAt: number
  /** When its code or a refresh token was last redeemed. Absent until the code is redeemed. */
  lastUsedAt?: number | undefined
  /** The last times at which its code and its refresh tokens were redeemed, newest first: up to 16, as far as the store remembers them. */
  usedAt: number[]
  /** When it ends unless it is used again. */
  expiresAt: number
  /** When it ends at the latest. */
  endsAt?: number | undefined
  /** Where the browser was sent with the code. Absent once the code is redeemed. */
  redirectUri?: string | undefined
}

/**
 * What a host can ask about its customers' grants and do to them. Each method rejects with `not_found` for an unknown `tenantKey`, and with a
 * `ConfigurationError` for a member that is unknown, missing or empty. With `tenantId`, each works for a tenant that is switched off, too.
 */
export interface CustomerGrants {
  /**
   * Lists what customers have connected, page by page, with what a "Connected apps" page shows of each: a grant for each sign-in. A sign-in
   * whose code is not redeemed yet is not among them. On Redis, each page with `anyCustomer` goes through the whole store
   * (docs/operations-redis.md).
   *
   * The pages have every grant that was there from the first page to the last, and no page has a grant twice.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails, or cannot read one of the grants. A metadata document that cannot be
   * fetched within a second is no error.
   *
   * @example
   * const { grants } = await signIn.grants.list({ tenantKey: 'acme', subject: customer.id, language: 'de' })
   *
   * @example
   * let after: string | undefined
   * do {
   *   const page = await signIn.grants.list({ tenantKey: 'acme', anyCustomer: true, clientId, after })
   *   for (const { subject, connectedAt } of page.grants) console.log(subject, new Date(connectedAt))
   *   after = page.next
   * } while (after !== undefined)
   */
  list(of: GrantsRequest): Promise<GrantsPage<ConnectedGrant>>
  /**
   * Exports everything that the store has about a customer, page by page, as plain JSON without hashes and other secrets. A grant that is
   * created or ends between two pages may be left out, and no grant is exported twice.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails, or cannot read one of the customer's grants.
   *
   * @example
   * let after: string | undefined
   * do {
   *   const page = await signIn.grants.export({ tenantKey: 'acme', subject: customer.id, after })
   *   archive.add(page.grants)
   *   after = page.next
   * } while (after !== undefined)
   */
  export(of: TenantSelector & PageRequest & { subject: string }): Promise<GrantsPage<ExportedGrant>>
  /**
   * Ends one grant of a customer: its refresh token is refused from then on, and its access tokens wherever revocation is checked.
   *
   * @param which.subject Whose grant it must be: nothing is done to that of another customer.
   * @param which.actor Who makes the call, for its event: 1 to 200 characters (docs/administration.md).
   * @returns Whether the customer had such a grant.
   *
   * @example
   * await signIn.grants.revoke({ tenantKey: 'acme', subject: customer.id, grantId: req.body.grantId })
   */
  revoke(which: TenantSelector & { subject: string; grantId: string; actor?: string | undefined }): Promise<boolean>
  /**
   * Ends all grants of a customer, which signs the customer out everywhere; or the customer's grants of one client; or every customer's
   * grants of a client. On Redis, the last of these goes through the whole store (docs/operations-redis.md).
   *
   * When it resolves, every such grant that existed when it was called has ended. Without a `clientId`, nothing about the customer is left in
   * the store, not even about grants that had expired (docs/administration.md#erasing-a-customer). If it rejects, or the process ends in the middle,
   * some may be left: call it again until it resolves.
   *
   * @param of.actor Who makes the call, for its events: 1 to 200 characters (docs/administration.md).
   * @returns How many this call has ended.
   *
   * @example
   * await signIn.grants.revokeAll({ tenantKey: 'acme', subject: customer.id })
   */
  revokeAll(of: GrantSelector & { actor?: string | undefined }): Promise<number>
}

const pageMembers = { after: optional(text), limit: optional(wholeNumber(1, 1000), 100) }

const someGrants = record({
  ...tenantMembers,
  ...pageMembers,
  subject: optional(identifier),
  anyCustomer: optional(flag, false),
  clientId: optional(text),
  language: optional(languageTag),
})
const ofCustomer = record({ ...tenantMembers, ...pageMembers, subject: identifier })
const oneGrant = record({ ...tenantMembers, subject: identifier, grantId: text, actor: optional(actor) })
const owned = requirements({
  ...tenantMembers,
  subject: optional(identifier),
  clientId: optional(text),
  actor: optional(actor),
})

export function customerGrants(
  tenants: Tenants,
  grants: Grants,
  store: GuardedStore,
  connected: ConnectedGrants,
  registrations: Registrations,
): CustomerGrants {
  return {
    async list(of) {
      const { subject, anyCustomer, clientId, after, limit, language, ...named } = someGrants(of, 'grants.list')
      if ((subject !== undefined) === anyCustomer) throw notOneOwner('grants.list', 'a subject or anyCustomer: true')
      const tenant = await namedTenant(named, tenants, 'grants.list')
      const { grants: found, next } = await store.listGrants({ tenantId: tenant.id, subject, clientId, after, limit })
      return { grants: await connected(found, tenant, language), ...(next !== undefined && { next }) }
    },

    async export(of) {
      const { subject, after, limit, ...named } = ofCustomer(of, 'grants.export')
      const tenant = await namedTenant(named, tenants, 'grants.export')
      const { grants: found, next } = await store.listGrants({ tenantId: tenant.id, subject, after, limit })
      return { grants: exportedGrants(found, tenant, registrations), ...(next !== undefined && { next }) }
    },

    async revoke(which) {
      const { grantId, subject, actor, ...named } = oneGrant(which, 'grants.revoke')
      const { id: tenantId } = await namedTenant(named, tenants, 'grants.revoke')
      // The id says whose it is, also where the store does not find the grant because a replica lags.
      if (!grantId.startsWith(customerHandle(tenantId, subject))) return false
      const grant = await store.findGrant(tenantId, grantId)
      if (grant && grant.subject !== subject) return false
      return grants.endNamed({ tenantId, grantId, grant }, named.tenantKey, 'host', actor)
    },

    async revokeAll(of) {
      const { actor, subject, clientId, ...named } = owned(of, 'grants.revokeAll')
      const owner = checkedOwner(subject, clientId)
      const { id: tenantId } = await namedTenant(named, tenants, 'grants.revokeAll')
      const about = { tenantKey: named.tenantKey, tenantId, ...owner }
      return grants.endEach(store.deleteGrants({ tenantId, ...owner }), 'grants.revokeAll', about, { actor })
    },
  }
}

/** Whose grants to end: never, because something was left out, those of everybody. */
function checkedOwner(subject: string | undefined, clientId: string | undefined) {
  if (subject !== undefined) return { subject, clientId }
  if (clientId !== undefined) return { clientId }
  throw notOneOwner('grants.revokeAll', 'a subject, a clientId, or both')
}

function notOneOwner(method: string, owner: string): ConfigurationError {
  return new ConfigurationError(method, undefined, `an object with ${owner}`, { says: `must have ${owner}` })
}

/** Gives all that the store has about grants, except for the hashes. */
function exportedGrants(
  grants: readonly Grant[],
  { id, clients }: NamedTenant,
  registrations: Registrations,
): ExportedGrant[] {
  const own = new Map(clients.map((client) => [client.clientId, client]))
  return grants.map((grant) => {
    const { clientId, endsAt, swap, redeemed = [], request } = grant
    const issued = issuerOfGrant(grant)
    // Of the assertion it keeps hashes.
    const claims = issued ? undefined : grant.claims
    const { clientName } = own.get(clientId) ?? registrations.read(clientId, id) ?? {}
    return {
      grantId: grant.grantId,
      clientId,
      ...(clientName !== undefined && { clientName }),
      scopes: [...grant.scopes],
      resource: grant.resource,
      ...issued,
      ...(claims && { claims: structuredClone(claims) }),
      createdAt: grant.createdAt,
      ...(swap && { lastUsedAt: swap.at }),
      usedAt: redeemed.map(({ at }) => at),
      expiresAt: grant.expiresAt,
      ...(endsAt !== undefined && { endsAt }),
      ...(request && { redirectUri: request.redirectUri }),
    }
  })
}
