import type { Secrets } from '../printable'
import { fault } from '../report'

/** What the token endpoint has issued. */
export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
}

/** The members of a token response (RFC 6749 section 5.1). */
export function tokensIn(members: Record<string, unknown>, secrets: Secrets): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type, expires_in: lifetime } = members
  for (const token of [accessToken, refreshToken]) if (typeof token === 'string') secrets.add(token)
  if (typeof accessToken !== 'string' || accessToken === '') throw fault('token-response', { member: 'access_token' })
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw fault('token-response', { member: 'token_type' })
  if (lifetime !== undefined && typeof lifetime !== 'number') throw fault('token-response', { member: 'expires_in' })
  return { accessToken, refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined }
}
