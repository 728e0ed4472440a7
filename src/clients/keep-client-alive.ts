import { underlying } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'

const day = 86_400_000

// Room for a failure: the next chance to prolong may come only a whole refresh token's life later.
const spare = 30 * day

/** Sees to it that a registered client outlives its grants, at most once a day for each. Nobody waits for it. */
export function keepClientAlive(
  client: RegisteredClient,
  grantExpiresAt: number,
  tenant: ResolvedTenant,
  { tokenStore, emit }: Service,
): void {
  if (client.inUse && client.expiresAt >= grantExpiresAt + spare) return
  tokenStore
    .keepClient(tenant.id, client.clientId, grantExpiresAt + spare + day)
    .catch((error) => emit({ type: 'error', where: 'keepClient', tenantKey: tenant.key, error: underlying(error) }))
}
