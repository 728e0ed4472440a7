import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CustomerSignIn } from 'customer-sign-in'
import type { Layer } from './listener'

/** The host's own routes: an API at `/v1/:tenantKey/mcp`, and what the pages for its customers would do. */
export function ownRoutes(signIn: CustomerSignIn): Layer[] {
  const guard = signIn.protectedResource({ path: '/v1/:tenantKey/mcp', checkRevocation: true })
  const actions: Record<string, (body: never) => Promise<unknown>> = {
    '/host/codes': signIn.issueAuthorizationCode,
    '/host/revoke': signIn.grants.revoke,
    '/host/revoke-all': signIn.grants.revokeAll,
  }

  return [
    (req, res, next) => {
      if (!/^\/v1\/[^/]+\/mcp$/.test(req.url ?? '')) return next()
      guard(req, res, () => {
        const { subject, tenantKey, clientId, grantId } = signIn.auth(req)
        respond(res, 200, { subject, tenantKey, clientId, grantId })
      })
    },
    (req, res, next) => {
      const action = actions[req.url ?? '']
      if (!action) return next()
      bodyOf(req)
        .then((body) => action(body))
        .then(
          (result) => respond(res, 200, result),
          (error) => respond(res, error.status ?? 500, { error: error.code, error_description: error.message }),
        )
    },
  ]
}

async function bodyOf(req: IncomingMessage): Promise<never> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as never
}

function respond(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? null))
}
