import { IncomingMessage } from 'node:http'
import { requiredScopes } from '../configuration/checks'
import { type Emit, reportError } from '../host/emitter'
import type { BaseUrl } from '../http/request-address'
import { oauthError } from '../protocol/oauth-error'
import { addressOf, canonicalResource, metadataUrlOf } from '../protocol/resource'
import { scopesOf, withoutOfflineAccess } from '../protocol/scope'
import type { ProtectedResources } from '../tenants/protected-resources'
import { authOf } from './auth'
import { withChallenge } from './challenge'
import type { WarnOfScopes } from './unknown-scopes'
import type { AccessTokenInfo } from './verify-access-token'

/**
 * Requires scopes of a request that a guard has let through, or of a tool call in it. It is not async: a host that forgets to wait for it would require nothing.
 *
 * @throws {OAuthError} `insufficient_scope` with its challenge; `server_error` if no guard has let the request through.
 */
export function requireScopes(
  req: object,
  given: string | readonly string[],
  announced: ProtectedResources,
  baseUrl: BaseUrl,
  warnOfScopes: WarnOfScopes,
  emit: Emit,
): void {
  const required = requiredScopes(given, 'requireScopes.scopes')
  warnOfScopes('requireScopes', required)
  const auth = authOf(req, 'requireScopes', emit)
  if (required.every((scope) => auth.scopes.includes(scope))) return
  const refused = oauthError('insufficient_scope', `The access token must have the scope ${required.join(' ')}`, {
    detail: { asked: auth.scopes, accepted: required },
  })
  const { tenantKey, clientId, grantId, subject, claims } = auth
  const challenge = {
    scopes: scopesOf([...withoutOfflineAccess(scopesOf(String(claims.scope))), ...required]),
    scheme: claims.cnf === undefined ? ('Bearer' as const) : ('DPoP' as const),
    metadataUrl: metadataUrlFor(auth, announced, baseUrl.current(req instanceof IncomingMessage ? req : undefined)),
  }
  const place = { where: 'requireScopes', tenantKey, tenantId: String(claims.tenant_id), clientId, grantId, subject }
  throw reportError(withChallenge(refused, challenge), place, emit)
}

function metadataUrlFor(
  { resource, tenantKey, claims }: AccessTokenInfo,
  announced: ProtectedResources,
  baseUrl: string,
) {
  const address = addressOf(String(claims.iss), tenantKey, baseUrl)
  const found = announced.named(canonicalResource(resource.href) ?? '', address)
  return found && metadataUrlOf(found.urlFor(address))
}
