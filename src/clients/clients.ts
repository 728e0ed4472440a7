import { unknownClient } from '../endpoints/requesting-client'
import { isClientId } from '../protocol/client-id'
import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { Client } from '../stores/tenant-store'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import { offeredHere, ownHostFault } from './client-metadata'

/** A client of a tenant, and where it is known from. */
export interface FoundClient {
  client: Client
  /** The tenant's own record of it. */
  preRegistered: Client | undefined
  /** Its registration, where it registered itself. */
  registered: RegisteredClient | undefined
}

/**
 * Finds a client among the tenant's own, by its metadata document, or among the registered ones.
 *
 * @throws {OAuthError} `invalid_client` where there is none.
 */
export async function findClient(clientId: string, tenant: ResolvedTenant, service: Service): Promise<FoundClient> {
  const preRegistered = tenant.clients.find((client) => client.clientId === clientId)
  if (preRegistered) return { client: preRegistered, preRegistered, registered: undefined }
  if (tenant.metadataDocuments && service.metadataDocuments?.isDocumentUrl(clientId)) {
    const metadata = await service.metadataDocuments.find(clientId, tenant.id)
    const fault = ownHostFault(metadata.redirectUris, tenant.issuer)
    if (fault) throw new OAuthError('invalid_client', `The metadata document of client_id cannot be used: ${fault}`)
    const client = { clientId, ...offeredHere(metadata, tenant.scopes) }
    return { client, preRegistered: undefined, registered: undefined }
  }
  const registered = isClientId(clientId) ? await service.tokenStore.findClient(tenant.id, clientId) : undefined
  if (!registered) throw unknownClient(clientId)
  return { client: registered, preRegistered: undefined, registered }
}
