import { readFileSync } from 'node:fs'
import { createCustomerSignIn } from 'customer-sign-in'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import type { Request, Response } from 'express'
import { Pool } from 'pg'
import { pool } from './database.js'
import { customerOf } from './login.js'

const { BASE_URL = 'http://localhost:8080', KEYS_FOLDER = 'secrets', SIGN_IN_DATABASE_URL } = process.env
if (!SIGN_IN_DATABASE_URL) throw new Error('SIGN_IN_DATABASE_URL is not set')

/** A pool of its own, whose role has rights on the tables of the grants alone. */
export const signInPool = new Pool({
  connectionString: SIGN_IN_DATABASE_URL,
  connectionTimeoutMillis: 2000,
  query_timeout: 2500,
  maxLifetimeSeconds: 300,
})
signInPool.on('error', (error) => console.error('PostgreSQL:', error.message))

export const signIn = createCustomerSignIn({
  tenantStore: {
    async findTenant(slug) {
      const { rows } = await pool.query(
        `select slug as key, id, name, allowed_clients as "allowedClients", blocked_clients as "blockedClients"
         from companies where slug = $1`,
        [slug],
      )
      return rows[0]
    },
  },
  tokenStore: new PostgresTokenStore(signInPool),
  baseUrl: BASE_URL, // the public address, exactly as clients use it
  keys: {
    signing: [readFileSync(`${KEYS_FOLDER}/signing-key.pem`)],
    credentialSecrets: [readFileSync(`${KEYS_FOLDER}/credential-secret`)],
  },
  refreshRetryWindow: 300, // assistants refresh in parallel
  scopes: { profile: 'Know who you are', bookings: 'See your bookings' },
  authenticate(req: Request, res: Response, { url, tenant, prompt }) {
    // After the login, `url` no longer has `prompt=login`.
    const customer = prompt.includes('login') ? undefined : customerOf(req, tenant.id)
    if (customer) return { subject: customer.id, name: customer.name }
    if (prompt.includes('none')) return null
    return res.redirect(303, `/${tenant.key}/login?next=${encodeURIComponent(url)}`)
  },
  onEvent(event) {
    if (event.type === 'error') console.error(event.where, event.error)
    else console.info(JSON.stringify(event))
  },
})
