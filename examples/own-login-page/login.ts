import { randomUUID } from 'node:crypto'
import express, { type Request, Router } from 'express'

/** The account of a customer at the host. */
export interface Account {
  id: string
  name: string
}

const accounts = new Map<string, Account>([['ada@example.com', { id: 'cus_W2kq8ZpX4nTb', name: 'Ada Lovelace' }]])
const sessions = new Map<string, Account>()

/** The account that a request is logged in to, if it has a session. */
export function accountOf(req: Request): Account | undefined {
  const id = /(?:^|; )session=([^;]+)/.exec(req.get('Cookie') ?? '')?.[1] ?? ''
  return sessions.get(id)
}

/** The login that the host already has: a form, a session cookie, and a redirect to `next`. A real one also asks for a password. */
export function login(baseUrl: string): Router {
  const router = Router()

  router.get('/login', (_req, res) => {
    res.send(`<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Log in</title>
  <h1>Log in</h1>
  <form method="post">
    <label>E-mail <input name="email" type="email" value="ada@example.com" required></label> <button>Log in</button>
  </form>
</html>`)
  })

  router.post('/login', express.urlencoded({ extended: false }), (req, res) => {
    const account = accounts.get(req.body?.email)
    if (!account) return res.redirect(303, req.originalUrl)
    const id = randomUUID()
    sessions.set(id, account)
    res.cookie('session', id, { httpOnly: true, sameSite: 'lax', secure: baseUrl.startsWith('https:') })
    const next = String(req.query.next)
    // Only to pages of this host. Otherwise phishers could use the login page to send people to their sites.
    res.redirect(303, next.startsWith(`${baseUrl}/`) ? next : '/')
  })

  return router
}
