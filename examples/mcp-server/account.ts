import type { CustomerSignIn } from 'customer-sign-in'
import express, { type RequestHandler, Router } from 'express'
import { companies } from './companies'
import { connectPage, connectPagePolicy } from './connect-page'
import { type Assistant, assistantsPage, loginPage } from './pages'
import { sessionOf, startSession } from './sessions'

/** The company's own pages: the login, how to connect an assistant, and the assistants that the customer has connected. */
export function accountPages(signIn: CustomerSignIn, baseUrl: string): Router {
  const router = Router()
  const nameOf = (tenantKey: string) => companies.get(tenantKey)?.name ?? tenantKey
  const assistantsAt = (tenantKey: string) => `${baseUrl}/v1/${tenantKey}/assistants`
  const loginAt = (tenantKey: string, next: string) => `/v1/${tenantKey}/login?next=${encodeURIComponent(next)}`

  router.param('tenantKey', (_req, _res, next, tenantKey) => next(companies.has(tenantKey) ? undefined : 'route'))

  router
    .route('/v1/:tenantKey/login')
    .get((req, res) => res.send(loginPage(nameOf(req.params.tenantKey))))
    .post(refuseOtherSites(baseUrl), express.urlencoded({ extended: false }), (req, res) => {
      const { tenantKey } = req.params
      const customer = String(req.body?.name ?? '').trim()
      if (customer === '') return res.status(400).send(loginPage(nameOf(tenantKey)))
      startSession(res, { tenantKey, customer }, { secure: baseUrl.startsWith('https:') })
      const next = String(req.query.next)
      // Only to this company's pages. Otherwise phishers could use the login page to send people to their sites.
      res.redirect(303, next.startsWith(`${baseUrl}/v1/${tenantKey}/`) ? next : assistantsAt(tenantKey))
    })

  // For everybody: there is nothing secret on it, and people read it before they log in.
  router.get('/v1/:tenantKey/connect', async (req, res) => {
    const guide = await signIn.connect({ tenantKey: req.params.tenantKey })
    res.set('Content-Security-Policy', connectPagePolicy).send(connectPage(guide))
  })

  router
    .route('/v1/:tenantKey/assistants')
    .get(async (req, res) => {
      const { tenantKey } = req.params
      const { customer } = sessionOf(req, tenantKey) ?? {}
      if (customer === undefined) return res.redirect(303, loginAt(tenantKey, assistantsAt(tenantKey)))
      const assistants = await assistantsOf(signIn, { tenantKey, subject: customer })
      res.send(assistantsPage({ customer, company: nameOf(tenantKey), assistants }))
    })
    .post(refuseOtherSites(baseUrl), express.urlencoded({ extended: false }), async (req, res) => {
      const { tenantKey } = req.params
      const { customer } = sessionOf(req, tenantKey) ?? {}
      const clientId = String(req.body?.client ?? '')
      // Customers can end only their own grants.
      if (customer && clientId) await signIn.grants.revokeAll({ tenantKey, subject: customer, clientId })
      res.redirect(303, assistantsAt(tenantKey))
    })

  return router
}

/** Each assistant once, since its newest grant: it has one for each sign-in, and one for each time that the customer allowed it more. */
async function assistantsOf(signIn: CustomerSignIn, of: { tenantKey: string; subject: string }): Promise<Assistant[]> {
  const grants = await signIn.grants.list(of)
  const newest = new Map(grants.map(({ clientId, connectedAt }) => [clientId, connectedAt]))
  return Promise.all(
    [...newest].map(async ([clientId, connectedAt]) => {
      const client = await signIn.clients.find({ tenantKey: of.tenantKey, clientId })
      // A client with a metadata document is not registered: its id is the document's address.
      return { clientId, name: client?.clientName ?? clientId, since: new Date(connectedAt) }
    }),
  )
}

/** Refuses forms on other sites: they could log somebody in, or press a button for somebody who is logged in (CSRF). */
function refuseOtherSites(baseUrl: string): RequestHandler {
  const { origin } = new URL(baseUrl)
  return (req, res, next) => {
    if ((req.get('Origin') ?? origin) === origin) next()
    else res.status(403).send('Only the page at this address may send this form')
  }
}
