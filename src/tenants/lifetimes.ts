import { seconds } from '../configuration/checks'

/** Checks the lifetime of access tokens, in an option or a tenant's record: at most an hour. */
export const accessTokenLifetime = seconds(1, 3600)

/** Checks the lifetime of refresh tokens, in an option or a tenant's record: at most 30 days. */
export const refreshTokenLifetime = seconds(1, 30 * 86_400)
