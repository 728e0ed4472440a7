import { type CustomerSignIn, checkTenant } from 'customer-sign-in'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { languageOf, loginAt, refuseOtherSites } from './account'
import { adminPage, type BlockEntry, blockLists, staffOnlyPage } from './admin-page'
import { type Company, companies } from './companies'
import { formPagePolicy } from './pages'
import { sessionOf } from './sessions'

// Short, so that the page is. Redis goes through its whole store for each page: ask for more of them at once there.
const limit = 20

type CompanyRequest = Request<{ tenantKey: string }>

/** Somebody of a company's staff, who is logged in. */
interface Staff {
  company: Company
  /** What events call them. */
  actor: string
}

/** The page on which the staff of a company look after its connected assistants. */
export function administration(signIn: CustomerSignIn, baseUrl: string): Router {
  const router = Router()
  router
    .route('/v1/:tenantKey/admin')
    .get(
      forStaff(baseUrl, async (staff, req, res) => {
        res.send(await shown(staff, req))
      }),
    )
    .post(
      refuseOtherSites(baseUrl),
      express.urlencoded({ extended: false }),
      forStaff(baseUrl, async (staff, req, res) => {
        const { action, value, list, sure, subject } = (req.body ?? {}) as Record<string, unknown>
        const { company, actor } = staff
        const { key: tenantKey, id: tenantId } = company
        const entry = entryOf(list, value)
        if (action === 'disconnect' && isText(value) && isText(subject))
          await signIn.grants.revoke({ tenantKey, subject, grantId: value, actor })
        else if (action === 'end' && sure === 'yes') await signIn.tenants.end({ tenantId, actor })
        else if (action === 'allow' && entry) save(withoutEntry(company, entry))
        else if (action === 'block' && entry) {
          const problem = save(withEntry(company, entry))
          if (problem !== undefined) return res.status(400).send(await shown(staff, req, { ...entry, problem }))
          // Blocked first, so that nobody connects it again in between.
          if (entry.list === 'clientIds') await signIn.grants.revokeAll({ tenantKey, clientId: entry.value, actor })
        } else return res.status(400).send('Please go back, and fill in the form')
        res.redirect(303, req.originalUrl)
      }),
    )
  return router

  async function shown({ company }: Staff, req: CompanyRequest, refused?: BlockEntry & { problem: string }) {
    const { key: tenantKey } = company
    const language = languageOf(req)
    const page = await signIn.grants.list({
      tenantKey,
      anyCustomer: true,
      after: textOf(req.query.after),
      limit,
      language,
    })
    return adminPage({ company, page, language, refused })
  }
}

/** Serves the staff of a company alone: who is not logged in gets the login page, and a customer 403. */
function forStaff(
  baseUrl: string,
  serve: (staff: Staff, req: CompanyRequest, res: Response) => Promise<unknown>,
): RequestHandler<{ tenantKey: string }> {
  return async (req, res, next) => {
    const { tenantKey } = req.params
    const company = companies.get(tenantKey)
    if (!company) return next()
    const session = sessionOf(req, tenantKey)
    const login = loginAt(tenantKey, `${baseUrl}/v1/${tenantKey}/admin`)
    if (!session) return res.redirect(303, login)
    res.set({ 'Content-Security-Policy': formPagePolicy, 'Cache-Control': 'no-store', Vary: 'Accept-Language' })
    const actor = company.staff.get(session.customer)
    if (actor === undefined) return res.status(403).send(staffOnlyPage(company.name, login, languageOf(req)))
    await serve({ company, actor }, req, res)
  }
}

/** Saves a company's record unless something is wrong with it, as every request would find. @returns What is wrong. */
function save(company: Company): string | undefined {
  const [wrong] = checkTenant(company)
  if (wrong) return wrong.problem
  companies.set(company.key, company)
}

function withEntry(company: Company, entry: BlockEntry): Company {
  const { blockedClients = {} } = withoutEntry(company, entry)
  const entries = [...(blockedClients[entry.list] ?? []), entry.value]
  return { ...company, blockedClients: { ...blockedClients, [entry.list]: entries } }
}

function withoutEntry(company: Company, { list, value }: BlockEntry): Company {
  const entries = (company.blockedClients?.[list] ?? []).filter((blocked) => blocked !== value)
  return { ...company, blockedClients: { ...company.blockedClients, [list]: entries } }
}

function entryOf(list: unknown, value: unknown): BlockEntry | undefined {
  const known = blockLists.find((name) => name === list)
  return known && isText(value) ? { list: known, value: value.trim() } : undefined
}

function isText(given: unknown): given is string {
  return typeof given === 'string' && given !== ''
}

function textOf(given: unknown): string | undefined {
  return isText(given) ? given : undefined
}
