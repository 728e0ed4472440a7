import { decode, verify } from 'jsonwebtoken'
import { OAuthError, withContext } from '../protocol/oauth-error'
import type { DenialReason } from '../protocol/reasons'
import type { SigningKey, SigningKeys } from './signing-keys'

/** The `typ` of an access token (RFC 9068 section 2.1). */
export const accessTokenType = 'at+jwt'

/** The claims that every access token of this server has. */
export interface AccessTokenClaims extends Record<string, unknown> {
  iss: string
  sub: string
  aud: string
  exp: number
  scope: string
  client_id: string
  grant_id: string
  tenant_id: string
}

/**
 * The claims of an access token that this server has signed and that has not expired. For whom it is good, the caller checks.
 *
 * @param options.ignoreExpiration Gives the claims of an expired one as well.
 * @throws {OAuthError} `invalid_token`
 */
export function verifiedClaims(
  token: string,
  signingKeys: SigningKeys,
  { ignoreExpiration = false } = {},
): AccessTokenClaims {
  const header = decoded(token)?.header
  const key = signingKeys.find(({ kid }) => kid === header?.kid)
  if (!key || header?.typ !== accessTokenType)
    throw invalidToken('The access token is not of this server', 'unknown_token')
  const claims = verified(token, key, ignoreExpiration)
  // The host may sign other tokens with the same key.
  if (!hasOurClaims(claims)) throw invalidToken('The access token is not of this server', 'unknown_token')
  return claims
}

function verified(token: string, key: SigningKey, ignoreExpiration: boolean): unknown {
  try {
    return verify(token, key.publicKey, { algorithms: [key.algorithm], ignoreExpiration })
  } catch (error) {
    const expired = (error as Error).name === 'TokenExpiredError'
    if (expired) throw invalidToken('The access token has expired', 'token_expired')
    throw invalidToken('The access token is not of this server', 'unknown_token')
  }
}

function hasOurClaims(claims: unknown): claims is AccessTokenClaims {
  const { exp, ...others } = claims as Record<string, unknown>
  const texts = ['iss', 'sub', 'aud', 'scope', 'client_id', 'grant_id', 'tenant_id']
  return typeof exp === 'number' && texts.every((name) => typeof others[name] === 'string')
}

/** The issuer that a token names, before anything of it is verified. */
export function claimedIssuer(token: string): string {
  const payload = decoded(token)?.payload
  return typeof payload === 'object' && typeof payload.iss === 'string' ? payload.iss : ''
}

export function invalidToken(description: string, reason: DenialReason): OAuthError {
  return new OAuthError('invalid_token', description, { reason })
}

/**
 * An error about an access token that also says whose it is, where this server has signed the token: the tenant id is that of the customer,
 * whichever tenant was asked.
 */
export function namingOwner(thrown: unknown, token: string, signingKeys: SigningKeys): unknown {
  if (thrown instanceof OAuthError && thrown.reason === 'unknown_token') return thrown
  try {
    const { tenant_id, client_id, grant_id, sub } = verifiedClaims(token, signingKeys, { ignoreExpiration: true })
    return withContext(thrown, { tenantId: tenant_id, clientId: client_id, grantId: grant_id, subject: sub })
  } catch {
    return thrown
  }
}

function decoded(token: string) {
  try {
    return decode(token, { complete: true })
  } catch {
    return null
  }
}
