import { readFileSync } from 'node:fs'
import { createCustomerSignIn } from 'customer-sign-in'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import express from 'express'
import { Pool } from 'pg'
import { authenticate, log, tenantStore } from './app'

const { BASE_URL, SIGN_IN_DATABASE_URL, KEYS_FOLDER, PORT } = process.env

function readKeys() {
  const pem = readFileSync(`${KEYS_FOLDER}/signing-key.pem`, 'utf8')
  const secrets = readFileSync(`${KEYS_FOLDER}/credential-secret`, 'utf8')
  return {
    signing: pem.match(/-----BEGIN[\s\S]+?-----END.*-----/g) ?? [],
    credentialSecrets: secrets.trim().split('\n'),
  }
}

const pool = new Pool({
  connectionString: SIGN_IN_DATABASE_URL,
  connectionTimeoutMillis: 2000,
  query_timeout: 2500,
  maxLifetimeSeconds: 300,
})
pool.on('error', (error) => log.error(error, 'PostgreSQL'))
let keys = readKeys()
const signIn = createCustomerSignIn({
  tenantStore,
  tokenStore: new PostgresTokenStore(pool),
  baseUrl: BASE_URL,
  authenticate,
  refreshRetryWindow: 300,
  keys,
  onEvent: (event) => (event.type === 'error' ? log.error(event.error, event.where) : log.info(event)),
})

const app = express()
app.set('trust proxy', 'uniquelocal') // the ingress, inside of the cluster
app.get('/live', (_req, res) => void res.end())
app.get('/ready', async (_req, res) => {
  const health = await signIn.health()
  res.status(health.ready ? 200 : 503).json(health)
})
app.use(signIn)

const server = app.listen(Number(PORT))
server.keepAliveTimeout = 75_000 // longer than the ingress keeps an idle connection

// Kubernetes changes the files of a mounted Secret within about a minute.
const reloading = setInterval(async () => {
  try {
    const found = readKeys()
    if (JSON.stringify(found) === JSON.stringify(keys)) return
    await signIn.setKeys(found)
    keys = found
  } catch (error) {
    log.error(error, 'keys')
  }
}, 10_000)

process.once('SIGTERM', () => {
  clearInterval(reloading)
  server.close(() => void pool.end()) // answers what has begun, and accepts nothing new
  setInterval(() => server.closeIdleConnections(), 500).unref() // those that have had their answer
  setTimeout(() => server.closeAllConnections(), 20_000).unref() // streams that would never end
})
