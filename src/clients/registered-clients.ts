import { record, text } from '../configuration/checks'
import type { GuardedStore } from '../stores/guarded-store'
import type { RegisteredClient } from '../stores/token-store'
import type { Tenants } from '../tenants/tenants'

/**
 * What a host can ask about registered clients and do to them. Each method rejects with `not_found` for an unknown tenant, and with a
 * `ConfigurationError` for a member that is unknown, missing or empty.
 */
export interface RegisteredClients {
  /**
   * Finds a registered client.
   *
   * @returns The registration; undefined if there is none, or it has expired.
   *
   * @example
   * const client = await signIn.clients.find({ tenantKey: 'acme', clientId })
   */
  find(which: { tenantKey: string; clientId: string }): Promise<RegisteredClient | undefined>
  /**
   * Deletes a registration. From then on the client's refresh tokens are refused, and each of its grants ends at its next refresh. The grants
   * of a client that must authenticate stay until they expire: end them with `grants.revokeAll`.
   *
   * @returns Whether there was one.
   */
  delete(which: { tenantKey: string; clientId: string }): Promise<boolean>
}

const oneClient = record({ tenantKey: text, clientId: text })

export function registeredClients(tenants: Tenants, store: GuardedStore): RegisteredClients {
  return {
    async find(which) {
      const { tenantKey, clientId } = oneClient(which, 'clients.find')
      return store.findClient(await tenants.idOf(tenantKey), clientId)
    },
    async delete(which) {
      const { tenantKey, clientId } = oneClient(which, 'clients.delete')
      return store.deleteClient(await tenants.idOf(tenantKey), clientId)
    },
  }
}
