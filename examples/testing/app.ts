// app.ts
import type { CustomerSignIn, CustomerSignInOptions } from 'customer-sign-in'
import express, { type Express } from 'express'

export const settings = {
  scopes: ['profile', 'bookings'],
  refreshRetryWindow: 300,
} satisfies Partial<CustomerSignInOptions>

export function createApp(signIn: CustomerSignIn): Express {
  const app = express()
  app.use(signIn)

  const bookings = { path: '/v1/:tenantKey/bookings', scopes: 'bookings', checkRevocation: true }
  app.get(bookings.path, signIn.protectedResource(bookings), (req, res) => {
    const { subject } = signIn.auth(req)
    res.json({ customer: subject })
  })
  return app
}
