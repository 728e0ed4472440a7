import type { IncomingMessage, ServerResponse } from 'node:http'

const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'Access-Control-Max-Age': '600',
  'Content-Length': '0',
}

/**
 * Lets clients in a browser call from any origin: no cookie is read here, so there is nothing that another site could borrow.
 *
 * @returns Whether the request was a preflight and is answered.
 */
export function answerCors(req: IncomingMessage, res: ServerResponse): boolean {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
  if (req.method !== 'OPTIONS') return false
  res.writeHead(204, preflight).end()
  return true
}
