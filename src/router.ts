import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorize } from './endpoints/authorize'
import type { Endpoint } from './endpoints/endpoint'
import { jwks } from './endpoints/jwks'
import { metadata } from './endpoints/metadata'
import { protectedResourceMetadata } from './endpoints/protected-resource-metadata'
import { register } from './endpoints/register'
import { revoke } from './endpoints/revoke'
import { token } from './endpoints/token'
import { type Place, reported } from './events/report'
import { answerPreflight } from './http/cors'
import { requestPath } from './http/request-path'
import { respondWithError } from './http/responses'
import type { Options } from './options'
import { respondWithErrorPage } from './pages/error-page'
import { OAuthError } from './protocol/oauth-error'
import { protectedResourcePath } from './protocol/protected-resource'
import type { Service } from './service'
import { findTenant, noSuchTenant } from './tenants/tenants'

/** A request handler for Express 4 and 5, Connect, and node:http (without `next`). */
export type Handler = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

/** A request whose mount path Express or Connect has taken off `url`. */
type MountedRequest = IncomingMessage & { originalUrl?: string }

interface Route {
  name: string
  methods: readonly string[]
  endpoint: Endpoint
  /** A page that a customer's browser is sent to: no CORS, and errors as HTML. */
  page?: true | undefined
}

interface Match {
  route: Route
  tenantKey: string
}

const read = ['GET', 'HEAD']
const metadataRoute: Route = { name: 'metadata', methods: read, endpoint: metadata }
const metadataPath = '/.well-known/oauth-authorization-server'

/** The routes below the issuer's own path, `/v1/{tenantKey}/oauth`, except those that the host runs itself. */
function routesOf({ authenticate, registration, externalEndpoints }: Options): Readonly<Record<string, Route>> {
  return {
    '/token': { name: 'token', methods: ['POST'], endpoint: token },
    '/jwks': { name: 'jwks', methods: read, endpoint: jwks },
    [metadataPath]: metadataRoute,
    ...(authenticate &&
      !externalEndpoints.authorization && {
        '/authorize': { name: 'authorize', methods: ['GET', 'POST'], endpoint: authorize, page: true },
      }),
    ...(registration &&
      !externalEndpoints.registration && { '/register': { name: 'register', methods: ['POST'], endpoint: register } }),
    ...(!externalEndpoints.revocation && { '/revoke': { name: 'revoke', methods: ['POST'], endpoint: revoke } }),
  }
}

/** The handler of every path that this library owns; all others go to `next`. */
export function createRouter(service: Service): Handler {
  const routes = routesOf(service.options)
  return handler(service, (path, isMounted) => {
    const { path: basePath } = service.baseUrl
    // Taken off once: a second time it would be another path than what stands in front has seen.
    const own = !isMounted && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
    const [, tenantKey, rest] = /^\/v1\/([^/]+)\/oauth(\/.+)$/.exec(own) ?? []
    const route = rest !== undefined && Object.hasOwn(routes, rest) ? routes[rest] : undefined
    if (route && tenantKey !== undefined) return { route, tenantKey }
    return wellKnown(own, '', service) ?? wellKnown(path, basePath, service)
  })
}

/** The handler of the documents' places at the root of the host (RFC 8414 section 3, RFC 9728 section 3), for a base URL with a path. */
export function createWellKnown(service: Service): Handler {
  return handler(
    service,
    (path) => wellKnown(path, service.baseUrl.path, service),
    // At the root of the host it cannot be seen under which path the router is mounted.
    (req) => service.baseUrl.current(req),
  )
}

function wellKnown(path: string, basePath: string, { protectedResources }: Service): Match | undefined {
  const below = (wellKnownPath: string) =>
    path.startsWith(wellKnownPath + basePath) ? path.slice(wellKnownPath.length + basePath.length) : undefined

  const [, tenantKey] = /^\/v1\/([^/]+)\/oauth$/.exec(below(metadataPath) ?? '') ?? []
  if (tenantKey !== undefined) return { route: metadataRoute, tenantKey }

  const resourcePath = below(protectedResourcePath)
  if (resourcePath === undefined) return undefined
  for (const resource of protectedResources) {
    const found = resource.tenantKeyIn(resourcePath)
    if (found?.rest !== '') continue
    const endpoint = protectedResourceMetadata(resource)
    return { route: { name: 'protected-resource', methods: read, endpoint }, tenantKey: found.tenantKey }
  }
  return undefined
}

function handler(
  service: Service,
  match: (path: string, isMounted: boolean) => Match | undefined,
  baseUrlOf = (req: IncomingMessage) => service.baseUrl.ofRouter(req),
): Handler {
  return (req: MountedRequest, res, next = () => respondWithError(res, noSuchTenant())) => {
    const baseUrl = baseUrlOf(req)
    const path = requestPath(req.url)
    const whole = requestPath(req.originalUrl ?? req.url)
    // Express 4 takes a mount path off with the slashes that follow it, which no path in front has.
    const matched = path && whole && !whole.includes('//') ? match(path, path !== whole) : undefined
    if (!matched) next()
    else if (matched.route.page || !answerPreflight(req, res)) void answer(matched, baseUrl, req, res, service)
  }
}

async function answer(
  { route, tenantKey }: Match,
  baseUrl: string,
  req: IncomingMessage,
  res: ServerResponse,
  service: Service,
): Promise<void> {
  const place: Place = { where: route.name, tenantKey }
  try {
    const tenant = await findTenant(tenantKey, baseUrl, service)
    place.tenantId = tenant.id
    checkMethod(req, route)
    await route.endpoint({ req, res, tenant, service })
  } catch (thrown) {
    const error = reported(thrown, place, service)
    const respond = route.page ? respondWithErrorPage : respondWithError
    respond(res, error)
  }
}

function checkMethod({ method = '' }: IncomingMessage, { methods, page }: Route): void {
  if (methods.includes(method)) return
  throw new OAuthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, {
    headers: { Allow: [...methods, ...(page ? [] : ['OPTIONS'])].join(', ') },
  })
}
