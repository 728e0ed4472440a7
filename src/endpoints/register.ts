import type { Registered, Registrations } from '../clients/registrations'
import type { Client } from '../contract/tenant-store'
import type { Emit } from '../host/emitter'
import { readJson } from '../http/body'
import { respondWithJson } from '../http/responses'
import { defaultGrantTypes } from '../protocol/grant-types'
import { oauthError } from '../protocol/oauth-error'
import type { Endpoint } from './endpoint'

/** `POST I/register`: registers a client (RFC 7591 section 3). */
export function register(registrations: Registrations, emit: Emit): Endpoint {
  return async ({ req, res, tenant, message }) => {
    if (!tenant.policy.registration) {
      throw oauthError('access_denied', 'Clients cannot register here', { status: 403, reason: 'registration_off' })
    }
    const metadata = await readJson(req, res)
    const registered = registrations.register(metadata, tenant)
    const { client } = registered
    message.clientId = client.clientId
    respondWithJson(res, clientInformation(registered), 201)
    const leftOut = leftOutOf(metadata.redirect_uris, client)
    emit({ type: 'registered', tenantKey: tenant.key, tenantId: tenant.id, clientId: client.clientId, leftOut })
  }
}

/** The redirect URIs that the client asked for and did not get. Undefined if there are none. */
function leftOutOf(requested: unknown, { redirectUris }: Client): string[] | undefined {
  const texts = (requested as unknown[]).filter((redirectUri) => typeof redirectUri === 'string')
  const leftOut = texts.filter((redirectUri) => !redirectUris.includes(redirectUri))
  return leftOut.length > 0 ? leftOut : undefined
}

/** RFC 7591 section 3.2.1: all that was registered, as it was registered, without what was left out. */
function clientInformation({ client, method, secret, scopes, registeredAt }: Registered) {
  const { clientId, clientName, clientUri, redirectUris, jwks, jwksUri, dpopBoundAccessTokens } = client
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(registeredAt / 1000),
    client_name: clientName,
    client_uri: clientUri,
    redirect_uris: redirectUris,
    scope: scopes?.join(' '),
    token_endpoint_auth_method: method,
    client_secret: secret,
    // It never expires.
    client_secret_expires_at: secret === undefined ? undefined : 0,
    jwks,
    jwks_uri: jwksUri,
    dpop_bound_access_tokens: dpopBoundAccessTokens,
    grant_types: defaultGrantTypes,
    response_types: ['code'],
  }
}
