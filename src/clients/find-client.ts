import type { Service } from '../service'
import type { Client } from '../stores/tenant-store'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'
import { unknownClient } from './identify-client'

/** A client of a tenant; `registered` where it registered itself. */
export interface FoundClient {
  client: Client
  registered: RegisteredClient | undefined
}

/**
 * Finds a client among the tenant's own and the registered ones.
 *
 * @throws {OAuthError} `invalid_client` where there is none.
 */
export async function findClient(clientId: string, tenant: ResolvedTenant, service: Service): Promise<FoundClient> {
  const preRegistered = tenant.clients.find((client) => client.clientId === clientId)
  if (preRegistered) return { client: preRegistered, registered: undefined }
  const registered = await service.tokenStore.findClient(tenant.id, clientId)
  if (!registered) throw unknownClient(clientId)
  return { client: registered, registered }
}
