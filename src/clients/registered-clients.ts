import { record, text } from '../configuration/checks'
import type { Service } from '../service'
import type { RegisteredClient } from '../stores/token-store'
import { findTenant } from '../tenants/tenants'

/**
 * What a host can ask about registered clients and do to them. Each rejects with `not_found` for an unknown tenant, and with a
 * `ConfigurationError` for a member that is unknown, missing or empty.
 */
export interface RegisteredClients {
  find(which: { tenantKey: string; clientId: string }): Promise<RegisteredClient | undefined>
  /** From then on its refresh tokens are refused, and its grants end as they are used. @returns Whether there was one. */
  delete(which: { tenantKey: string; clientId: string }): Promise<boolean>
}

const oneClient = record({ tenantKey: text, clientId: text })

export function registeredClients(service: Service): RegisteredClients {
  const idsOf = async (which: { tenantKey: string; clientId: string }, method: string): Promise<[string, string]> => {
    const { tenantKey, clientId } = oneClient(which, method)
    return [(await findTenant(tenantKey, '', service)).id, clientId]
  }
  return {
    find: async (which) => service.tokenStore.findClient(...(await idsOf(which, 'clients.find'))),
    delete: async (which) => service.tokenStore.deleteClient(...(await idsOf(which, 'clients.delete'))),
  }
}
