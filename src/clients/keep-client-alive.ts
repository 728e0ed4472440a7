import type { Service } from '../service'
import type { Grant, RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'

const day = 86_400_000

// Room for a failure: the next chance to prolong may come only a whole refresh token's life later.
const spare = 30 * day

/** Marks a registered client as in use, so that it makes no room for others, and lets it outlive a grant that is created now. */
export async function useClient(
  { clientId }: RegisteredClient,
  { id, refreshTokenLifetime }: ResolvedTenant,
  { tokenStore }: Service,
): Promise<void> {
  await tokenStore.keepClient(id, clientId, { lifetime: refreshTokenLifetime * 1000 + spare + day, inUse: true })
}

/** Lets a registered client outlive a grant of its own that has just been redeemed. Writes at most once a day for each client. */
export async function keepClientAlive(
  client: RegisteredClient,
  grant: Grant,
  tenant: ResolvedTenant,
  service: Service,
): Promise<void> {
  if (client.inUse && client.expiresAt >= grant.expiresAt + spare) return
  await useClient(client, tenant, service)
}

/**
 * Lets a registered client that a customer is being asked about live as long as a new one, and make room after all others. It is not in
 * use yet: a customer can open the consent page for any number of clients.
 */
export async function renewClient(
  { clientId, inUse }: RegisteredClient,
  tenant: ResolvedTenant,
  { tokenStore, options }: Service,
): Promise<void> {
  if (inUse) return
  await tokenStore.keepClient(tenant.id, clientId, { lifetime: options.registrationLifetime * 1000, inUse: false })
}
