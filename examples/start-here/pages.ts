import { type Request, type Response, Router } from 'express'
import { pool } from './database.js'
import { customerOf, origin } from './login.js'
import { signIn } from './sign-in.js'

type CompanyRequest = Request<{ slug: string }>

/** Pages of the library, behind the login of the app. */
export const pages = Router()

// For everybody: how to connect an assistant.
pages.get(
  '/:slug/connect',
  signIn.pages.connectAssistant({ who: (req: CompanyRequest) => ({ tenantKey: req.params.slug }) }),
)

// For a customer: what they have connected, and how to disconnect it.
pages.all(
  '/:slug/apps',
  signIn.pages.connectedApps({
    async who(req: CompanyRequest, res: Response) {
      const customer = await loggedIn(req, res)
      return customer && { tenantKey: req.params.slug, subject: customer.id }
    },
  }),
)

// For the company's staff: what its customers have connected, and which apps may connect.
pages.all(
  '/:slug/admin',
  signIn.pages.administration({
    async who(req: CompanyRequest, res: Response) {
      const customer = await loggedIn(req, res)
      if (customer?.isStaff) return { tenantKey: req.params.slug, actor: customer.id }
      if (customer) res.status(403).send('For staff only')
      return null
    },
    async saveRules({ tenantKey, allowedClients, blockedClients, before }) {
      const rules = [allowedClients, blockedClients, before.allowedClients, before.blockedClients]
      const values = rules.map((rule) => rule && JSON.stringify(rule))
      const { rowCount } = await pool.query(
        `update companies set allowed_clients = $2, blocked_clients = $3 where slug = $1
         and allowed_clients is not distinct from $4::jsonb and blocked_clients is not distinct from $5::jsonb`,
        [tenantKey, ...values],
      )
      if (rowCount === 0) throw new Error('Somebody else has just saved')
    },
  }),
)

async function loggedIn(req: CompanyRequest, res: Response) {
  const { slug } = req.params
  const { rows } = await pool.query('select id from companies where slug = $1', [slug])
  const customer = customerOf(req, rows[0]?.id)
  if (!customer) res.redirect(303, `/${slug}/login?next=${encodeURIComponent(origin + req.path)}`)
  return customer
}
