import { aboutGrant } from '../events'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import { findTenant } from '../tenants/find-tenant'

/** A client that a customer has connected, for a "connected assistants" page. Times are milliseconds since 1970. */
export interface ConnectedGrant {
  grantId: string
  clientId: string
  /** Space-separated. */
  scope: string
  resource: string
  connectedAt: number
  lastUsedAt: number
  /** When it ends unless it is used again. */
  expiresAt: number
}

/** What a host can ask about its customers' grants and do to them. Each rejects with `not_found` for an unknown tenant. */
export interface CustomerGrants {
  /** The clients that a customer has connected. */
  list(of: { tenantKey: string; subject: string }): Promise<ConnectedGrant[]>
  /** Ends one grant. @returns Whether there was such a grant. */
  revoke(which: { tenantKey: string; grantId: string }): Promise<boolean>
  /**
   * Ends all grants of a customer: signed out everywhere. Or all grants of a client, whoever connected it, which goes through the whole
   * store (docs/operations.md). Where it rejects, some may have ended already: call it again until it does not.
   *
   * @returns How many this call has ended.
   */
  revokeAll(of: { tenantKey: string; subject: string } | { tenantKey: string; clientId: string }): Promise<number>
}

export function customerGrants(service: Service): CustomerGrants {
  const { tokenStore, emit } = service
  const tenantOf = (tenantKey: string) => findTenant(tenantKey, '', service)

  async function end(grant: Grant, tenantKey: string): Promise<boolean> {
    const ended = await tokenStore.deleteGrant(grant.tenantId, grant.grantId)
    if (ended) emit({ type: 'revoked', reason: 'host', ...aboutGrant(grant, tenantKey) })
    return ended
  }

  async function* grantsOfClient(tenantId: string, clientId: string): AsyncIterable<Grant> {
    for await (const grant of tokenStore.scanGrants(tenantId)) if (grant.clientId === clientId) yield grant
  }

  return {
    async list({ tenantKey, subject }) {
      const { id } = await tenantOf(tenantKey)
      const grants = await tokenStore.listGrants(id, subject)
      return grants.filter(({ credential }) => credential.kind === 'refresh_token').map(connected)
    },

    async revoke({ tenantKey, grantId }) {
      const { id } = await tenantOf(tenantKey)
      const grant = await tokenStore.findGrant(id, grantId)
      // Also where there is none any more: that it is gone may not be on a replica yet.
      return grant ? end(grant, tenantKey) : tokenStore.deleteGrant(id, grantId)
    },

    async revokeAll(of) {
      const { id } = await tenantOf(of.tenantKey)
      const grants = () => ('clientId' in of ? grantsOfClient(id, of.clientId) : tokenStore.listGrants(id, of.subject))
      let ended = 0
      // A sign-in may complete meanwhile, so until a pass has nothing to end.
      for (let before = -1; before < ended; ) {
        before = ended
        for await (const grant of await grants()) if (await end(grant, of.tenantKey)) ended++
      }
      return ended
    },
  }
}

function connected({ grantId, clientId, scope, resource, createdAt, expiresAt, swap }: Grant): ConnectedGrant {
  return { grantId, clientId, scope, resource, connectedAt: createdAt, lastUsedAt: swap?.at ?? createdAt, expiresAt }
}
