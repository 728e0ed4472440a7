import type { Service } from '../service'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'

const day = 86_400_000

// Room for a failure: the next chance to prolong may come only a whole refresh token's life later.
const spare = 30 * day

/**
 * Sees to it that a registered client outlives a grant that lives until `grantExpiresAt`, at most once a day for each. From the first time
 * on it does not make room for others.
 */
export async function keepClientAlive(
  { clientId, inUse, expiresAt }: RegisteredClient,
  grantExpiresAt: number,
  tenant: ResolvedTenant,
  { tokenStore }: Service,
): Promise<void> {
  if (inUse && expiresAt >= grantExpiresAt + spare) return
  await tokenStore.keepClient(tenant.id, clientId, grantExpiresAt + spare + day)
}
