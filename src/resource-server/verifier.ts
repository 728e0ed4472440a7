import { ConfigurationError } from '../configuration-error'
import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import { type AccessTokenCheck, type AccessTokenInfo, checkedTenantKey, verifyAccessToken } from './verify-access-token'

/** What `signIn.verifier` verifies, and how it refuses. Scopes are the SDK's own `requiredScopes`. */
export interface VerifierOptions extends Omit<AccessTokenCheck, 'scope'> {
  tenantKey: string
  /**
   * Makes the error by which the MCP SDK tells a bad token (401) from a fault of the server (500): it goes by its own class.
   *
   * @example
   * (description) => new InvalidTokenError(description)                      // SDK 1
   * (description) => new OAuthError(OAuthErrorCode.InvalidToken, description)  // SDK 2
   */
  invalidToken: (description: string) => Error
}

/** An `OAuthTokenVerifier` of the MCP SDK. */
export interface AccessTokenVerifier {
  verifyAccessToken(token: string): Promise<AccessTokenInfo>
}

/** Makes a verifier for the MCP SDK's own `requireBearerAuth`. */
export function verifier(
  { invalidToken, tenantKey, ...check }: VerifierOptions,
  service: Service,
): AccessTokenVerifier {
  const of = { tenantKey: checkedTenantKey(tenantKey) }
  if (typeof invalidToken !== 'function') {
    throw new ConfigurationError('verifier.invalidToken', invalidToken, "a function that makes the MCP SDK's error")
  }
  return {
    async verifyAccessToken(token) {
      try {
        return await verifyAccessToken(token, { ...check, ...of }, service)
      } catch (error) {
        throw error instanceof OAuthError && error.status < 500 ? invalidToken(error.description) : error
      }
    },
  }
}
