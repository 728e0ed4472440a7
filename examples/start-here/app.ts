import express from 'express'
import { pool } from './database.js'
import { login, sessions } from './login.js'
import { mcp } from './mcp-sdk-1.js' // or './mcp-sdk-2.js'
import { pages } from './pages.js'
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

// The MCP server of each company. A revoked token ends at once, and no page of another origin may call it.
const api = {
  path: '/v1/:tenantKey/mcp',
  scopes: 'bookings',
  checkRevocation: true,
  allowedOrigins: [] as string[],
}
app.all(api.path, signIn.protectedResource(api))
app.post(api.path, mcp)
app.all(api.path, (_req, res) => res.status(405).set('Allow', 'POST').end())

app.use(pages)

const port = Number(process.env.PORT ?? 8080)
const server = app.listen(port, process.env.HOST ?? '127.0.0.1', () => console.info(`The app listens at port ${port}`))
server.keepAliveTimeout = 75_000 // longer than the proxy in front
process.once('SIGTERM', () => server.close())
