import { randomBytes } from 'node:crypto'
import { checkSize, offeredHere, ownHostFault, readClientMetadata } from '../clients/client-metadata'
import { readJson } from '../http/json'
import { respondWithJson } from '../http/responses'
import { grantTypes } from '../protocol/grant-types'
import { OAuthError } from '../protocol/oauth-error'
import type { RegisteredClient } from '../stores/token-store'
import type { EndpointContext } from './endpoint'

/** `POST I/register`: registers a public client (RFC 7591 section 3). */
export async function register({ req, res, tenant, service }: EndpointContext): Promise<void> {
  if (!tenant.registration) throw new OAuthError('access_denied', 'Clients cannot register here', { status: 403 })
  const { appRedirects, registrationLifetime, maxRegistrationsPerTenant, maxRegistrations } = service.options
  const metadata = offeredHere(readClientMetadata(await readJson(req, res), appRedirects), tenant.scopes)
  const fault = ownHostFault(metadata.redirectUris, tenant.issuer)
  if (fault) throw new OAuthError('invalid_redirect_uri', fault)
  checkSize(metadata)
  const clientId = randomBytes(16).toString('base64url')
  const client = await service.tokenStore.saveClient(
    { tenantId: tenant.id, clientId, ...metadata, lifetime: registrationLifetime * 1000 },
    { perTenant: maxRegistrationsPerTenant, total: maxRegistrations },
  )
  respondWithJson(res, clientInformation(client), { status: 201 })
  service.emit({ type: 'registered', tenantKey: tenant.key, tenantId: tenant.id, clientId })
}

/** RFC 7591 section 3.2.1: all that was registered, as it was registered. */
function clientInformation({ clientId, createdAt, clientName, clientUri, redirectUris, scopes }: RegisteredClient) {
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt / 1000),
    client_name: clientName,
    client_uri: clientUri,
    redirect_uris: redirectUris,
    scope: scopes?.join(' '),
    token_endpoint_auth_method: 'none',
    grant_types: grantTypes,
    response_types: ['code'],
  }
}
