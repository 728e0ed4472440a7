import type { IncomingMessage, ServerResponse } from 'node:http'
import { nosniff } from './browser-headers'
import { sendResponse } from './send-response'

/**
 * Lets clients in a browser read a response, whatever their origin. These endpoints read no cookie, so another site can borrow no
 * session.
 */
export const anyOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After',
}

const preflight = {
  ...anyOrigin,
  ...nosniff,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'Access-Control-Max-Age': '600',
  'Content-Length': '0',
}

/** Answers a CORS preflight. @returns Whether the request was one. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== 'OPTIONS') return false
  removeCredentials(res)
  sendResponse(res, 204, preflight)
  return true
}

/**
 * Takes back that middleware in front, such as `cors({ credentials: true })`, has let pages of other origins send cookies: browsers refuse a
 * response that has both this header and `anyOrigin` (Fetch section 3.3.5), and no endpoint for clients reads a cookie.
 */
export function removeCredentials(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Credentials')
}

/**
 * Takes back that middleware in front has let pages of other origins read a response: the authorization endpoint has no CORS (RFC 9700
 * section 2.6), because what it answers is for the customer who is signed in.
 */
export function removeCors(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Origin')
  removeCredentials(res)
}
