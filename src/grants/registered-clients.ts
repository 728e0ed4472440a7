import { optional, record, text } from '../configuration/checks'
import { actor } from '../events/actor'
import type { Emit } from '../events/emitter'
import { isRegisteredId } from '../protocol/client-id'
import { redirectHostOf } from '../protocol/redirect-host'
import type { GuardedStore } from '../stores/guarded-store'
import type { RegisteredClient } from '../stores/token-store'
import { redirectHost } from '../tenants/client-rules'
import type { Tenants } from '../tenants/tenants'
import { type CompanySelector, companyMembers, companyOf, pageMembers } from './company'
import type { Grants } from './grants'

/** Which registered clients to list. */
export type RegisteredClientsRequest = CompanySelector & {
  /**
   * Only clients with a redirect URI that leads there: a host, such as `claude.ai`, `localhost` for every loopback address, or the scheme of
   * an app with its colon, such as `cursor:`. So the registered copies of one assistant are found.
   */
  redirectHost?: string | undefined
  /** The `next` of the page before. */
  after?: string | undefined
  /** How many clients to look at for this page, 1 to 1000. Default 100. */
  limit?: number | undefined
}

/** A page of the clients that registered themselves with a company. */
export interface RegisteredClientsPage {
  /** The clients of this page, in the order of their ids. */
  clients: RegisteredClient[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/**
 * What a host can ask about registered clients and do to them. Each method rejects with `not_found` for an unknown `tenantKey`, and with a
 * `ConfigurationError` for a member that is unknown, missing or wrong. With `tenantId`, each works for a company that is switched off, too.
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
  find(which: CompanySelector & { clientId: string }): Promise<RegisteredClient | undefined>
  /**
   * Lists the clients that registered themselves with a company, page by page. With `redirectHost`, a page can have fewer than `limit`
   * clients, or none, and there can be more on the next one. On Redis each page goes through the whole store.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails, or cannot read one of the clients.
   *
   * @example
   * let after: string | undefined
   * do {
   *   const { clients, next } = await signIn.clients.list({ tenantKey: 'acme', redirectHost: 'claude.ai', after })
   *   for (const { clientId, clientName, createdAt } of clients) console.log(clientId, clientName, new Date(createdAt))
   *   after = next
   * } while (after)
   */
  list(of: RegisteredClientsRequest): Promise<RegisteredClientsPage>
  /**
   * Deletes a registered client, and ends all of its grants. There is an `unregistered` event, and a `revoked` event with the reason
   * `client_gone` for each grant. On Redis it goes through the whole store.
   *
   * When it resolves, all grants of the client have ended. If it rejects, some may be left: call it again until it resolves.
   *
   * @param which.actor Who makes the call, for its events: 1 to 200 characters (docs/administration.md).
   * @returns Whether there was such a client. False if an earlier call has deleted it, and this one has ended what was left.
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   *
   * @example
   * await signIn.clients.delete({ tenantKey: 'acme', clientId })
   */
  delete(which: CompanySelector & { clientId: string; actor?: string | undefined }): Promise<boolean>
}

const oneClient = record({ ...companyMembers, clientId: text })
const deletion = record({ ...companyMembers, clientId: text, actor })
const onePage = record({ ...companyMembers, ...pageMembers, redirectHost: optional(redirectHost) })

export function registeredClients(
  tenants: Tenants,
  grants: Grants,
  store: GuardedStore,
  emit: Emit,
): RegisteredClients {
  return {
    async find(which) {
      const { clientId, ...company } = oneClient(which, 'clients.find')
      const { id } = await companyOf(company, tenants, 'clients.find')
      return store.findClient(id, clientId)
    },

    async list(of) {
      const { redirectHost, after = '', limit, ...company } = onePage(of, 'clients.list')
      const { id } = await companyOf(company, tenants, 'clients.list')
      const page = await store.pageClients(id, { after, limit })
      const isMeant = ({ redirectUris }: RegisteredClient) =>
        redirectHost === undefined || redirectUris.some((uri) => redirectHostOf(uri) === redirectHost)
      return { clients: page.filter(isMeant), ...(page.length === limit && { next: page.at(-1)?.clientId }) }
    },

    async delete(which) {
      const { clientId, actor, ...company } = deletion(which, 'clients.delete')
      const { id: tenantId } = await companyOf(company, tenants, 'clients.delete')
      // Deleted first, so that no code redeems a new grant while the grants are being deleted.
      const wasThere = await store.deleteClient(tenantId, clientId)
      const about = { tenantKey: company.tenantKey, tenantId, clientId }
      if (wasThere) emit({ type: 'unregistered', ...about, actor })
      // An earlier call may have deleted the client and then failed. But the id may also be that of a client of another kind.
      if (!wasThere && !isRegisteredId(clientId)) return false
      const deleted = store.deleteGrants({ tenantId, clientId })
      await grants.endEach(deleted, 'clients.delete', about, { reason: 'client_gone', actor })
      return wasThere
    },
  }
}
