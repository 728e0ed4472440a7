import { must, requirements, text } from '../configuration/checks'
import { callHost } from '../host/call-host'
import { type Emit, reportError } from '../host/emitter'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'
import { guardedRequests } from '../telemetry/channels'
import type { GuardMessage } from '../telemetry/messages'
import {
  type AccessTokenInfo,
  type AccessTokenRequirements,
  type AccessTokenVerifications,
  verifyOptions,
} from './verify-access-token'

/** What `signIn.verifier` verifies, and how it refuses. The SDK checks scopes itself (`requiredScopes`). */
export interface VerifierOptions extends Omit<AccessTokenRequirements, 'scopes'> {
  /** The tenant that the token must belong to. */
  tenantKey: string
  /**
   * Makes an error of the MCP SDK's own class, by which the SDK tells a bad token (401) from a fault of the server (500). For SDK 1:
   * `(description) => new InvalidTokenError(description)`. For SDK 2:
   * `(description) => new OAuthError(OAuthErrorCode.InvalidToken, description)`.
   */
  invalidToken: (description: string) => Error
}

const { scopes: _, ...ofSdk } = verifyOptions

const checkedMembers = requirements({
  ...ofSdk,
  tenantKey: text,
  invalidToken: must<VerifierOptions['invalidToken']>(
    "a function that makes the MCP SDK's error",
    (given) => typeof given === 'function',
  ),
})

/** An `OAuthTokenVerifier` of the MCP SDK. */
export interface AccessTokenVerifier {
  /**
   * Verifies an access token. For a bad token it rejects with what `invalidToken` makes.
   *
   * @throws {OAuthError} `temporarily_unavailable` when a store fails, `server_error` when something is misconfigured.
   */
  verifyAccessToken(token: string): Promise<AccessTokenInfo>
}

/** Makes a verifier for the MCP SDK's own `requireBearerAuth`. @param timeout How long `invalidToken` may take, in milliseconds. */
export function verifier(
  given: VerifierOptions,
  verifications: AccessTokenVerifications,
  timeout: number,
  emit: Emit,
): AccessTokenVerifier {
  const { invalidToken, tenantKey, ...options } = checkedMembers(given, 'verifier')

  return {
    verifyAccessToken(token) {
      const message: GuardMessage = { guard: 'verifier', tenantKey }
      return guardedRequests.trace(message, () => verified(token, message))
    },
  }

  async function verified(token: string, message: GuardMessage): Promise<AccessTokenInfo> {
    try {
      const auth = await verifications.verifyOf(tenantKey, token, { ...options, scopes: [], guard: 'verifier' })
      const { clientId, claims } = auth
      Object.assign(message, { clientId, tenantId: claims.tenant_id, outcome: 'passed' })
      return auth
    } catch (error) {
      const { status, description } = reportError(error, { where: 'verifier', tenantKey }, emit, message)
      message.status = status
      if (status >= 500) throw error
      const ofSdk: unknown = await callHost('verifier.invalidToken', timeout, () => invalidToken(description))
      if (asError(ofSdk) === ofSdk) throw ofSdk
      throw temporarilyUnavailable(new TypeError('verifier.invalidToken must return an Error'), 'hook_failed')
    }
  }
}
