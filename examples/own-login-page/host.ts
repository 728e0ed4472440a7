import { generateKeyPairSync } from 'node:crypto'
import { type Client, createCustomerSignIn, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express, { type Express, type Request, type Response } from 'express'
import { accountOf, login } from './login'

/** The client that the example connects. */
export const demo: Client = { clientId: 'demo', clientName: 'Demo App', redirectUris: ['http://localhost/arrived'] }

/** An app with a login of its own, and the code that adds customer sign-in to it. */
export function createHost(baseUrl: string): Express {
  const app = express()
  app.use(login(baseUrl))

  const signIn = createCustomerSignIn({
    tenantStore: new MemoryTenantStore([{ key: 'acme', name: 'Acme Air', clients: [demo] }]),
    tokenStore: new MemoryTokenStore(),
    baseUrl,
    // A real host loads its keys, so that tokens still work after a restart.
    signingKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    authenticate(req: Request, res: Response, { url, prompt }) {
      // The client may want a fresh login, or no page at all.
      const account = prompt.includes('login') ? undefined : accountOf(req)
      if (account) return { subject: account.id, name: account.name }
      if (!prompt.includes('none')) res.redirect(303, `/login?next=${encodeURIComponent(url)}`)
    },
  })
  app.use(signIn)

  app.get('/arrived', (_req, res) => {
    res.send('This is the client. It would redeem its code now.')
  })
  return app
}
