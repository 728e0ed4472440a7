import type { CustomerSignIn, SavedRules } from 'customer-sign-in'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { companies } from './companies'
import { loginPage, staffOnlyPage } from './pages'
import { sessionOf, startSession } from './sessions'

type CompanyRequest = Request<{ tenantKey: string }>

/** The company's own login, and the pages of the library behind it. */
export function accountPages(signIn: CustomerSignIn, baseUrl: string): Router {
  const router = Router()
  const nameOf = (tenantKey: string) => companies.get(tenantKey)?.name ?? tenantKey
  const appsAt = (tenantKey: string) => `${baseUrl}/v1/${tenantKey}/apps`

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
      res.redirect(303, next.startsWith(`${baseUrl}/v1/${tenantKey}/`) ? next : appsAt(tenantKey))
    })

  // For everybody: there is nothing secret on it, and people read it before they log in.
  const ofCompany = ({ params: { tenantKey } }: CompanyRequest) => ({ tenantKey })
  router.all('/v1/:tenantKey/connect', signIn.pages.connectAssistant({ who: ofCompany }))

  const customer = (req: CompanyRequest, res: Response) => {
    const { tenantKey } = req.params
    const session = sessionOf(req, tenantKey)
    return session ? { tenantKey, subject: session.customer } : res.redirect(303, loginAt(req))
  }
  router.all('/v1/:tenantKey/apps', signIn.pages.connectedApps({ who: customer }))

  const staff = (req: CompanyRequest, res: Response) => {
    const { tenantKey } = req.params
    const session = sessionOf(req, tenantKey)
    if (!session) return res.redirect(303, loginAt(req))
    const actor = companies.get(tenantKey)?.staff.get(session.customer)
    if (actor !== undefined) return { tenantKey, actor }
    res.status(403).send(staffOnlyPage(nameOf(tenantKey), loginAt(req)))
  }
  const saveRules = ({ tenantKey, allowedClients, blockedClients }: SavedRules) => {
    const company = companies.get(tenantKey)
    if (company) companies.set(tenantKey, { ...company, allowedClients, blockedClients })
  }
  router.all('/v1/:tenantKey/admin', signIn.pages.administration({ who: staff, saveRules }))

  return router

  /** The login page, which leads back to this page. */
  function loginAt({ params: { tenantKey }, path }: CompanyRequest): string {
    return `/v1/${tenantKey}/login?next=${encodeURIComponent(baseUrl + path)}`
  }
}

/** Refuses forms on other sites: they could log somebody in, or press a button for somebody who is logged in (CSRF). */
function refuseOtherSites(baseUrl: string): RequestHandler {
  const { origin } = new URL(baseUrl)
  return (req, res, next) => {
    if ((req.get('Origin') ?? origin) === origin) next()
    else res.status(403).send('Only the page at this address may send this form')
  }
}
