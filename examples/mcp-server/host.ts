import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  type CustomerSignIn,
  type CustomerSignInEvent,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTokenStore,
  OAuthError,
} from 'customer-sign-in'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { accountPages } from './account'
import { companies } from './companies'
import { answerMcp } from './mcp'
import { sessionOf } from './sessions'

/** What the app depends on, in production and in its tests. */
export const settings = {
  tenantStore: { findTenant: (key) => companies.get(key) },
  scopes: {
    profile: { words: { en: 'Know who you are', de: 'Wissen, wer Sie sind' } },
    'trips:write': { words: { en: 'Book and cancel trips for you', de: 'Reisen für Sie buchen und absagen' } },
  },
  // MCP clients refresh in parallel: the second refresh must not sign the customer out.
  refreshRetryWindow: 300,
  // The page of connected apps has one line for each, however often it has signed in.
  grants: { replace: true },
  authenticate(req: Request, res: Response, { url, tenant, prompt }) {
    const session = prompt.includes('login') ? undefined : sessionOf(req, tenant.key)
    if (session) return { subject: session.customer, name: session.customer }
    if (!prompt.includes('none')) res.redirect(303, `/v1/${tenant.key}/login?next=${encodeURIComponent(url)}`)
  },
} satisfies Partial<CustomerSignInOptions>

/** The app as it runs in production. */
export function createHost(baseUrl: string, onEvent: (event: CustomerSignInEvent) => void): Express {
  const tokenStore = new MemoryTokenStore()
  // A real host loads its keys, so that tokens still work after a restart.
  const keys = {
    signing: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    credentialSecrets: [randomBytes(32)],
  }
  const clients = {
    // The toy identity provider is on this machine.
    documents: baseUrl.startsWith('http://localhost:') ? 'with-loopback' : true,
    // A client that acts for a company's people by its identity provider has a secret.
    authentication: ['none', 'client_secret_basic'],
  } satisfies CustomerSignInOptions['clients']
  return createApp(createCustomerSignIn({ ...settings, tokenStore, baseUrl, keys, clients, onEvent }), baseUrl)
}

/** One app for several companies. Each has an MCP server that its customers connect their assistants to. */
export function createApp(signIn: CustomerSignIn, baseUrl: string): Express {
  // Every request needs `profile`. The tool that books trips asks for more when it is called.
  const mcp = { path: '/v1/:tenantKey/mcp', scopes: 'profile', scopesSupported: 'trips:write', checkRevocation: true }

  const app = express()
  app.use(signIn)
  app.all(mcp.path, signIn.protectedResource(mcp))
  app.post(mcp.path, answerMcp(signIn))
  // This MCP server has no streams and no sessions: it only answers POST.
  app.all(mcp.path, (_req, res) => res.status(405).set('Allow', 'POST').end())
  app.use(accountPages(signIn, baseUrl))
  app.use(answerRefusal)
  return app
}

/** Sends what `requireScopes` throws to the client. Express would do the same, but also print the error. */
const answerRefusal: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof OAuthError) res.status(error.status).set(error.headers).json(error)
  else next(error)
}
