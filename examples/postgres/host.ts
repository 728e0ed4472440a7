import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createCustomerSignIn, type Tenant, type TenantStore } from 'customer-sign-in'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import express from 'express'
import { Pool } from 'pg'
import { schema } from './database'

/** The settings that all processes of a host share. */
export interface HostSettings {
  BASE_URL: string
  DATABASE_URL: string
  /** A private key, as PEM. */
  SIGNING_KEY: string
  /** At least 32 bytes. */
  CREDENTIAL_SECRET: string
}

// One pool for the host's own tables and for the grants, as the role that owns them. In production, give the library a pool and a role of its own.
const pool = new Pool({
  connectionString: setting('DATABASE_URL'),
  connectionTimeoutMillis: 2000,
  query_timeout: 2500,
  maxLifetimeSeconds: 300,
})
// Without a listener, an idle connection that breaks would end the process.
pool.on('error', (error) => process.stderr.write(`PostgreSQL: ${error.message}\n`))

/** The host's customers are companies, each in a row of its own table. */
const tenantStore: TenantStore = {
  async findTenant(key): Promise<Tenant | undefined> {
    const { rows } = await pool.query(`select id, key, name from ${schema}.tenants where key = $1`, [key])
    const [company] = rows as { id: string; key: string; name: string }[]
    return company && { ...company, clients: [assistant] }
  },
}

const assistant = {
  clientId: 'travel-assistant',
  clientName: 'Travel Assistant',
  redirectUris: ['http://127.0.0.1/callback'],
}

const signIn = createCustomerSignIn({
  tenantStore,
  tokenStore: new PostgresTokenStore(pool, { schema }),
  baseUrl: setting('BASE_URL'),
  keys: { signing: [setting('SIGNING_KEY')], credentialSecrets: [setting('CREDENTIAL_SECRET')] },
  scopes: { bookings: 'See your bookings' },
  // A real host reads its session here, and redirects to its login page if there is none.
  authenticate: () => ({ subject: 'cus_W2kq8ZpX4nTb', name: 'Ada Lovelace' }),
  refreshRetryWindow: 300,
  onEvent(event) {
    if (event.type === 'error') process.stderr.write(`${event.where}: ${event.error.message}\n`)
  },
})

let stopping = false

const app = express()
app.use((_req, res, next) => {
  // The client's next request goes to another process.
  if (stopping) res.set('Connection', 'close')
  next()
})
app.get('/live', (_req, res) => void res.json({ live: true }))
app.get('/ready', async (_req, res) => {
  const health = await signIn.health()
  res.status(health.ready && !stopping ? 200 : 503).json(health)
})
app.use(signIn)

const guard = signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey, checkRevocation: true })

app.post('/v1/:tenantKey/sign-out', guard, async (req, res) => {
  const { tenantKey, subject } = signIn.auth(req)
  res.json({ ended: await signIn.grants.revokeAll({ tenantKey, subject }) })
})

const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

process.once('SIGTERM', shutDown)
process.once('disconnect', shutDown)
// The channel to the parent process would keep this process alive.
process.channel?.unref()

/** Answers requests until the load balancer sends no more, and then the open ones. The process ends when nothing is left to do. */
async function shutDown(): Promise<void> {
  if (stopping) return
  stopping = true
  // In production about ten seconds: as long as the load balancer takes to see that /ready says 503.
  await setTimeout(Number(process.env.DRAIN_SECONDS ?? 0) * 1000)
  server.close(() => pool.end())
}

function setting(name: keyof HostSettings): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}
