import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint } from './endpoints/endpoint'
import type { RespondWithErrorPage } from './endpoints/error-pages'
import { protectedResourceMetadata } from './endpoints/protected-resource-metadata'
import { type Emit, type Place, reportError } from './host/emitter'
import type { NodeRequest, NodeResponse } from './http/node-messages'
import { type BaseUrl, requestHost, requestPath } from './http/request-address'
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

/** A request from whose `url` Express or Connect has removed the mount path. */
type MountedRequest = IncomingMessage & { originalUrl?: string }

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

/** Finds the route of a path. @param isMounted Whether Express or Connect has removed a mount path from it. */
type Matching = (path: string, isMounted: boolean) => Match | undefined

/** The endpoints that tenants have. Undefined are those that are off, or that the host runs elsewhere. */
export interface Endpoints {
  metadata: Endpoint
  jwks: Endpoint
  token: Endpoint
  authorize: Endpoint | undefined
  register: Endpoint | undefined
  revoke: Endpoint | undefined
}

export const readMethods = ['GET', 'HEAD']
/** Where the metadata is (RFC 8414 section 3). */
export const metadataPath = '/.well-known/oauth-authorization-server'

/** Finds the endpoint of a request and its tenant, and turns an error into a response. */
export class Router {
  readonly #tenants: Tenants
  readonly #baseUrl: BaseUrl
  readonly #resources: ProtectedResources
  readonly #respondWithErrorPage: RespondWithErrorPage
  readonly #emit: Emit
  readonly #metadata: Route
  readonly #wellKnown: Readonly<Record<string, Route>>
  /** By the path below the issuer, where the issuer has a path. */
  readonly #routes: Readonly<Record<string, Route>>
  /** By the whole path, on a domain of a tenant's own. */
  readonly #routesOnOwnDomain: Readonly<Record<string, Route>>

  constructor(
    tenants: Tenants,
    baseUrl: BaseUrl,
    resources: ProtectedResources,
    endpoints: Endpoints,
    respondWithErrorPage: RespondWithErrorPage,
    emit: Emit,
  ) {
    this.#tenants = tenants
    this.#baseUrl = baseUrl
    this.#resources = resources
    this.#respondWithErrorPage = respondWithErrorPage
    this.#emit = emit
    this.#metadata = { name: 'metadata', methods: readMethods, endpoint: endpoints.metadata }
    this.#wellKnown = { [metadataPath]: this.#metadata }
    const routes = routesOf(endpoints)
    this.#routes = { ...routes, ...this.#wellKnown }
    const below = Object.entries(routes).map(([path, route]) => [ownEndpointsPath + path, route])
    this.#routesOnOwnDomain = { ...Object.fromEntries(below), ...this.#wellKnown }
  }

  /** Handles every path that this library owns. All others go to `next`. */
  // With three parameters that count: koa-connect calls a function that has fewer without waiting for it.
  readonly handle: Handler = (request, response, next) => {
    const [req, res] = asOfHttp1(request, response)
    this.#handle(req, res, this.#baseUrl.ofRouter(req), (path, isMounted) => this.#match(path, isMounted), next)
  }

  /** Handles the metadata at the root of the host (RFC 8414 section 3, RFC 9728 section 3), for a base URL with a path. */
  readonly handleWellKnown: Handler = (request, response, next) => {
    const [req, res] = asOfHttp1(request, response)
    // A request to the root of the host does not show the path that the router is mounted at.
    const baseUrl = this.#baseUrl.current(req)
    this.#handle(
      req,
      res,
      baseUrl,
      (path, isMounted) =>
        this.#matchWellKnown(path, this.#baseUrl.path) ?? this.#matchOnOwnDomain(path, isMounted, this.#wellKnown),
      next,
    )
  }

  #handle(
    req: MountedRequest,
    res: ServerResponse,
    baseUrl: string,
    match: Matching,
    next: () => void = () => respondWithError(res, noSuchTenant()),
  ): void {
    const path = requestPath(req.url)
    const whole = req.originalUrl === undefined || req.originalUrl === req.url ? path : requestPath(req.originalUrl)
    // Express 4 also removes all slashes after the mount path, so a rate limiter in front of the router may not recognise a path with `//`.
    const isPlain = path !== undefined && whole !== undefined && !whole.includes('//')
    const matched = isPlain ? match(path, path !== whole) : undefined
    if (!isPlain || !matched) next()
    else if (matched.tenantKey === undefined || matched.route.page || !answerPreflight(req, res))
      this.#answer(matched, whole, baseUrl, req, res, next)
  }

  #match(path: string, isMounted: boolean): Match | undefined {
    // Express has removed the mount path. Removing it again would match another path than the one that middleware in front of the router has seen.
    const own = isMounted ? path : this.#baseUrl.below(path)
    const [, tenantKey, rest] = /^\/v1\/([^/]+)\/oauth(\/.+)$/.exec(own) ?? []
    const route = rest !== undefined && Object.hasOwn(this.#routes, rest) ? this.#routes[rest] : undefined
    if (route && tenantKey !== undefined)
      return { route, tenantKey, pattern: `${this.#baseUrl.path}/v1/:tenantKey/oauth${rest}` }
    return (
      this.#matchWellKnown(own, '') ??
      this.#matchWellKnown(path, this.#baseUrl.path) ??
      this.#matchOnOwnDomain(path, isMounted, this.#routesOnOwnDomain)
    )
  }

  /**
   * Matches a path that has no key. Not where the router is mounted at a path: a rate limiter in front of it may not recognise the path there.
   *
   * @param routes By the whole path.
   */
  #matchOnOwnDomain(path: string, isMounted: boolean, routes: Readonly<Record<string, Route>>): Match | undefined {
    if (isMounted || !this.#tenants.areFoundByHost) return undefined
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route) return { route, tenantKey: undefined, pattern: path }
    if (!path.startsWith(protectedResourcePath)) return undefined
    const resource = this.#resources.onOwnDomain(path.slice(protectedResourcePath.length))
    return resource && { route: metadataRouteOf(resource), tenantKey: undefined, pattern: path }
  }

  #matchWellKnown(path: string, basePath: string): Match | undefined {
    const below = (wellKnownPath: string) =>
      path.startsWith(wellKnownPath + basePath) ? path.slice(wellKnownPath.length + basePath.length) : undefined

    const [, tenantKey] = /^\/v1\/([^/]+)\/oauth$/.exec(below(metadataPath) ?? '') ?? []
    if (tenantKey !== undefined) {
      return { route: this.#metadata, tenantKey, pattern: `${metadataPath}${basePath}/v1/:tenantKey/oauth` }
    }

    const resourcePath = below(protectedResourcePath)
    const found = resourcePath === undefined ? undefined : this.#resources.at(resourcePath)
    if (!found) return undefined
    const resourcePattern = found.resource.urlFor({ baseUrl: basePath, keyInPath: ':tenantKey' })
    const pattern = protectedResourcePath + resourcePattern
    return { route: metadataRouteOf(found.resource), tenantKey: found.tenantKey, pattern }
  }

  #answer(
    matched: Match,
    path: string,
    baseUrl: string,
    req: IncomingMessage,
    res: ServerResponse,
    next: () => void,
  ): void {
    const { route, tenantKey, pattern } = matched
    const message: RequestMessage = {
      endpoint: route.name,
      method: req.method ?? '',
      route: pattern,
      path,
      baseUrl,
      tenantKey,
    }
    const answering = requests.trace(message, () => this.#isAnswered(matched, message, req, res))
    // Not inside of `try`: an error that `next` throws is the host's own.
    void answering.then((isAnswered) => isAnswered || next())
  }

  /** Whether a request has been answered. If not, it is for a page of the host's own. */
  async #isAnswered(
    { route, tenantKey }: Match,
    message: RequestMessage,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<boolean> {
    const { baseUrl } = message
    const place: Place = { where: route.name, tenantKey }
    const since = performance.now()
    let tenant: ResolvedTenant | undefined
    try {
      const host = this.#tenants.areFoundByHost ? requestHost(req) : undefined
      tenant = await (tenantKey === undefined
        ? this.#tenants.findAtHost(host, baseUrl)
        : this.#tenants.findInPath(tenantKey, host, baseUrl))
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
      const error = reportError(thrown, place, this.#emit, message)
      if (route.page) await this.#respondWithErrorPage(req, res, error, tenant)
      else respondWithError(res, error)
    }
    message.status = res.statusCode
    return true
  }
}

/** The compatibility API of HTTP/2 has all members that this library uses. */
function asOfHttp1(req: NodeRequest, res: NodeResponse): [MountedRequest, ServerResponse] {
  return [req as MountedRequest, res as ServerResponse]
}

function metadataRouteOf(resource: ProtectedResource): Route {
  const endpoint: Endpoint = (context) => protectedResourceMetadata(context, resource)
  return { name: 'protected-resource', methods: readMethods, endpoint }
}

/** The routes of the endpoints, by the path below `/v1/{tenantKey}/oauth`, or below `/oauth` on a domain of a tenant's own. */
export function routesOf({ token, jwks, authorize, register, revoke }: Endpoints): Record<string, Route> {
  return {
    '/token': { name: 'token', methods: ['POST'], endpoint: token },
    '/jwks': { name: 'jwks', methods: readMethods, endpoint: jwks },
    ...(authorize && {
      '/authorize': { name: 'authorize', methods: ['GET', 'POST'], endpoint: authorize, page: true },
    }),
    ...(register && { '/register': { name: 'register', methods: ['POST'], endpoint: register } }),
    ...(revoke && { '/revoke': { name: 'revoke', methods: ['POST'], endpoint: revoke } }),
  }
}

function checkMethod({ method = '' }: IncomingMessage, { methods, page }: Route): void {
  if (methods.includes(method)) return
  throw oauthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, {
    headers: { Allow: [...methods, ...(page ? [] : ['OPTIONS'])].join(', ') },
  })
}
