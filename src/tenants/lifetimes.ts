import { seconds } from '../configuration/checks'

/** The longest lifetime that an option or a tenant's record can give to access tokens. */
export const accessTokenLifetime = seconds(1, 3600)

/** The longest lifetime that an option or a tenant's record can give to refresh tokens: 30 days. */
export const refreshTokenLifetime = seconds(1, 30 * 86_400)
