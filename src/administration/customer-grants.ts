import { identifier, optional, record, requirements, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import { languageTag } from '../pages/languages'
import type { Tenants } from '../tenants/tenants'
import { actor } from './actor'
import { type CompanySelector, companyMembers, companyOf, pageMembers } from './company'
import type { ConnectedGrant, ConnectedGrants } from './connected-grants'

/** Whose connected clients to list. */
export type ConnectedGrantsRequest = CompanySelector & {
  /** The customer. */
  subject: string
  /**
   * The language of what is in words, the scopes above all: a tag, such as `de` (RFC 5646). A scope without words in it has those of the option `locale`, or else
   * English ones. Default: the company's `locale`, or else the option.
   */
  language?: string | undefined
}

/** Which page of a company's connected clients to give. */
export type ConnectedGrantsPageRequest = CompanySelector & {
  /** Only the grants of this client. */
  clientId?: string | undefined
  /** The `next` of the page before. */
  after?: string | undefined
  /** The most grants of a page, 1 to 1000. Default 100. */
  limit?: number | undefined
  /** The language of what is in words, as in {@link ConnectedGrantsRequest}. */
  language?: string | undefined
}

/** A page of a company's connected clients. */
export interface ConnectedGrantsPage {
  /** The grants of this page, in no particular order. They can be fewer than the limit, even none, although there is a next page. */
  grants: ConnectedGrant[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/** Whose grants to end: those of a customer, of a client, or of one customer and one client. */
export type GrantSelector = CompanySelector &
  (
    | { subject: string; clientId?: never }
    | { clientId: string; subject?: never }
    | { subject: string; clientId: string }
  )

/**
 * What a host can ask about its customers' grants and do to them. Each method rejects with `not_found` for an unknown `tenantKey`, and with a
 * `ConfigurationError` for a member that is unknown, missing or empty. With `tenantId`, each works for a company that is switched off, too.
 */
export interface CustomerGrants {
  /**
   * Lists the clients that a customer has connected, with what a "Connected apps" page shows of each. A sign-in whose code is not redeemed yet
   * is not among them.
   *
   * @returns A grant for each sign-in, in any order.
   * @throws {OAuthError} `temporarily_unavailable` if the store fails. A metadata document that cannot be fetched within a second is no error.
   *
   * @example
   * const apps = await signIn.grants.list({ tenantKey: 'acme', subject: customer.id, language: 'de' })
   */
  list(of: ConnectedGrantsRequest): Promise<ConnectedGrant[]>
  /**
   * Gives the clients that a company's customers have connected, page by page: all of them, or those of one client. On Redis, each page goes
   * through the whole store (docs/operations-redis.md).
   *
   * The pages have every grant that was there from the first page to the last, and no page has a grant twice.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails, or cannot read one of the grants.
   *
   * @example
   * let after: string | undefined
   * do {
   *   const page = await signIn.grants.page({ tenantKey: 'acme', clientId, after })
   *   for (const { subject, connectedAt } of page.grants) console.log(subject, new Date(connectedAt))
   *   after = page.next
   * } while (after !== undefined)
   */
  page(of: ConnectedGrantsPageRequest): Promise<ConnectedGrantsPage>
  /**
   * Ends one grant: its refresh token is refused from then on, and its access tokens wherever revocation is checked.
   *
   * @param which.actor Who makes the call, for its event: 1 to 200 characters (docs/administration.md).
   * @returns Whether there was such a grant.
   */
  revoke(which: CompanySelector & { grantId: string; actor?: string | undefined }): Promise<boolean>
  /**
   * Ends all grants of a customer, which signs the customer out everywhere; or the customer's grants of one client; or every customer's
   * grants of a client. On Redis, the last of these goes through the whole store (docs/operations-redis.md).
   *
   * When it resolves, every such grant that existed when it was called has ended. If it rejects, some may have ended already: call it again
   * until it resolves.
   *
   * @param of.actor Who makes the call, for its events: 1 to 200 characters (docs/administration.md).
   * @returns How many this call has ended.
   *
   * @example
   * await signIn.grants.revokeAll({ tenantKey: 'acme', subject: customer.id })
   */
  revokeAll(of: GrantSelector & { actor?: string | undefined }): Promise<number>
}

const ofCustomer = record({ ...companyMembers, subject: identifier, language: optional(languageTag) })
const onePage = record({ ...companyMembers, ...pageMembers, clientId: optional(text), language: optional(languageTag) })
const grantsOf = requirements({ ...companyMembers, subject: optional(identifier), clientId: optional(text), actor })
const oneGrant = record({ ...companyMembers, grantId: text, actor })

export function customerGrants(
  tenants: Tenants,
  grants: Grants,
  store: GuardedStore,
  connected: ConnectedGrants,
): CustomerGrants {
  return {
    async list(of) {
      const { subject, language, ...named } = ofCustomer(of, 'grants.list')
      const company = await companyOf(named, tenants, 'grants.list')
      return connected.describe(await store.grantsOf({ tenantId: company.id, subject }), company, language)
    },

    async page(of) {
      const { clientId, after, limit, language, ...named } = onePage(of, 'grants.page')
      const company = await companyOf(named, tenants, 'grants.page')
      const { grants: found, next } = await store.listGrants({ tenantId: company.id, clientId, after, limit })
      return { grants: await connected.describe(found, company, language), ...(next !== undefined && { next }) }
    },

    async revoke(which) {
      const { grantId, actor, ...company } = oneGrant(which, 'grants.revoke')
      const { id: tenantId } = await companyOf(company, tenants, 'grants.revoke')
      const grant = await store.findGrant(tenantId, grantId)
      return grants.endNamed({ tenantId, grantId, grant }, company.tenantKey, 'host', actor)
    },

    async revokeAll(of) {
      const { actor, subject, clientId, ...company } = grantsOf(of, 'grants.revokeAll')
      const owner = checkedOwner(subject, clientId)
      const { id: tenantId } = await companyOf(company, tenants, 'grants.revokeAll')
      const about = { tenantKey: company.tenantKey, tenantId, ...owner }
      return grants.endEach(store.deleteGrants({ tenantId, ...owner }), 'revokeAll', about, { actor })
    },
  }
}

/** Whose grants to end: never, because something was left out, those of everybody. */
function checkedOwner(subject: string | undefined, clientId: string | undefined) {
  if (subject !== undefined) return { subject, clientId }
  if (clientId !== undefined) return { clientId }
  throw new ConfigurationError('grants.revokeAll', undefined, 'an object with a subject, a clientId, or both', {
    says: 'must have a subject, a clientId, or both',
  })
}
