import type { IncomingMessage, ServerResponse } from 'node:http'
import { nosniff } from './browser-headers'

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
  res.writeHead(204, preflight).end()
  return true
}
