import { createCustomerSignIn } from 'customer-sign-in'
import { authenticate, signingKeys, tenantStore, tokenStore } from './parts.mjs'

export const signIn = createCustomerSignIn({
  baseUrl: 'https://127.0.0.1:42827/auth',
  tenantStore,
  tokenStore,
  signingKeys,
  authenticate,
})
export const guard = signIn.protectedResource({ path: '/v1/:tenantKey/bookings', scopes: 'profile' })
