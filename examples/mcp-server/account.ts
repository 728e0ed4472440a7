import type { CustomerSignIn } from 'customer-sign-in'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { type Language, languages } from './app-details'
import { companies } from './companies'
import { connectPage, connectPagePolicy } from './connect-page'
import { loginPage } from './pages'
import { sessionOf, startSession } from './sessions'

/** The company's own pages: the login, how to connect an assistant, and the apps that the customer has connected. */
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
  router.get('/v1/:tenantKey/connect', async (req, res) => {
    const guide = await signIn.connect({ tenantKey: req.params.tenantKey })
    res.set('Content-Security-Policy', connectPagePolicy).send(connectPage(guide))
  })

  const who = (req: Request<{ tenantKey: string }>, res: Response) => {
    const { tenantKey } = req.params
    const session = sessionOf(req, tenantKey)
    return session ? { tenantKey, subject: session.customer } : res.redirect(303, loginAt(tenantKey, appsAt(tenantKey)))
  }
  router.all('/v1/:tenantKey/apps', signIn.pages.connectedApps({ who }))

  return router
}

/** The login page, which leads to another page of the company. */
export function loginAt(tenantKey: string, next: string): string {
  return `/v1/${tenantKey}/login?next=${encodeURIComponent(next)}`
}

/** The language of the pages that a browser prefers. */
export function languageOf(req: Pick<Request, 'acceptsLanguages'>): Language {
  return (req.acceptsLanguages(languages) || languages[0]) as Language
}

/** Refuses forms on other sites: they could log somebody in, or press a button for somebody who is logged in (CSRF). */
export function refuseOtherSites(baseUrl: string): RequestHandler {
  const { origin } = new URL(baseUrl)
  return (req, res, next) => {
    if ((req.get('Origin') ?? origin) === origin) next()
    else res.status(403).send('Only the page at this address may send this form')
  }
}
