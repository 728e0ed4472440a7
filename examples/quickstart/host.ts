import { generateKeyPairSync } from 'node:crypto'
import {
  type AuthorizedRequest,
  type Client,
  type CustomerSignInEvent,
  createCustomerSignIn,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import express, { type Express, type Request } from 'express'
import { authorizePage } from './authorize'
import { showError } from './pages'

/** The app that customers connect. Each company has registered it by hand. */
const assistant: Client = {
  clientId: 'travel-assistant',
  clientName: 'Travel Assistant',
  // An app on the customer's own machine may use any port there (RFC 8252 section 7.3).
  redirectUris: ['http://127.0.0.1/callback'],
}

/** What a host has in its database. Initech has not set up customer sign-in. */
const companies = new Map<string, { name: string; clients?: Client[] }>([
  ['acme', { name: 'Acme Air', clients: [assistant] }],
  ['globex', { name: 'Globex Hotels', clients: [assistant] }],
  ['initech', { name: 'Initech' }],
])

const bookings = [
  { company: 'acme', customer: 'ada', booking: 'London to Turin, seat 12A' },
  { company: 'globex', customer: 'ada', booking: 'Turin, two nights' },
]

/** The company, if it has set up customer sign-in. */
function findTenant(key: string): Tenant | undefined {
  const { name, clients } = companies.get(key) ?? {}
  return clients && { key, name, clients, scopes: ['profile', 'bookings'] }
}

/** For how many seconds a used refresh token that comes again is only refused. */
export const replayTolerance = 3

/** One app of many companies: each has a protected API, and customer sign-in for the clients that call it. */
export function createHost(baseUrl: string, onEvent: (event: CustomerSignInEvent) => void): Express {
  const signIn = createCustomerSignIn({
    tenantStore: { findTenant },
    tokenStore: new MemoryTokenStore(),
    baseUrl,
    // A real host loads its keys, so that tokens outlive the process.
    signingKeys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    // 10 by default; short, so that its end can be seen.
    replayTolerance,
    onEvent,
  })

  const app = express()
  app.use(signIn)
  app.use('/v1/:tenantKey/oauth/authorize', authorizePage({ signIn, findTenant, baseUrl }))

  app.get(
    '/v1/:tenantKey/bookings',
    signIn.requireAccessToken({
      tenantKey: (req: Request<{ tenantKey: string }>) => req.params.tenantKey,
      scopes: 'bookings',
      checkRevocation: true,
    }),
    (req, res) => {
      const { tenantKey, subject } = (req as AuthorizedRequest<typeof req>).auth
      const own = bookings.filter(({ company, customer }) => company === tenantKey && customer === subject)
      res.json({ customer: subject, bookings: own.map(({ booking }) => booking) })
    },
  )

  app.use(showError)
  return app
}
