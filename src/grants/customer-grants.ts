import { optional, record, requirements, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { GuardedStore } from '../stores/guarded-store'
import type { Grant } from '../stores/token-store'
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
export type GrantSelector = { tenantKey: string } & (
  | { subject: string; clientId?: never }
  | { clientId: string; subject?: never }
  | { subject: string; clientId: string }
)

/**
 * What a host can ask about its customers' grants and do to them. Each method rejects with `not_found` for an unknown tenant, and with a
 * `ConfigurationError` for a member that is unknown, missing or empty.
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
  list(of: { tenantKey: string; subject: string }): Promise<ConnectedGrant[]>
  /**
   * Ends one grant: its refresh token is refused from then on, and its access tokens wherever revocation is checked.
   *
   * @returns Whether there was such a grant.
   */
  revoke(which: { tenantKey: string; grantId: string }): Promise<boolean>
  /**
   * Ends all grants of a customer, which signs the customer out everywhere; or the customer's grants of one client; or every customer's
   * grants of a client. On Redis, the last of these goes through the whole store (docs/operations-redis.md).
   *
   * When it resolves, every such grant that existed when it was called has ended. If it rejects, some may have ended already: call it again
   * until it resolves.
   *
   * @returns How many this call has ended.
   *
   * @example
   * await signIn.grants.revokeAll({ tenantKey: 'acme', subject: customer.id })
   */
  revokeAll(of: GrantSelector): Promise<number>
}

const ofCustomer = record({ tenantKey: text, subject: text })
const grantsOf = requirements({ tenantKey: text, subject: optional(text), clientId: optional(text) })
const oneGrant = record({ tenantKey: text, grantId: text })

export function customerGrants(tenants: Tenants, grants: Grants, store: GuardedStore): CustomerGrants {
  return {
    async list(of) {
      const { tenantKey, subject } = ofCustomer(of, 'grants.list')
      const found = await store.listGrants(await tenants.idOf(tenantKey), subject)
      return found.filter(({ credential }) => credential.kind === 'refresh_token').map(connectedGrant)
    },

    async revoke(which) {
      const { tenantKey, grantId } = oneGrant(which, 'grants.revoke')
      const tenantId = await tenants.idOf(tenantKey)
      const grant = await store.findGrant(tenantId, grantId)
      return grants.endNamed({ tenantId, grantId, grant }, tenantKey, 'host')
    },

    async revokeAll(of) {
      const { tenantKey, ...owner } = checkedSelector(of)
      const tenantId = await tenants.idOf(tenantKey)
      const deleted = store.deleteGrants({ tenantId, ...owner })
      return grants.endEach(deleted, 'revokeAll', { tenantKey, tenantId, ...owner })
    },
  }
}

function checkedSelector(given: GrantSelector): GrantSelector {
  const owner = grantsOf(given, 'grants.revokeAll')
  if (owner.subject !== undefined || owner.clientId !== undefined) return owner as GrantSelector
  throw new ConfigurationError('grants.revokeAll', given, 'an object with a subject, a clientId, or both', {
    says: 'must have a subject, a clientId, or both',
  })
}

function connectedGrant({ grantId, clientId, scopes, resource, createdAt, expiresAt, swap }: Grant): ConnectedGrant {
  return { grantId, clientId, scopes, resource, connectedAt: createdAt, lastUsedAt: swap?.at ?? createdAt, expiresAt }
}
