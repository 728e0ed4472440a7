import express from 'express'
import { pool } from './database.js'
import { customerOf, login, sessions } from './login.js'
import { mcp } from './mcp-sdk-1.js'
import { rateLimits } from './rate-limits.js'
import { signIn } from './sign-in.js'

const app = express()
app.set('trust proxy', 'loopback') // or the addresses of your proxies
app.get('/ready', async (_req, res) => {
  const health = await signIn.health()
  res.status(health.ready ? 200 : 503).json(health)
})
for (const [paths, limit] of rateLimits(pool)) app.use(paths, limit)
app.use(sessions)
app.use(signIn) // after the sessions, before your other routes
app.use(login)

// The MCP server of each company. A revoked token ends at once.
const api = { path: '/v1/:tenantKey/mcp', scopes: 'bookings', checkRevocation: true }
app.all(api.path, signIn.protectedResource(api))
app.post(api.path, mcp)
app.all(api.path, (_req, res) => res.status(405).set('Allow', 'POST').end())

// What a customer has connected, and how to disconnect it, at /acme/apps.
app.get('/:slug/apps', async (req, res) => {
  const customer = await customerAt(req)
  if (!customer) return res.redirect(303, `/${req.params.slug}/login`)
  const { grants } = await signIn.grants.list({ tenantKey: req.params.slug, subject: customer.id })
  const rows = grants.map(
    ({ grantId, clientName, connectedAt }) =>
      `<form method="post" action="/${req.params.slug}/apps/${grantId}">${escaped(clientName)}, since ${new Date(connectedAt).toDateString()}
       <button>Disconnect</button></form>`,
  )
  res.send(`<!doctype html><title>Connected apps</title>${rows.join('') || 'Nothing is connected.'}`)
})
app.post('/:slug/apps/:grantId', async (req, res) => {
  const { slug: tenantKey, grantId } = req.params
  const customer = await customerAt(req)
  // With the subject, nothing is done to the grant of another customer.
  if (customer) await signIn.grants.revoke({ tenantKey, subject: customer.id, grantId, actor: 'customer' })
  res.redirect(303, `/${tenantKey}/apps`)
})

/** The customer of this company who is logged in. */
async function customerAt(req: express.Request<{ slug: string }>) {
  const { rows } = await pool.query('select id from companies where slug = $1', [req.params.slug])
  return customerOf(req, rows[0]?.id)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const port = Number(process.env.PORT ?? 8080)
const server = app.listen(port, () => console.info(`The app listens at port ${port}`))
server.keepAliveTimeout = 75_000 // longer than the proxy in front
process.once('SIGTERM', () => server.close())
