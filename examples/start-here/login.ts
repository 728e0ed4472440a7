import connectPgSimple from 'connect-pg-simple'
import express, { type Request, Router } from 'express'
import session from 'express-session'
import { pool } from './database.js'

declare module 'express-session' {
  interface SessionData {
    customer: { id: string; name: string; companyId: string; isStaff: boolean }
  }
}

const PostgresSessions = connectPgSimple(session)
const { BASE_URL = 'http://localhost:8080', SESSION_SECRET } = process.env
if (!SESSION_SECRET) throw new Error('SESSION_SECRET is not set')
/** Where the app is. */
export const { origin } = new URL(BASE_URL)

/** The sessions that the app already has, in PostgreSQL. */
export const sessions = session({
  secret: SESSION_SECRET,
  store: new PostgresSessions({ pool, createTableIfMissing: true }),
  resave: false,
  saveUninitialized: false,
  // Lax: the customer comes from the assistant's site, and must still be logged in.
  cookie: { sameSite: 'lax', secure: origin.startsWith('https:'), maxAge: 8 * 3600_000 },
})

/** The customer who is logged in, if it is one of this company. */
export function customerOf(req: Request, companyId: string | undefined) {
  const { customer } = req.session
  return customer?.companyId === companyId ? customer : undefined
}

/** The login page that the app already has. A real one also asks for a password. */
export const login = Router()

login.get('/:slug/login', (_req, res) => {
  res.send('<!doctype html><title>Log in</title><form method="post"><input name="email"><button>Log in</button></form>')
})

login.post('/:slug/login', express.urlencoded({ extended: false }), async (req, res) => {
  const { rows } = await pool.query(
    `select customers.id, customers.name, company_id as "companyId", is_staff as "isStaff"
     from customers join companies on companies.id = company_id where slug = $1 and email = $2`,
    [req.params.slug, req.body?.email],
  )
  if (rows.length === 0) return res.status(401).send('Nobody at this company has this address')
  const next = String(req.query.next)
  // A new session for a new login. And only to the app's own addresses: otherwise phishers could use the login page.
  req.session.regenerate(() => {
    req.session.customer = rows[0]
    // Without `next`, to the page of the connected apps.
    res.redirect(303, next.startsWith(`${origin}/`) ? next : `/${req.params.slug}/apps`)
  })
})
