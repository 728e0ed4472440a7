import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'

const allow = cors({
  methods: ['GET', 'HEAD', 'POST'],
  allowedHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposedHeaders: ['WWW-Authenticate', 'Retry-After'],
  maxAge: 600,
})

/**
 * Lets clients in a browser call from any origin: no cookie is read here, so there is nothing that another site could borrow.
 *
 * @returns Whether the request was a preflight and is answered.
 */
export function answerCors(req: IncomingMessage, res: ServerResponse): boolean {
  let passed = false
  allow(req, res, () => {
    passed = true
  })
  return !passed
}
