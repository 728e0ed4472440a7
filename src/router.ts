import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint } from './endpoints/endpoint'
import { jwks } from './endpoints/jwks'
import { metadata } from './endpoints/metadata'
import { token } from './endpoints/token'
import { answerError } from './http/answer-error'
import { answerCors } from './http/cors'
import { respondWithError } from './http/responses'
import { OAuthError } from './protocol/oauth-error'
import type { Service } from './service'
import { findTenant, noSuchTenant } from './tenants/find-tenant'

/** A request handler for Express 4 and 5, Connect, and node:http (without `next`). */
export type Handler = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

interface Route {
  name: string
  methods: readonly string[]
  endpoint: Endpoint
}

const read = ['GET', 'HEAD']
const metadataRoute: Route = { name: 'metadata', methods: read, endpoint: metadata }
const wellKnownPath = '/.well-known/oauth-authorization-server'

// Below the issuer's own path, `/v1/{tenantKey}/oauth`.
const routes: Readonly<Record<string, Route>> = {
  '/token': { name: 'token', methods: ['POST'], endpoint: token },
  '/jwks': { name: 'jwks', methods: read, endpoint: jwks },
  [wellKnownPath]: metadataRoute,
}

/** The handler of every path that this library owns; all others go to `next`. */
export function createRouter(service: Service): Handler {
  return handler(service, (path) => {
    const own = path.startsWith(`${service.baseUrl.path}/`) ? path.slice(service.baseUrl.path.length) : path
    const [, tenantKey, rest] = /^\/v1\/([^/]+)\/oauth(\/.+)$/.exec(own) ?? []
    if (tenantKey !== undefined && rest !== undefined && Object.hasOwn(routes, rest)) {
      return { route: routes[rest] as Route, tenantKey }
    }
    return wellKnown(own, '') ?? wellKnown(path, service.baseUrl.path)
  })
}

/** The handler of the metadata's place at the root of the host, where RFC 8414 section 3 puts it for a base URL with a path. */
export function createWellKnown(service: Service): Handler {
  return handler(service, (path) => wellKnown(path, service.baseUrl.path))
}

interface Match {
  route: Route
  tenantKey: string
}

function wellKnown(path: string, basePath: string): Match | undefined {
  if (!path.startsWith(wellKnownPath + basePath)) return undefined
  const issuerPath = path.slice(wellKnownPath.length + basePath.length)
  const [, tenantKey] = /^\/v1\/([^/]+)\/oauth$/.exec(issuerPath) ?? []
  return tenantKey === undefined ? undefined : { route: metadataRoute, tenantKey }
}

function handler(service: Service, match: (path: string) => Match | undefined): Handler {
  return (req, res, next = () => respondWithError(res, noSuchTenant())) => {
    const baseUrl = service.baseUrl.ofRouter(req)
    const matched = match((req.url ?? '').split('?', 1)[0] ?? '')
    if (!matched) next()
    else if (!answerCors(req, res)) void answer(matched, baseUrl, req, res, service)
  }
}

async function answer(
  { route, tenantKey }: Match,
  baseUrl: string,
  req: IncomingMessage,
  res: ServerResponse,
  service: Service,
): Promise<void> {
  try {
    const tenant = await findTenant(tenantKey, baseUrl, service)
    checkMethod(req, route)
    await route.endpoint({ req, res, tenant, service })
  } catch (error) {
    answerError(error, { where: route.name, tenantKey }, res, service)
  }
}

function checkMethod({ method = '' }: IncomingMessage, { methods }: Route): void {
  if (methods.includes(method)) return
  throw new OAuthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, {
    headers: { Allow: [...methods, 'OPTIONS'].join(', ') },
  })
}
