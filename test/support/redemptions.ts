import type { Response } from 'supertest'
import type { FormFields, TestSignIn } from './sign-in'

/** A live credential of customer-1 at acme. It can be presented to any server over the same store, more than once. */
export type Redeem = (at?: TestSignIn, overrides?: FormFields) => PromiseLike<Response>

export const kinds = ['code', 'refresh token'] as const

/** Both kinds of credential, for promises about both. */
export const liveCredential: Record<(typeof kinds)[number], (host: TestSignIn) => Promise<Redeem>> = {
  code: async (host) => {
    const signedIn = await host.asCustomer()
    return (at = host, overrides = {}) => at.exchange(signedIn, overrides)
  },
  'refresh token': async (host) => {
    const { refresh_token } = await host.connected()
    return (at = host, overrides = {}) => at.refresh(refresh_token, overrides)
  },
}
