import { decode, type JwtPayload, verify } from 'jsonwebtoken'
import { OAuthError } from '../protocol/oauth-error'
import { accessTokenType } from './access-token'
import type { SigningKeys } from './signing-keys'

/** The claims that every access token of this server has. */
export interface AccessTokenClaims extends JwtPayload {
  sub: string
  exp: number
  scope: string
  client_id: string
  grant_id: string
  tenant_id: string
}

/**
 * The claims of an access token that this server has signed and that has not expired. For whom it is good, the caller checks.
 *
 * @throws {OAuthError} `invalid_token`
 */
export function verifiedClaims(token: string, signingKeys: SigningKeys): AccessTokenClaims {
  const header = decoded(token)?.header
  const key = signingKeys.find(({ kid }) => kid === header?.kid)
  if (!key || header?.typ !== accessTokenType) throw invalidToken('The access token is not of this server')
  try {
    return verify(token, key.publicKey, { algorithms: [key.algorithm] }) as AccessTokenClaims
  } catch (error) {
    const expired = (error as Error).name === 'TokenExpiredError'
    throw invalidToken(expired ? 'The access token has expired' : 'The access token is not of this server')
  }
}

/** The issuer that a token names, before anything of it is verified. */
export function claimedIssuer(token: string): string {
  const payload = decoded(token)?.payload
  return (typeof payload === 'object' && payload.iss) || ''
}

export function invalidToken(description: string): OAuthError {
  return new OAuthError('invalid_token', description)
}

function decoded(token: string) {
  try {
    return decode(token, { complete: true })
  } catch {
    return null
  }
}
