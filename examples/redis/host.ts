import { setTimeout } from 'node:timers/promises'
import { createCustomerSignIn, type RequireAccessTokenOptions, type Tenant } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import express from 'express'
import { Redis } from 'ioredis'
import { refreshRetryWindow } from './retry-window'

/** The settings that all processes of a host share. */
export interface HostSettings {
  BASE_URL: string
  REDIS_URL: string
  /** A private key, as PEM. */
  SIGNING_KEY: string
  /** At least 32 bytes. */
  CREDENTIAL_SECRET: string
}

const acme: Tenant = {
  key: 'acme',
  id: 'acme',
  name: 'Acme Air',
  clients: [
    { clientId: 'travel-assistant', clientName: 'Travel Assistant', redirectUris: ['http://127.0.0.1/callback'] },
  ],
}

const redis = new Redis(setting('REDIS_URL'))
redis.on('error', (error) => process.stderr.write(`Redis: ${error.message}\n`))

const signIn = createCustomerSignIn({
  tenantStore: { findTenant: (key) => (key === acme.key ? acme : undefined) },
  tokenStore: new RedisTokenStore(redis, { keyPrefix: 'example:' }),
  baseUrl: setting('BASE_URL'),
  keys: { signing: [setting('SIGNING_KEY')], credentialSecrets: [setting('CREDENTIAL_SECRET')] },
  scopes: { bookings: 'See your bookings' },
  // A real host reads its session here, and redirects to its login page if there is none.
  authenticate: () => ({ subject: 'cus_W2kq8ZpX4nTb', name: 'Ada Lovelace' }),
  // A client that never got its answer may ask another process, and gets the same refresh token there.
  refreshRetryWindow,
  onEvent(event) {
    if (event.type === 'error') process.stderr.write(`${event.where}: ${event.error.message}\n`)
  },
})

let stopping = false

const app = express()
app.use((_req, res, next) => {
  res.set('X-Answered-By', process.argv[2])
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

const required: RequireAccessTokenOptions = { tenantKey: (req) => req.params.tenantKey, checkRevocation: true }

app.get('/v1/:tenantKey/bookings', signIn.requireAccessToken({ ...required, scopes: 'bookings' }), (req, res) => {
  const { subject } = signIn.auth(req)
  res.json({ customer: subject, bookings: ['London to Turin, seat 12A'] })
})

app.post('/v1/:tenantKey/sign-out', signIn.requireAccessToken(required), async (req, res) => {
  const { tenantKey, subject } = signIn.auth(req)
  res.json({ ended: await signIn.grants.revokeAll({ tenantKey, subject }) })
})

const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))

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
  server.close(() => redis.quit())
}

function setting(name: keyof HostSettings): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}
