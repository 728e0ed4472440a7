import { keepClientAlive } from '../clients/confirm-client'
import { findClient } from '../clients/find-client'
import { OAuthError } from '../protocol/oauth-error'
import { isCodeChallenge } from '../protocol/pkce'
import { redirectUriMatches } from '../protocol/redirect-uri'
import { requestedResource } from '../protocol/resource'
import { grantedScope, scopesOf } from '../protocol/scope'
import type { Service } from '../service'
import type { Client } from '../stores/tenant-store'
import type { Grant } from '../stores/token-store'
import { findTenant, type ResolvedTenant, spelledByTenant } from '../tenants/find-tenant'
import { isPlainJson } from './access-token-terms'
import { credentialHash, formatCredential, grantIdOf, randomPart } from './credential'

/** An authorization request (RFC 6749 section 4.1.1) to which a customer has signed in and agreed. */
export interface AuthorizationRequest {
  tenantKey: string
  clientId: string
  /** As the request has it; must be one of the client's. */
  redirectUri: string
  /** 43 base64url characters (RFC 7636 section 4.2). */
  codeChallenge: string
  codeChallengeMethod: 'S256'
  /** The customer inside the tenant: `sub` in access tokens. */
  subject: string
  /** Space-separated. By default all that the tenant offers to this client. */
  scope?: string
  /** The protected API that the tokens are for (RFC 8707). By default the tenant's first. */
  resource?: string
  /** Handed back to the client with the code. */
  state?: string
  /** More claims for the access tokens of this grant: plain JSON. This library's own claims win over them. */
  claims?: Record<string, unknown>
}

/** The answer to an authorization request. */
export interface AuthorizationResponse {
  /** Valid for `authorizationCodeLifetime` seconds, and once. */
  code: string
  /** The complete URL to send the browser to, with `code`, `state` and `iss` (RFC 9207). */
  redirectTo: string
}

/** Stores a grant and gives the authorization code that redeems it. */
export async function issueAuthorizationCode(
  request: AuthorizationRequest,
  service: Service,
): Promise<AuthorizationResponse> {
  const tenant = await findTenant(request.tenantKey, service.baseUrl.current(), service)
  const { client, registered } = await findClient(request.clientId, tenant, service)
  checkRequest(request, client)
  const { grant, code } = newGrant(request, client, tenant, service)
  await service.tokenStore.createGrant(grant)
  if (registered) keepClientAlive(registered, grant.expiresAt, tenant, service)
  return { code, redirectTo: redirectTo(request, code, tenant.issuer) }
}

function checkRequest(request: AuthorizationRequest, client: Client): void {
  const { redirectUri, codeChallenge, codeChallengeMethod, subject, claims } = request
  if (!client.redirectUris.some((registered) => redirectUriMatches(registered, redirectUri))) {
    throw new OAuthError('unauthorized_client', 'redirect_uri is not registered for this client')
  }
  if (client.grantTypes && !client.grantTypes.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The client may not use authorization codes')
  }
  if (codeChallengeMethod !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256')
  if (typeof codeChallenge !== 'string' || !isCodeChallenge(codeChallenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be 43 base64url characters')
  }
  if (typeof subject !== 'string' || subject === '') {
    throw new OAuthError('invalid_request', 'subject must say who the customer is')
  }
  if (claims !== undefined && !isPlainJson(claims)) throw new OAuthError('invalid_request', 'claims must be plain JSON')
}

function newGrant(
  { clientId, redirectUri, codeChallenge, subject, scope, resource, claims }: AuthorizationRequest,
  client: Client,
  tenant: ResolvedTenant,
  { options, chain }: Service,
): { grant: Grant; code: string } {
  const kind = 'code'
  const binding = { client_id: clientId, redirect_uri: redirectUri, code_verifier: codeChallenge }
  const [handle, secret] = [randomPart(), randomPart()]
  const grantId = grantIdOf(handle)
  const now = Date.now()
  const grant: Grant = {
    tenantId: tenant.id,
    grantId,
    clientId,
    subject,
    scope: grantedScope(scope, offeredTo(client, tenant)),
    resource: grantedResource(resource, tenant),
    claims,
    createdAt: now,
    expiresAt: now + options.authorizationCodeLifetime * 1000,
    endsAt: options.grantLifetime && now + options.grantLifetime * 1000,
    credential: { kind, hash: credentialHash(kind, secret, binding) },
    request: { redirectUri, codeChallenge },
  }
  const tag = chain.tag(tenant.id, grantId, { kind, secret }, binding)
  return { grant, code: formatCredential({ kind, handle, secret, tag }) }
}

function offeredTo(client: Client, tenant: ResolvedTenant): readonly string[] {
  if (client.scope === undefined) return tenant.scopes
  const own = scopesOf(client.scope)
  return tenant.scopes.filter((scope) => own.includes(scope))
}

function grantedResource(requested: string | undefined, tenant: ResolvedTenant): string {
  const resource = requestedResource([requested ?? tenant.resources[0]]) as string
  if (spelledByTenant(resource, tenant) === undefined) {
    throw new OAuthError('invalid_target', 'resource is not one of this tenant')
  }
  return resource
}

/** The text of the redirect URI stays as it is: apps compare it, and not all of them as a URL. */
function redirectTo({ redirectUri, state }: AuthorizationRequest, code: string, issuer: string): string {
  const response = new URLSearchParams({ code, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${response}`
}
