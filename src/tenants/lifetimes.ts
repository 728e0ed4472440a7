import { seconds } from '../configuration/checks'

/** Checks the lifetime of access tokens, in an option or a tenant's record: at most an hour. */
export const accessTokenLifetime = seconds(1, 3600)

/** Checks the lifetime of refresh tokens, in an option or a tenant's record: at most 30 days. */
export const refreshTokenLifetime = seconds(1, 30 * 86_400)

/**
 * The longest `refreshRetryWindow` for access tokens that live this long, in seconds. A process of a client that shares its tokens with
 * another one presents a used refresh token when its access token expires, so at most an access token's life after that use.
 */
export function longestRetryWindow(accessTokenLifetime: number): number {
  return accessTokenLifetime + 300
}
