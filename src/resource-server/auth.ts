import { isObject } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { type Emit, reportError } from '../host/emitter'
import { oauthError } from '../protocol/oauth-error'
import type { AccessTokenInfo } from './verify-access-token'

/**
 * Reads what a guard of this library, or the MCP SDK's with this library's verifier, has found.
 *
 * @param of The request, where it is `auth`; or what a tool of an MCP server is called with, where it is `authInfo` (SDK 1) or
 * `http.authInfo` (SDK 2).
 * @param method What the host has called, for the error.
 * @throws {OAuthError} `server_error` if no guard has let the request through.
 */
export function authOf(of: object, method: 'auth' | 'requireScopes', emit: Emit): AccessTokenInfo {
  const { auth, authInfo, http } = Object(of)
  // Others set members with these names too.
  const found = [auth, authInfo, Object(http).authInfo].find(isAccessTokenInfo)
  if (found) return found
  const cause = new ConfigurationError(`${method}.req`, undefined, 'a request that a guard has let through', {
    says: 'has no auth: put protectedResource, requireAccessToken or requireBearerAuth in front',
  })
  const error = oauthError('server_error', 'This API is misconfigured', { cause, reason: 'misconfigured' })
  throw reportError(error, { where: method }, emit)
}

/** Whether this is what a guard sets. */
function isAccessTokenInfo(found: unknown): found is AccessTokenInfo {
  return (
    isObject(found) &&
    isObject(found.claims) &&
    Array.isArray(found.scopes) &&
    found.resource instanceof URL &&
    typeof found.subject === 'string' &&
    typeof found.tenantKey === 'string'
  )
}
