import type { ServerResponse } from 'node:http'
import type { Clients } from '../clients/clients'
import type { Granted, GrantType, GrantTypes, TokenRequest } from '../grant-types/grant-type'
import type { Emit } from '../host/emitter'
import { type Form, readForm } from '../http/body'
import { hasHungUp } from '../http/node-messages'
import { respondWithJson } from '../http/responses'
import { grantTypes, isGrantType, mayUse } from '../protocol/grant-types'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import type { Context, Endpoint } from './endpoint'
import { type ClientAuthentication, noClient, type RequestingClient, tokenAudiences } from './requesting-client'

/** What the endpoint works with. */
interface TokenRooms {
  clients: Clients
  clientAuthentication: ClientAuthentication
  grantTypes: GrantTypes
  emit: Emit
}

/** `POST I/token`: gives tokens to a client (RFC 6749 section 3.2). */
export function token(rooms: TokenRooms): Endpoint {
  return async (context) => {
    const form = await readForm(context.req, context.res, { repeatable: ['resource'] })
    const named = namedClient(form, context, rooms)
    const proves = named.proof !== undefined || context.req.headers.dpop !== undefined
    const client = proves ? await proven(named, form, context, rooms) : named
    rooms.clientAuthentication.checkKey(client, context.tenant)
    try {
      const granted = await grantTypeOf(form, client, rooms).grant(requestOf(client, form, context))
      respondWithTokens(context.res, granted)
      rooms.emit(granted.event)
    } catch (error) {
      // What it presents is bound to its authentication. Its document may have no key by now: its next sign-in must know that.
      const mustAuthenticate = error instanceof OAuthError && error.reason === 'not_authenticated'
      if (mustAuthenticate) await rooms.clientAuthentication.checkPublic(client, context.tenant)
      throw error
    }
  }
}

function namedClient(form: Form, { req, tenant, message }: Context, rooms: TokenRooms): RequestingClient {
  const name = form.get('grant_type')
  // A request with another grant type, or with none, is judged as one of a client.
  const mayNameNone = isGrantType(name) && rooms.grantTypes[name].needsNoClient === true
  const client = rooms.clientAuthentication.identify(req, form, tenant, mayNameNone)
  if (client === noClient) return client
  message.clientId = client.clientId
  if (!client.preRegistered) rooms.clients.checkMayRedeem(client.clientId, tenant)
  return client
}

function requestOf(client: RequestingClient, form: Form, { req, res, tenant, since }: Context): TokenRequest {
  return { form, client, tenant, since, hasHungUp: () => hasHungUp(req, res) }
}

/** Verifies a client's key, and authenticates it. Its keys may have to be fetched: what can refuse it before that comes first. */
async function proven(named: RequestingClient, form: Form, context: Context, rooms: TokenRooms) {
  const { req, tenant } = context
  const client = { ...named, key: await rooms.clientAuthentication.provenKey(req, tenant) }
  if (!client.proof) return client
  const request = requestOf(client, form, context)
  if (rooms.clients.publishesKeys(client.clientId, tenant)) await grantTypeOf(form, client, rooms).checkIssued(request)
  return rooms.clientAuthentication.authenticate(client, tenant, tokenAudiences(tenant))
}

function grantTypeOf(form: Form, { preRegistered }: RequestingClient, rooms: TokenRooms): GrantType {
  const name = form.required('grant_type')
  if (!isGrantType(name)) throw oauthError('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}`)
  if (!mayUse(name, preRegistered)) throw oauthError('unauthorized_client', 'The client may not use this grant_type')
  return rooms.grantTypes[name]
}

/**
 * RFC 6749 section 5.1, `refresh_token_expires_in` (draft-ietf-oauth-refresh-token-expiration), and the `resource` of an assertion
 * (draft-ietf-oauth-identity-assertion-authz-grant section 4.4.1).
 */
function respondWithTokens(res: ServerResponse, granted: Granted): void {
  respondWithJson(res, {
    access_token: granted.accessToken,
    token_type: granted.tokenType,
    expires_in: granted.expiresIn,
    refresh_token: granted.refreshToken,
    refresh_token_expires_in: granted.refreshTokenExpiresIn,
    scope: granted.scopes.join(' '),
    resource: granted.resource,
  })
}
