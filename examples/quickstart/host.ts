import { generateKeyPairSync } from 'node:crypto'
import {
  type Client,
  type CustomerSignIn,
  type CustomerSignInEvent,
  createCustomerSignIn,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import express, { type Express } from 'express'
import { authorizePage } from './authorize'
import { showError } from './pages'

/** The app that customers connect. Each company has registered it by hand. */
const assistant: Client = {
  clientId: 'travel-assistant',
  clientName: 'Travel Assistant',
  // An app on the customer's own machine may use any port there (RFC 8252 section 7.3).
  redirectUris: ['http://127.0.0.1/callback'],
}

/** Stands for the host's database. Initech has not set up customer sign-in. */
const companies = new Map<string, { name: string; clients?: Client[] }>([
  ['acme', { name: 'Acme Air', clients: [assistant] }],
  ['globex', { name: 'Globex Hotels', clients: [assistant] }],
  ['initech', { name: 'Initech' }],
])

const bookings = [
  { company: 'acme', customer: 'cus_W2kq8ZpX4nTb', booking: 'London to Turin, seat 12A' },
  { company: 'globex', customer: 'cus_W2kq8ZpX4nTb', booking: 'Turin, two nights' },
]

/** The company, if it has set up customer sign-in. */
function findTenant(key: string): Tenant | undefined {
  const { name, clients } = companies.get(key) ?? {}
  return clients && { key, name, clients, scopes: ['profile', 'bookings'] }
}

/** What the app depends on, in production and in its tests. */
export const settings = { tenantStore: { findTenant } }

/** The app as it runs in production. */
export function createHost(baseUrl: string, onEvent: (event: CustomerSignInEvent) => void): Express {
  const tokenStore = new MemoryTokenStore()
  // A real host loads its keys, so that tokens still work after a restart.
  const signingKeys = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey]
  return createApp(
    createCustomerSignIn({ ...settings, tokenStore, baseUrl, keys: { signing: signingKeys }, onEvent }),
    baseUrl,
  )
}

/** One app for several companies. Each has a protected API, and customer sign-in for the clients that call it. */
export function createApp(signIn: CustomerSignIn, baseUrl: string): Express {
  const app = express()
  app.use(signIn)
  app.use('/v1/:tenantKey/oauth/authorize', authorizePage({ signIn, findTenant, baseUrl }))

  app.get(
    '/v1/:tenantKey/bookings',
    signIn.requireAccessToken({
      tenantKey: (req) => req.params.tenantKey,
      scopes: 'bookings',
      checkRevocation: true,
    }),
    (req, res) => {
      const { tenantKey, subject } = signIn.auth(req)
      const own = bookings.filter(({ company, customer }) => company === tenantKey && customer === subject)
      res.json({ customer: subject, bookings: own.map(({ booking }) => booking) })
    },
  )

  app.use(showError)
  return app
}
