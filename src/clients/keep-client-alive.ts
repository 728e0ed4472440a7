import type { Service } from '../service'
import type { Grant, RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'

const day = 86_400_000

// Room for a failure: the next chance to prolong may come only a whole refresh token's life later.
const spare = 30 * day

/** For how many milliseconds a client lives that outlives every grant of now, with a day in which it need not be prolonged. */
function beyondGrants({ refreshTokenLifetime }: ResolvedTenant): number {
  return refreshTokenLifetime * 1000 + spare + day
}

/**
 * Lets a registered client outlive a grant that is created now, and make room after all others until the code is redeemed. It is not in
 * use yet: a customer can press Allow for any number of clients, and nothing may ever come of it.
 */
export async function awaitRedemption(
  { clientId }: RegisteredClient,
  tenant: ResolvedTenant,
  { tokenStore }: Service,
): Promise<void> {
  await tokenStore.touchClient(tenant.id, clientId, { lifetime: beyondGrants(tenant), inUse: false })
}

/**
 * Marks a registered client as in use once it has redeemed a grant, so that it makes no room for others, and lets it outlive that grant.
 * Writes at most once a day for each client.
 */
export async function keepClientAlive(
  client: RegisteredClient,
  grant: Grant,
  tenant: ResolvedTenant,
  { tokenStore }: Service,
): Promise<void> {
  if (client.inUse && client.expiresAt >= grant.expiresAt + spare) return
  await tokenStore.touchClient(tenant.id, client.clientId, { lifetime: beyondGrants(tenant), inUse: true })
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
  await tokenStore.touchClient(tenant.id, clientId, { lifetime: options.registrationLifetime * 1000, inUse: false })
}
