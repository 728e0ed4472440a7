import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A customer who has logged in at one of the companies. */
export interface Session {
  tenantKey: string
  customer: string
}

const sessions = new Map<string, Session>()

/** The session that a request has at this company, if it has one. */
export function sessionOf({ headers }: IncomingMessage, tenantKey: string): Session | undefined {
  const cookies = (headers.cookie ?? '').split('; ').filter((cookie) => cookie.startsWith('session='))
  const found = cookies.map((cookie) => sessions.get(cookie.slice('session='.length)))
  return found.find((session) => session?.tenantKey === tenantKey)
}

/** Starts a session. The browser sends its cookie only to this company's pages. */
export function startSession(res: ServerResponse, session: Session, { secure }: { secure: boolean }): void {
  const id = randomUUID()
  sessions.set(id, session)
  const attributes = [`Path=/v1/${session.tenantKey}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])]
  res.setHeader('Set-Cookie', [`session=${id}`, ...attributes].join('; '))
}
