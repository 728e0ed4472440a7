import type { IncomingMessage, ServerResponse } from 'node:http'
import { nosniff } from './browser-headers'

/**
 * Lets clients in a browser read an answer from any origin: no cookie is read here, so there is nothing that another site could
 * borrow.
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

/** @returns Whether the request was a preflight and is answered. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== 'OPTIONS') return false
  res.writeHead(204, preflight).end()
  return true
}
