import type { Service } from '../service'
import type { RegisteredClient } from '../stores/token-store'
import { findTenant } from '../tenants/find-tenant'

/** What a host can ask about registered clients and do to them. Each rejects with `not_found` for an unknown tenant. */
export interface RegisteredClients {
  find(which: { tenantKey: string; clientId: string }): Promise<RegisteredClient | undefined>
  /** From then on its refresh tokens are refused, and its grants end as they are used. @returns Whether there was one. */
  delete(which: { tenantKey: string; clientId: string }): Promise<boolean>
}

export function registeredClients(service: Service): RegisteredClients {
  const tenantIdOf = async (tenantKey: string) => (await findTenant(tenantKey, '', service)).id
  return {
    find: async ({ tenantKey, clientId }) => service.tokenStore.findClient(await tenantIdOf(tenantKey), clientId),
    delete: async ({ tenantKey, clientId }) => service.tokenStore.deleteClient(await tenantIdOf(tenantKey), clientId),
  }
}
