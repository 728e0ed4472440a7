import { record, text } from '../configuration/checks'
import { isRegisteredId } from '../protocol/client-id'
import type { GuardedStore } from '../stores/guarded-store'
import type { RegisteredClient } from '../stores/token-store'
import type { Tenants } from '../tenants/tenants'
import type { Grants } from './grants'

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
   * Deletes a registered client, and ends all of its grants. There is a `revoked` event with the reason `client_gone` for each of them. On
   * Redis it goes through the whole store.
   *
   * When it resolves, all grants of the client have ended. If it rejects, some may be left: call it again until it resolves.
   *
   * @returns Whether there was such a client. False if an earlier call has deleted it, and this one has ended what was left.
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   *
   * @example
   * await signIn.clients.delete({ tenantKey: 'acme', clientId })
   */
  delete(which: { tenantKey: string; clientId: string }): Promise<boolean>
}

const oneClient = record({ tenantKey: text, clientId: text })

export function registeredClients(tenants: Tenants, grants: Grants, store: GuardedStore): RegisteredClients {
  return {
    async find(which) {
      const { tenantKey, clientId } = oneClient(which, 'clients.find')
      return store.findClient(await tenants.idOf(tenantKey), clientId)
    },
    async delete(which) {
      const { tenantKey, clientId } = oneClient(which, 'clients.delete')
      const tenantId = await tenants.idOf(tenantKey)
      // Deleted first, so that no code redeems a new grant while the grants are being deleted.
      const wasThere = await store.deleteClient(tenantId, clientId)
      // An earlier call may have deleted the client and then failed. But the id may also be that of a client of another kind.
      if (!wasThere && !isRegisteredId(clientId)) return false
      const deleted = store.deleteGrants({ tenantId, clientId })
      await grants.endEach(deleted, 'clients.delete', { tenantKey, tenantId, clientId }, 'client_gone')
      return wasThere
    },
  }
}
