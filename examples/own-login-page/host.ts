import { generateKeyPairSync } from 'node:crypto'
import {
  type Client,
  type CustomerSignIn,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
} from 'customer-sign-in'
import express, { type Express, type Request, type Response } from 'express'
import { accountOf, login } from './login'

/** The client that the example connects. */
export const demo: Client = { clientId: 'demo', clientName: 'Demo App', redirectUris: ['http://localhost/arrived'] }

/** What the app depends on, in production and in its tests. */
export const settings = {
  tenantStore: new MemoryTenantStore([{ key: 'acme', name: 'Acme Air', clients: [demo] }]),
  authenticate(req: Request, res: Response, { url, prompt }) {
    // The client may want a fresh login, or no page at all.
    const account = prompt.includes('login') ? undefined : accountOf(req)
    if (account) return { subject: account.id, name: account.name }
    if (!prompt.includes('none')) res.redirect(303, `/login?next=${encodeURIComponent(url)}`)
  },
} satisfies Partial<CustomerSignInOptions>

/** The app as it runs in production. */
export function createHost(baseUrl: string): Express {
  const tokenStore = new MemoryTokenStore()
  // A real host loads its keys, so that tokens still work after a restart.
  const signingKeys = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey]
  return createApp(createCustomerSignIn({ ...settings, tokenStore, baseUrl, keys: { signing: signingKeys } }), baseUrl)
}

/** An app with a login of its own, to which customer sign-in is added. */
export function createApp(signIn: CustomerSignIn, baseUrl: string): Express {
  const app = express()
  app.use(login(baseUrl))
  app.use(signIn)

  app.get('/arrived', (_req, res) => {
    res.send('This is the client. It would redeem its code now.')
  })
  return app
}
