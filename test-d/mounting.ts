// The router and its middleware fit every host, and need only the types of node:http.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import connect from 'connect'
import type { AccessTokenInfo, CustomerSignIn, Handler, Middleware } from 'customer-sign-in'
import express, { type Express, type Request, type RequestHandler } from 'express'
import express4 from 'express4'

declare const signIn: CustomerSignIn

export function onExpress(): Express {
  const app = express()
  app.use(signIn)
  app.use(signIn.wellKnown, signIn)
  app.use('/auth', signIn)
  app.all('/auth/*path', signIn)
  express.Router().use(signIn)
  return app
}

export function onExpress4(): RequestListener {
  const app = express4()
  app.use(signIn)
  app.use('/auth', signIn)
  express4.Router().use(signIn)
  return app
}

export function onConnect(): RequestListener {
  const app = connect()
  app.use(signIn)
  app.use('/auth', signIn)
  app.use(signIn.requireAccessToken({ tenantKey: 'acme' }))
  app.use(signIn.requireAccessToken({ tenantKey: (req: IncomingMessage) => req.headers.host ?? '' }))
  app.use(signIn.requireAccessToken({ tenantKey: async (req: IncomingMessage) => req.headers.host ?? '' }))
  return app
}

export function onNode(): void {
  const protect = signIn.requireAccessToken({ tenantKey: 'acme' })
  createServer(signIn)
  createServer((req, res) => signIn(req, res))
  createServer((req, res) => signIn(req, res, () => protect(req, res, () => res.end())))
  createTlsServer({}, signIn)
}

export function onHttp2(): void {
  const guard = signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
  const protect = signIn.requireAccessToken({ tenantKey: 'acme', resource: (req) => `https://${req.headers.host}/api` })
  createSecureServer({}, signIn)
  createSecureServer({ allowHTTP1: true }, (req, res) => signIn(req, res, () => guard(req, res, () => res.end())))
  createSecureServer({}, (req, res) => signIn.wellKnown(req, res, () => protect(req, res, () => res.end())))
}

export const router: Handler = signIn
export const middleware: RequestHandler = signIn

export function protectedRoutes(app: Express): void {
  app.get('/me', signIn.requireAccessToken({ tenantKey: 'acme' }), (req, res) => {
    const { subject, scopes, expiresAt } = signIn.auth(req)
    res.json({ subject, scopes, until: new Date(expiresAt * 1000) })
  })

  app.get('/v1/:tenantKey/me', signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey }), (req, res) => {
    res.json({ tenantKey: req.params.tenantKey, of: signIn.auth(req).subject })
  })

  const mcp = signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['profile'], checkRevocation: true })
  app.post('/v1/:tenantKey/mcp', mcp, (req, res) => {
    res.json(signIn.auth(req).grantId)
  })

  const ofCompany = ({ params }: Request<{ company: string }>) => params.company
  app.get('/:company/me', signIn.requireAccessToken({ tenantKey: ofCompany, scopes: ['profile'] }), (req, res) => {
    res.json(req.params.company)
  })

  // Without a declaration, a request has the parameters of the route and what node:http gives it.
  const byHost = signIn.requireAccessToken({ tenantKey: (req) => req.params.company ?? req.headers.host ?? '' })
  const bySubdomain = signIn.requireAccessToken({ tenantKey: async (req: Request) => req.subdomains[0] ?? '' })
  app.get('/:company/you', byHost, bySubdomain, (req, res) => {
    const auth: AccessTokenInfo = signIn.auth(req)
    res.json(auth.kind satisfies 'customer' | 'client' | 'workload')
  })
  const either: Middleware[] = [byHost, mcp]
  app.use(either)
}

export function refused(app: Express): void {
  // @ts-expect-error A tenant must be named.
  app.use(signIn.requireAccessToken({}))

  // @ts-expect-error The middleware is for one tenant.
  app.use(signIn.requireAccessToken({ anyTenant: true }))

  // @ts-expect-error There is no such member: it is called `scopes`.
  app.use(signIn.requireAccessToken({ tenantKey: 'acme', scope: 'profile' }))

  // @ts-expect-error A key that may be undefined names no tenant.
  app.use(signIn.requireAccessToken({ tenantKey: (req) => req.headers.host }))

  // @ts-expect-error `path` is required.
  app.use(signIn.protectedResource({ scopes: ['profile'] }))

  // @ts-expect-error What a guard has found is not the request itself.
  app.get('/me', (req) => signIn.auth(req.headers.authorization))
}
