import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorize } from './endpoints/authorize'
import type { Endpoint, Rooms } from './endpoints/endpoint'
import { jwks } from './endpoints/jwks'
import { metadata } from './endpoints/metadata'
import { protectedResourceMetadata } from './endpoints/protected-resource-metadata'
import { register } from './endpoints/register'
import { revoke } from './endpoints/revoke'
import { token } from './endpoints/token'
import type { Emit } from './events/emitter'
import { type Place, reportError } from './events/report-error'
import type { BaseUrl } from './http/base-url'
import { answerPreflight } from './http/cors'
import { requestPath } from './http/request-path'
import { respondWithError } from './http/responses'
import { oauthError } from './protocol/oauth-error'
import { protectedResourcePath } from './protocol/protected-resource'
import type { ProtectedResources } from './tenants/protected-resources'
import { noSuchTenant, type ResolvedTenant, type Tenants } from './tenants/tenants'

/** A request handler for Express 4 and 5, Connect, and node:http (without `next`). */
export type Handler = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

/** A request from whose `url` Express or Connect has removed the mount path. */
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

/** Which of the optional endpoints the router has. */
export interface RoutedEndpoints {
  authorization: boolean
  registration: boolean
  revocation: boolean
}

const readMethods = ['GET', 'HEAD']
const metadataRoute: Route = { name: 'metadata', methods: readMethods, endpoint: metadata }
const metadataPath = '/.well-known/oauth-authorization-server'

/** Finds the endpoint of a request and its tenant, and turns an error into a response. */
export class Router {
  readonly #tenants: Tenants
  readonly #baseUrl: BaseUrl
  readonly #resources: ProtectedResources
  readonly #rooms: Rooms
  readonly #emit: Emit
  readonly #routes: Readonly<Record<string, Route>>

  constructor(
    tenants: Tenants,
    baseUrl: BaseUrl,
    resources: ProtectedResources,
    rooms: Rooms,
    routed: RoutedEndpoints,
  ) {
    this.#tenants = tenants
    this.#baseUrl = baseUrl
    this.#resources = resources
    this.#rooms = rooms
    this.#emit = rooms.emit
    this.#routes = routesBelowIssuer(routed)
  }

  /** Handles every path that this library owns. All others go to `next`. */
  readonly handle: Handler = (req: MountedRequest, res, next = () => respondWithError(res, noSuchTenant())) => {
    this.#handle(req, res, next, this.#baseUrl.ofRouter(req), (path, isMounted) => this.#match(path, isMounted))
  }

  /** Handles the metadata at the root of the host (RFC 8414 section 3, RFC 9728 section 3), for a base URL with a path. */
  readonly handleWellKnown: Handler = (
    req: MountedRequest,
    res,
    next = () => respondWithError(res, noSuchTenant()),
  ) => {
    // A request to the root of the host does not show the path that the router is mounted at.
    const baseUrl = this.#baseUrl.current(req)
    this.#handle(req, res, next, baseUrl, (path) => this.#matchWellKnown(path, this.#baseUrl.path))
  }

  #handle(
    req: MountedRequest,
    res: ServerResponse,
    next: () => void,
    baseUrl: string,
    match: (path: string, isMounted: boolean) => Match | undefined,
  ): void {
    const path = requestPath(req.url)
    const whole = req.originalUrl === undefined || req.originalUrl === req.url ? path : requestPath(req.originalUrl)
    // Express 4 also removes all slashes after the mount path, so a rate limiter in front of the router may not recognise a path with `//`.
    const matched = path && whole && !whole.includes('//') ? match(path, path !== whole) : undefined
    if (!matched) next()
    else if (matched.route.page || !answerPreflight(req, res)) void this.#answer(matched, baseUrl, req, res)
  }

  #match(path: string, isMounted: boolean): Match | undefined {
    // Express has removed the mount path. Removing it again would match another path than the one that middleware in front of the router has seen.
    const own = isMounted ? path : this.#baseUrl.below(path)
    const [, tenantKey, rest] = /^\/v1\/([^/]+)\/oauth(\/.+)$/.exec(own) ?? []
    const route = rest !== undefined && Object.hasOwn(this.#routes, rest) ? this.#routes[rest] : undefined
    if (route && tenantKey !== undefined) return { route, tenantKey }
    return this.#matchWellKnown(own, '') ?? this.#matchWellKnown(path, this.#baseUrl.path)
  }

  #matchWellKnown(path: string, basePath: string): Match | undefined {
    const below = (wellKnownPath: string) =>
      path.startsWith(wellKnownPath + basePath) ? path.slice(wellKnownPath.length + basePath.length) : undefined

    const [, tenantKey] = /^\/v1\/([^/]+)\/oauth$/.exec(below(metadataPath) ?? '') ?? []
    if (tenantKey !== undefined) return { route: metadataRoute, tenantKey }

    const resourcePath = below(protectedResourcePath)
    const found = resourcePath === undefined ? undefined : this.#resources.at(resourcePath)
    if (!found) return undefined
    const endpoint: Endpoint = (context) =>
      protectedResourceMetadata(context, found.resource, this.#baseUrl.current(context.req))
    return { route: { name: 'protected-resource', methods: readMethods, endpoint }, tenantKey: found.tenantKey }
  }

  async #answer(
    { route, tenantKey }: Match,
    baseUrl: string,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    const place: Place = { where: route.name, tenantKey }
    let tenant: ResolvedTenant | undefined
    try {
      tenant = await this.#tenants.find(tenantKey, baseUrl)
      place.tenantId = tenant.id
      checkMethod(req, route)
      await route.endpoint({ req, res, tenant }, this.#rooms)
    } catch (thrown) {
      const error = reportError(thrown, place, this.#emit)
      if (route.page) await this.#rooms.errorPages.respond(req, res, error, tenant)
      else respondWithError(res, error)
    }
  }
}

/** The routes below the issuer's own path, `/v1/{tenantKey}/oauth`. */
function routesBelowIssuer({ authorization, registration, revocation }: RoutedEndpoints): Record<string, Route> {
  return {
    '/token': { name: 'token', methods: ['POST'], endpoint: token },
    '/jwks': { name: 'jwks', methods: readMethods, endpoint: jwks },
    [metadataPath]: metadataRoute,
    ...(authorization && {
      '/authorize': { name: 'authorize', methods: ['GET', 'POST'], endpoint: authorize, page: true },
    }),
    ...(registration && { '/register': { name: 'register', methods: ['POST'], endpoint: register } }),
    ...(revocation && { '/revoke': { name: 'revoke', methods: ['POST'], endpoint: revoke } }),
  }
}

function checkMethod({ method = '' }: IncomingMessage, { methods, page }: Route): void {
  if (methods.includes(method)) return
  throw oauthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, {
    headers: { Allow: [...methods, ...(page ? [] : ['OPTIONS'])].join(', ') },
  })
}
