import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorizeAtRoot, isMeantAtRoot } from './endpoints/at-root'
import type { Endpoint } from './endpoints/endpoint'
import type { RespondWithErrorPage } from './endpoints/error-pages'
import { protectedResourceMetadata } from './endpoints/protected-resource-metadata'
import { type Emit, type Place, reportError } from './host/emitter'
import type { NodeRequest, NodeResponse } from './http/node-messages'
import { type BaseUrl, type HostRequest, requestHost, requestPath } from './http/request-address'
import { answerPreflight, respondWithError } from './http/responses'
import { oauthError } from './protocol/oauth-error'
import { ownEndpointsPath, type ProtectedResource, protectedResourcePath } from './protocol/resource'
import { requests } from './telemetry/channels'
import type { EndpointName, RequestMessage } from './telemetry/messages'
import type { ProtectedResources } from './tenants/protected-resources'
import type { ResolvedTenant } from './tenants/resolved-tenant'
import { noSuchTenant, type Tenants } from './tenants/tenants'

/** A request handler for node:http, node:http2 (without `next`) and every framework that has their requests (docs/hosts.md). */
export type Handler = (req: NodeRequest, res: NodeResponse, next?: (error?: unknown) => void) => void

interface Route {
  name: EndpointName
  methods: readonly string[]
  endpoint: Endpoint
  /** A page that a customer's browser is sent to: no CORS, and errors as HTML. */
  page?: true | undefined
}

interface Match {
  route: Route
  /** Undefined if the path has none: the host then says whose request it is. */
  tenantKey: string | undefined
  /** The path with `:tenantKey` in place of the key. */
  pattern: string
}

/** The endpoints that tenants have. Undefined are those that are off, or that the host runs elsewhere. */
export type Endpoints = Record<'metadata' | 'jwks' | 'token', Endpoint> &
  Record<'authorize' | 'register' | 'revoke', Endpoint | undefined>

export const readMethods = ['GET', 'HEAD']
/** Where the metadata is (RFC 8414 section 3). */
export const metadataPath = '/.well-known/oauth-authorization-server'

/** What the router works with. */
interface RouterRooms {
  tenants: Tenants
  baseUrl: BaseUrl
  resources: ProtectedResources
  errorPage: RespondWithErrorPage
  emit: Emit
}

/** Finds the endpoint of a request and its tenant, and turns an error into a response. */
export class Router {
  readonly #rooms: RouterRooms
  readonly #metadata: Route
  readonly #wellKnown: ReadonlyMap<string, Route>
  /** By the path below the issuer, where the issuer has a path. */
  readonly #routes: ReadonlyMap<string, Route>
  /** By the whole path, on a domain of a tenant's own. */
  readonly #routesOnOwnDomain: ReadonlyMap<string, Route>
  /** By the whole path, at the root of such a domain, for requests that are meant for them. */
  readonly #routesAtRoot: ReadonlyMap<string, Route>

  /** @param hasRootEndpoints Whether clients that know only a company's own domain find its endpoints at the root of it. */
  constructor(endpoints: Endpoints, rooms: RouterRooms, hasRootEndpoints: boolean) {
    this.#rooms = rooms
    this.#metadata = { name: 'metadata', methods: readMethods, endpoint: endpoints.metadata }
    this.#wellKnown = new Map([[metadataPath, this.#metadata]])
    const routes = Object.entries(routesOf(endpoints))
    this.#routes = new Map([...routes, ...this.#wellKnown])
    const below = routes.map(([path, route]): [string, Route] => [ownEndpointsPath + path, route])
    this.#routesOnOwnDomain = new Map([...below, ...this.#wellKnown])
    this.#routesAtRoot = new Map(hasRootEndpoints ? rootRoutesOf(new Map(routes), this.#metadata) : [])
  }

  /** Handles every path that this library owns. All others go to `next`. */
  // With three parameters that count: koa-connect calls a function that has fewer without waiting for it.
  readonly handle: Handler = (req, res, next) => this.#handle(req, res, next, false)

  /** Handles the metadata at the root of the host (RFC 8414 section 3, RFC 9728 section 3), for a base URL with a path. */
  readonly handleWellKnown: Handler = (req, res, next) => this.#handle(req, res, next, true)

  #handle(request: NodeRequest, response: NodeResponse, next: (() => void) | undefined, isAtRoot: boolean): void {
    // The compatibility API of HTTP/2 has all members that this library uses.
    const [req, res] = [request as HostRequest, response as ServerResponse]
    const pass = next ?? (() => respondWithError(res, noSuchTenant()))
    // A request to the root of the host does not show the path that the router is mounted at.
    const baseUrl = isAtRoot ? this.#rooms.baseUrl.current(req) : this.#rooms.baseUrl.ofRouter(req)
    const path = requestPath(req.url)
    const whole = req.originalUrl === undefined || req.originalUrl === req.url ? path : requestPath(req.originalUrl)
    // Express 4 also removes all slashes after the mount path, so a rate limiter in front of the router may not recognise a path with `//`.
    const isPlain = path !== undefined && whole !== undefined && !whole.includes('//')
    const matched = isPlain ? this.#match(path, path !== whole, isAtRoot, req) : undefined
    if (!isPlain || !matched) {
      pass()
      return
    }
    const { route, tenantKey, pattern } = matched
    if (tenantKey !== undefined && !route.page && answerPreflight(req, res)) return
    const message: RequestMessage = {
      endpoint: route.name,
      method: req.method ?? '',
      route: pattern,
      path: whole,
      baseUrl,
      tenantKey,
    }
    const answering = requests.trace(message, () => this.#isAnswered(route, message, req, res))
    // Not inside of `try`: an error that `next` throws is the host's own.
    void answering.then((isAnswered) => isAnswered || pass())
  }

  /** @param isMounted Whether Express or Connect has removed a mount path from the path. */
  #match(path: string, isMounted: boolean, isAtRoot: boolean, req: IncomingMessage): Match | undefined {
    // Express has removed the mount path. Removing it again would match another path than the one that middleware in front of the router has seen.
    const own = isMounted ? path : this.#rooms.baseUrl.below(path)
    return (
      (isAtRoot ? undefined : this.#matchBelow(own)) ??
      this.#matchWellKnown(path, this.#rooms.baseUrl.path) ??
      this.#matchOnOwnDomain(path, isMounted, isAtRoot ? this.#wellKnown : this.#routesOnOwnDomain, req)
    )
  }

  #matchBelow(own: string): Match | undefined {
    const [, tenantKey, rest = ''] = /^\/v1\/([^/]+)\/oauth(\/.+)$/.exec(own) ?? []
    const route = this.#routes.get(rest)
    return route
      ? { route, tenantKey, pattern: `${this.#rooms.baseUrl.path}/v1/:tenantKey/oauth${rest}` }
      : this.#matchWellKnown(own, '')
  }

  /** Matches a path that has no key. Not where the router is mounted: a rate limiter in front of it may not recognise the path there. */
  #matchOnOwnDomain(
    path: string,
    isMounted: boolean,
    routes: ReadonlyMap<string, Route>,
    req: IncomingMessage,
  ): Match | undefined {
    if (isMounted || !this.#rooms.tenants.areFoundByHost) return undefined
    const isOfResource = path.startsWith(protectedResourcePath)
    const resource = isOfResource
      ? this.#rooms.resources.onOwnDomain(path.slice(protectedResourcePath.length))
      : undefined
    const atRoot = isMeantAtRoot[path]?.(req) ? this.#routesAtRoot.get(path) : undefined
    const route = routes.get(path) ?? (resource && metadataRouteOf(resource)) ?? atRoot
    return route && { route, tenantKey: undefined, pattern: path }
  }

  #matchWellKnown(path: string, basePath: string): Match | undefined {
    const below = (wellKnownPath: string) =>
      path.startsWith(wellKnownPath + basePath) ? path.slice(wellKnownPath.length + basePath.length) : undefined

    const [, tenantKey] = /^\/v1\/([^/]+)\/oauth$/.exec(below(metadataPath) ?? '') ?? []
    if (tenantKey !== undefined) {
      return { route: this.#metadata, tenantKey, pattern: `${metadataPath}${basePath}/v1/:tenantKey/oauth` }
    }

    const resourcePath = below(protectedResourcePath)
    const found = resourcePath === undefined ? undefined : this.#rooms.resources.at(resourcePath)
    if (!found) return undefined
    const resourcePattern = found.resource.urlFor({ baseUrl: basePath, keyInPath: ':tenantKey' })
    const pattern = protectedResourcePath + resourcePattern
    return { route: metadataRouteOf(found.resource), tenantKey: found.tenantKey, pattern }
  }

  /** Whether a request has been answered. If not, it is for a page of the host's own. */
  async #isAnswered(route: Route, message: RequestMessage, req: IncomingMessage, res: ServerResponse) {
    const { tenants, errorPage, emit } = this.#rooms
    const { baseUrl, tenantKey } = message
    const place: Place = { where: route.name, tenantKey }
    const since = performance.now()
    let tenant: ResolvedTenant | undefined
    try {
      const host = tenants.areFoundByHost ? requestHost(req) : undefined
      tenant = await (tenantKey === undefined
        ? tenants.findAtHost(host, baseUrl)
        : tenants.findInPath(tenantKey, host, baseUrl))
      if (!tenant) {
        message.outcome = 'passed'
        return false
      }
      place.tenantKey = message.tenantKey = tenant.key
      place.tenantId = message.tenantId = tenant.id
      // A request without a key may be for a page of the host's own, until a tenant is found.
      if (tenantKey !== undefined || route.page || !answerPreflight(req, res)) {
        checkMethod(req, route)
        await route.endpoint({ req, res, tenant, since, message })
      }
      message.outcome ??= 'answered'
    } catch (thrown) {
      const error = reportError(thrown, place, emit, message)
      if (route.page) await errorPage(req, res, error, tenant)
      else respondWithError(res, error)
    }
    message.status = res.statusCode
    return true
  }
}

function metadataRouteOf(resource: ProtectedResource): Route {
  return { name: 'protected-resource', methods: readMethods, endpoint: protectedResourceMetadata(resource) }
}

/** The routes of the endpoints, by the path below `/v1/{tenantKey}/oauth`, or below `/oauth` on a domain of a tenant's own. */
export function routesOf({ token, jwks, authorize, register, revoke }: Endpoints): Record<string, Route> {
  return {
    '/token': { name: 'token', methods: ['POST'], endpoint: token },
    '/jwks': { name: 'jwks', methods: readMethods, endpoint: jwks },
    ...(authorize && {
      '/authorize': { name: 'authorize', methods: ['GET', 'HEAD', 'POST'], endpoint: authorize, page: true },
    }),
    ...(register && { '/register': { name: 'register', methods: ['POST'], endpoint: register } }),
    ...(revoke && { '/revoke': { name: 'revoke', methods: ['POST'], endpoint: revoke } }),
  }
}

/** The routes at the root of a company's own domain. */
function* rootRoutesOf(routes: ReadonlyMap<string, Route>, metadata: Route): Iterable<[string, Route]> {
  for (const path of ['/token', '/register', '/authorize']) {
    const route = routes.get(path)
    if (route) yield [path, path === '/authorize' ? { ...route, endpoint: authorizeAtRoot } : route]
  }
  yield ['/.well-known/openid-configuration', metadata]
}

function checkMethod({ method = '' }: IncomingMessage, { methods, page }: Route): void {
  if (methods.includes(method)) return
  throw oauthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, {
    headers: { Allow: [...methods, ...(page ? [] : ['OPTIONS'])].join(', ') },
  })
}
