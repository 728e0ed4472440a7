import { IncomingMessage } from 'node:http'
import { isObject, requiredScopes } from '../configuration/checks'
import { ConfigurationError, nearestName } from '../configuration/configuration-error'
import { warn } from '../configuration/warnings'
import { type Emit, reportError } from '../host/emitter'
import type { BaseUrl } from '../http/request-address'
import { misconfigured, oauthError } from '../protocol/oauth-error'
import { addressOf, canonicalResource } from '../protocol/resource'
import { scopesOf, withoutOfflineAccess } from '../protocol/scope'
import type { ProtectedResources } from '../tenants/protected-resources'
import { withChallenge } from './schemes'
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
  throw reportError(misconfigured('This API is misconfigured', cause), { where: method }, emit)
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
  const { scopes, resource, tenantKey, clientId, grantId, subject, claims } = authOf(req, 'requireScopes', emit)
  if (required.every((scope) => scopes.includes(scope))) return
  const refused = oauthError('insufficient_scope', `The access token must have the scope ${required.join(' ')}`, {
    detail: { asked: scopes, accepted: required },
  })
  const shared = baseUrl.current(req instanceof IncomingMessage ? req : undefined)
  const address = addressOf(String(claims.iss), tenantKey, shared)
  const challenge = {
    scopes: scopesOf([...withoutOfflineAccess(scopesOf(String(claims.scope))), ...required]),
    scheme: claims.cnf === undefined ? ('Bearer' as const) : ('DPoP' as const),
    metadataUrl: announced.metadataUrlOf(canonicalResource(resource.href), address),
  }
  const place = { where: 'requireScopes', tenantKey, tenantId: String(claims.tenant_id), clientId, grantId, subject }
  throw reportError(withChallenge(refused, challenge), place, emit)
}

// A host may make up the names that it passes to `requireScopes`.
const maxWarnings = 20

/** Tells the operator of scopes that the host requires although nobody may be able to grant them. */
export type WarnOfScopes = (guard: string, required: readonly string[]) => void

/**
 * Warns once of each scope that is required and that the option `scopes` does not have, as a misspelt one. It is no error: a company's own
 * record may have it, and nobody can list the companies.
 *
 * @param offered The option `scopes`. Undefined if the host has not set it, so that the companies' records have them all.
 */
export function warnOfUnknownScopes(offered: readonly string[] | undefined): WarnOfScopes {
  const told = new Set<string>()
  return (guard, required) => {
    for (const scope of required) {
      if (!offered || offered.includes(scope) || told.has(scope) || told.size === maxWarnings) continue
      told.add(scope)
      const nearest = nearestName(scope, offered)
      const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`
      warn(
        'SCOPES',
        `${guard} requires ${JSON.stringify(scope)}, which the option scopes does not have.${suggestion} Customers can grant it only at a company whose record has it`,
      )
    }
  }
}
