import type { IncomingMessage } from 'node:http'
import { type Clients, ownClient, unknownClient } from '../clients/clients'
import { aboutGrant, contextOf, type Emit, faultEvent } from '../events/emitter'
import type { Grants } from '../grants/grants'
import type { Redemption } from '../grants/redemptions'
import type { Form } from '../http/form'
import { isClientId } from '../protocol/client-id'
import type { GrantType } from '../protocol/grant-types'
import { type ErrorContext, OAuthError, oauthError, withContext } from '../protocol/oauth-error'
import type { Client } from '../stores/tenant-store'
import type { ResolvedTenant } from '../tenants/tenants'

/** The client that a request names. */
export interface RequestingClient {
  clientId: string
  /** The tenant's own record. Without one, only the token store can say whether there is such a client. */
  preRegistered: Client | undefined
}

/**
 * Identifies the client by the username of HTTP Basic or by the `client_id` parameter. No client has a secret, so a password
 * is ignored (RFC 6749 sections 2.3.1 and 3.2.1).
 *
 * @throws {OAuthError} `invalid_request` if neither names a client, or the two name different ones.
 */
export function identifyClient(req: IncomingMessage, form: Form, tenant: ResolvedTenant): RequestingClient {
  const username = basicUsername(req.headers.authorization)
  const clientId = username ?? form.required('client_id')
  if ((form.get('client_id') ?? clientId) !== clientId) {
    throw oauthError('invalid_request', 'client_id is not the user name in the Authorization header')
  }
  if (!isClientId(clientId))
    throw oauthError('invalid_request', 'client_id must be at most 2048 characters of printable ASCII')
  return { clientId, preRegistered: ownClient(clientId, tenant) }
}

/** Whether a client can use a grant type (RFC 7591 section 2). */
export function mayUse(grantType: GrantType, { preRegistered }: RequestingClient): boolean {
  return preRegistered?.grantTypes?.includes(grantType) ?? true
}

/**
 * Confirms that a client which is not the tenant's own is registered. It does so during the redemption and not before it, so that both
 * together take one round trip to the store.
 *
 * @throws {OAuthError} `invalid_client` if the store says for certain that there is no such client; the grant then ends. Otherwise whatever
 * the redemption throws. If the look-up fails, the client is not refused.
 */
export async function confirmClient(
  { clientId }: RequestingClient,
  redeeming: Promise<Redemption>,
  tenant: ResolvedTenant,
  { clients, grants, emit }: { clients: Clients; grants: Grants; emit: Emit },
): Promise<Redemption> {
  // A client with a metadata document needs no look-up: its grant is bound to the URL of the document.
  if (!clients.isRegistration(clientId, tenant)) return await redeeming
  const reportFault = (where: string, error: unknown) =>
    emit(faultEvent(where, error, { tenantKey: tenant.key, tenantId: tenant.id, clientId }))
  const lookingUp = clients.findRegistration(clientId, tenant)
  const [redemption, registration] = await Promise.allSettled([redeeming, lookingUp])
  if (registration.status === 'fulfilled' && !registration.value) {
    if (redemption.status === 'fulfilled') {
      const { grant } = redemption.value
      // If this fails, the grant is useless anyway: no client was given its new refresh token.
      await grants
        .end(grant, tenant, 'client_gone')
        .catch((error) => emit(faultEvent('deleteGrant', error, aboutGrant(grant, tenant.key))))
    }
    throw withContext(unknownClient(clientId), grantOf(redemption))
  }
  if (redemption.status === 'rejected') throw redemption.reason
  const { grant } = redemption.value
  if (registration.status === 'rejected') reportFault('findClient', registration.reason)
  else if (registration.value) {
    clients.touchUsed(registration.value, grant, tenant).catch((error) => reportFault('touchClient', error))
  }
  return redemption.value
}

/** Whose grant it was, as far as the redemption found that out. */
function grantOf(redemption: PromiseSettledResult<Redemption>): ErrorContext {
  if (redemption.status === 'fulfilled') return contextOf(redemption.value.grant)
  return redemption.reason instanceof OAuthError ? redemption.reason.context : {}
}

function basicUsername(authorization: string | undefined): string | undefined {
  const [scheme = '', credentials = ''] = (authorization ?? '').split(/ (.*)/s)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const [username, password] = Buffer.from(credentials, 'base64').toString('utf8').split(/:(.*)/s)
  if (!username || password === undefined)
    throw oauthError('invalid_request', 'The user name in the Authorization header must be the client_id')
  return formDecoded(username)
}

/** Decodes the username (RFC 6749 section 2.3.1). Clients that do not encode it mostly send one that needs no encoding. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
