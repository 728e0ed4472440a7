import { optional, record, requirements, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { actor } from '../events/actor'
import type { GuardedStore } from '../stores/guarded-store'
import type { Grant } from '../stores/token-store'
import { type CompanySelector, companyMembers, companyOf } from '../tenants/company-selector'
import type { Tenants } from '../tenants/tenants'
import type { Grants } from './grants'

/** A client that a customer has connected, for a "connected assistants" page. Times are milliseconds since 1970. */
export interface ConnectedGrant {
  /** What {@link CustomerGrants.revoke} takes. */
  grantId: string
  /** The client. */
  clientId: string
  /** What the customer has granted. */
  scopes: string[]
  /** The protected API that its tokens are for. */
  resource: string
  /** When the customer agreed, and the grant was created. */
  connectedAt: number
  /** When its code or a refresh token was last redeemed. */
  lastUsedAt: number
  /** When it ends unless it is used again. */
  expiresAt: number
}

/** Whose grants to end: those of a customer, of a client, or of one customer and one client. */
export type GrantSelector = CompanySelector & (
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
   * Lists the clients that a customer has connected. A sign-in whose code is not redeemed yet is not among them.
   *
   * @returns A grant for each sign-in, in any order.
   *
   * @example
   * const connected = await signIn.grants.list({ tenantKey: 'acme', subject: customer.id })
   */
  list(of: CompanySelector & { subject: string }): Promise<ConnectedGrant[]>
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
  revokeAll(of: GrantSelector & { actor?: string }): Promise<number>
}

const ofCustomer = record({ ...companyMembers, subject: text })
const grantsOf = requirements({ ...companyMembers, subject: optional(text), clientId: optional(text), actor })
const oneGrant = record({ ...companyMembers, grantId: text, actor })

export function customerGrants(tenants: Tenants, grants: Grants, store: GuardedStore): CustomerGrants {
  return {
    async list(of) {
      const { subject, ...company } = ofCustomer(of, 'grants.list')
      const { id } = await companyOf(company, 'grants.list', tenants)
      const found = await store.listGrants(id, subject)
      return found.filter(({ credential }) => credential.kind === 'refresh_token').map(connectedGrant)
    },

    async revoke(which) {
      const { grantId, actor, ...company } = oneGrant(which, 'grants.revoke')
      const { id: tenantId } = await companyOf(company, 'grants.revoke', tenants)
      const grant = await store.findGrant(tenantId, grantId)
      return grants.endNamed({ tenantId, grantId, grant }, company.tenantKey, 'host', actor)
    },

    async revokeAll(of) {
      const { actor, subject, clientId, ...company } = grantsOf(of, 'grants.revokeAll')
      const owner = checkedOwner(subject, clientId)
      const { id: tenantId } = await companyOf(company, 'grants.revokeAll', tenants)
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

function connectedGrant({ grantId, clientId, scopes, resource, createdAt, expiresAt, swap }: Grant): ConnectedGrant {
  return { grantId, clientId, scopes, resource, connectedAt: createdAt, lastUsedAt: swap?.at ?? createdAt, expiresAt }
}
