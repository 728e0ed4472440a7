import type { IncomingMessage, ServerResponse } from 'node:http'
import { distinct, must, mustBeText, optional, origin, requirements } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import { callHost } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import type { NodeRequest, NodeResponse } from '../http/node-messages'
import { type HostRequest, requestHost, requestPath } from '../http/request-address'
import { respondAsApi, respondWithChallenge } from '../http/responses'
import { misconfigured, OAuthError, oauthError } from '../protocol/oauth-error'
import { isLoopbackHost } from '../protocol/redirect-uri'
import { isResource, isTenantKey } from '../protocol/resource'
import { guardedRequests } from '../telemetry/channels'
import type { GuardMessage } from '../telemetry/messages'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { noSuchTenant } from '../tenants/tenants'
import { invalidToken } from '../tokens/access-tokens'
import type { WarnOfScopes } from './require-scopes'
import { type Challenge, challengeOf, presentedToken, schemeIn, schemeToAskFor, withChallenge } from './schemes'
import {
  type AccessTokenRequirements,
  type AccessTokenVerifications,
  type ApiRooms,
  type CheckedOptions,
  verifyOptions,
} from './verify-access-token'

/** A request to a route with parameters in its path, as Express and most routers have it. */
export type RouteRequest = IncomingMessage & { params: { tenantKey: string; [name: string]: string } }

/**
 * What `requireAccessToken` requires of a request. Leave out what you do not require: undefined is refused. A function gets the request as
 * your router has it. Declare its parameter only if it needs more than `params`: `(req: Request) => req.subdomains[0] ?? ''`.
 */
export interface RequireAccessTokenOptions<R = RouteRequest> extends Omit<AccessTokenRequirements, 'resource'> {
  /** The tenant that the token must belong to, such as `(req) => req.params.tenantKey`. */
  tenantKey: string | ((req: R) => string | Promise<string>)
  /** The API that the token must be for. By default the tenant's first resource. */
  resource?: string | ((req: R) => string | Promise<string>)
}

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResourceOptions extends Omit<AccessTokenRequirements, 'resource'> {
  /**
   * The path below `baseUrl`, with `:tenantKey` for the tenant: `/v1/:tenantKey/mcp`. At a company with a domain of its own, the path is what
   * follows `:tenantKey`, such as `/mcp`, or if nothing does, what precedes it. So with a `findTenantByHost`, no two paths may end alike.
   */
  path: string
  /**
   * The scopes that only some requests need (see `requireScopes`). The metadata lists them after `scopes`, as far as the tenant offers them.
   * Default: if there are no `scopes` either, the metadata lists all that the tenant offers.
   */
  scopesSupported?: string | readonly string[]
  /**
   * The pages that may call the API from a browser, as origins: `['https://inspector.example']`. The API's own origin always may, by `baseUrl` or the
   * company's own domain, and so may a request without `Origin`: programs send none. A request with any other `Origin`, also with `null`, is
   * answered with 403, whatever its token is. MCP requires that of a server, against DNS rebinding (Streamable HTTP, security warning). Default:
   * every page may.
   */
  allowedOrigins?: readonly string[]
}

const aTenantKey = 'the key of a tenant'
const anApi = 'an absolute URL without a fragment'

/** A value for every request, or a function that gives the one of a request. */
type PerRequest = RequireAccessTokenOptions<never>['tenantKey']

function perRequest(what: string, accepts: (text: string) => boolean) {
  return must<PerRequest>(
    `${what}, or a function of the request`,
    (given) => (typeof given === 'string' ? accepts(given) : typeof given === 'function'),
    { quotes: true },
  )
}

const checkedRequirement = requirements({
  ...verifyOptions,
  tenantKey: perRequest(aTenantKey, isTenantKey),
  resource: optional(perRequest(anApi, isResource)),
})

const { accepts, scopes, checkRevocation } = verifyOptions

const checkedResource = requirements({
  path: mustBeText(
    'a path with :tenantKey as one of its segments and no slash at its end, such as /v1/:tenantKey/mcp',
    (given) =>
      /^(\/[\w.~-]+)*\/:tenantKey(\/[\w.~-]+)*$/.test(given) && new URL(given, 'http://localhost').pathname === given,
  ),
  scopes,
  scopesSupported: scopes,
  checkRevocation,
  accepts,
  allowedOrigins: optional(distinct(origin)),
})

/** Passes a request on to the next handler, or answers it. For Express, Connect, node:http and node:http2. */
export type Middleware = (req: NodeRequest, res: NodeResponse, next: (error?: unknown) => void) => void

/** What a guard requires of a request, after its checks. */
interface Requirement extends Omit<CheckedOptions, 'resource'> {
  /** Finds the tenant of a request, and writes its key into the place as soon as that is known. */
  tenantOf: (req: NodeRequest, place: Place) => Promise<ResolvedTenant>
  /** The API that the token must be for. Undefined stands for the tenant's first. */
  resourceOf: (req: NodeRequest, tenant: ResolvedTenant) => string | undefined | Promise<string>
  /** The pages that may call the API. Undefined stands for all. */
  allowedOrigins?: readonly string[] | undefined
  /** The name of the method that made the guard. */
  guard: 'requireAccessToken' | 'protectedResource'
}

/** The API that a request is for, and the pages that may call it. */
interface CalledApi {
  resource: string | undefined
  tenant: ResolvedTenant
  allowed: readonly string[] | undefined
}

// No other token would help.
const wrongOrigin = 'origin_not_allowed'

interface GuardRooms extends ApiRooms {
  verifications: AccessTokenVerifications
  /** How long a function of the host's may take to return a value for a request, in milliseconds. */
  timeout: number
  warnOfScopes: WarnOfScopes
  emit: Emit
}

/** Makes the middleware that guards the host's own API (RFC 6750): it sets `req.auth` and calls `next`, or answers with an error. */
export class AccessTokenGuards {
  readonly #rooms: GuardRooms

  constructor(rooms: GuardRooms) {
    this.#rooms = rooms
  }

  /** Makes the middleware for an API whose tenant and address the host finds. */
  requireAccessToken<R extends NodeRequest>(options: RequireAccessTokenOptions<R>): Middleware {
    const guard = 'requireAccessToken'
    const { tenants, baseUrl, warnOfScopes } = this.#rooms
    const { tenantKey, resource, ...others } = checkedRequirement(options, guard)
    warnOfScopes(guard, others.scopes)
    return this.#middleware({
      ...others,
      guard,
      tenantOf: async (req, place) => {
        const key = await this.#read(tenantKey, req, aTenantKey, `${guard}.tenantKey`)
        place.tenantKey = key
        return tenants.find(key, baseUrl.current(req as IncomingMessage))
      },
      resourceOf: (req) => resource && this.#read(resource, req, anApi, `${guard}.resource`),
    })
  }

  /** Announces a protected resource. @returns The middleware, whose challenges lead to its metadata (RFC 9728 section 5.1). */
  protectedResource(options: ProtectedResourceOptions): Middleware {
    const guard = 'protectedResource'
    const { tenants, resources, baseUrl, warnOfScopes } = this.#rooms
    const { path, scopesSupported, ...others } = checkedResource(options, guard)
    warnOfScopes(guard, [...others.scopes, ...scopesSupported])
    const announced = resources.announce(path, others.scopes, scopesSupported)
    return this.#middleware({
      ...others,
      guard,
      tenantOf: async (request, place) => {
        const req = request as HostRequest
        // No tenant has the path '', so a request target that others may read differently is refused.
        const target = requestPath(req.originalUrl ?? req.url) ?? ''
        const shared = baseUrl.current(req)
        const inPath = announced.tenantKeyIn(baseUrl.below(target))
        if (inPath) {
          place.tenantKey = inPath.tenantKey
          return tenants.findInPath(inPath.tenantKey, requestHost(req), shared)
        }
        const isOnOwnDomain = announced.restOnOwnDomain(target) !== undefined
        const tenant = isOnOwnDomain ? await tenants.findAtHost(requestHost(req), shared) : undefined
        if (!tenant) throw noSuchTenant()
        place.tenantKey = tenant.key
        return tenant
      },
      resourceOf: (_req, tenant) => announced.urlFor(tenant.address),
    })
  }

  #middleware(requirement: Requirement): Middleware {
    return (req, response, next) => {
      const res = response as ServerResponse
      const { originalUrl = req.url } = req as HostRequest
      const message: GuardMessage = { guard: requirement.guard, method: req.method, path: requestPath(originalUrl) }
      // Not inside #passes: an error that `next` throws is the host's own.
      const judged = guardedRequests.trace(message, () => this.#passes(req, res, requirement, message))
      void judged.then((passes) => {
        if (passes) next()
      })
    }
  }

  /** Whether a request may pass. If not, it has been answered. */
  async #passes(
    req: NodeRequest,
    res: ServerResponse,
    { tenantOf, resourceOf, ...required }: Requirement,
    message: GuardMessage,
  ): Promise<boolean> {
    const { verifications, tokens, emit } = this.#rooms
    const place: Place = { where: required.guard }
    let tenant: ResolvedTenant | undefined
    let resource: string | undefined
    const challenge = (): Challenge => ({
      scopes: required.scopes,
      metadataUrl: tenant && verifications.metadataUrlOf(resource, tenant),
      scheme: schemeToAskFor(req, tenant),
    })
    try {
      const found = await tenantOf(req, place)
      resource = await resourceOf(req, found)
      tenant = found
      this.#checkOrigin(req, { resource, tenant, allowed: required.allowedOrigins })
      const presented = presentedToken(req)
      if (presented) {
        const auth = await verifications.verifyFor(tenant, presented.token, { ...required, resource, presented })
        Object.assign(req, { auth })
        Object.assign(message, { clientId: auth.clientId, outcome: 'passed' })
        return true
      }
      if (schemeIn(req)) throw invalidToken('The access token is malformed', 'malformed_token')
      // A client sends its first request without a token, to learn where to get one. That is no denial, so there is no event.
      message.outcome = 'challenged'
      respondWithChallenge(res, challengeOf(undefined, challenge()))
    } catch (error) {
      const mayHelp = error instanceof OAuthError && error.reason !== wrongOrigin
      const refused = mayHelp ? withChallenge(error, challenge()) : error
      const named = tokens.namingOwner(refused, presentedToken(req)?.token ?? '')
      respondAsApi(res, reportError(named, place, emit, message))
    } finally {
      message.tenantKey = place.tenantKey
      message.tenantId = tenant?.id
    }
    message.status = res.statusCode
    return false
  }

  /**
   * The API's own pages may call it, at an address that the host has set: the `Host` of a request is whatever name leads to this server.
   *
   * @throws {OAuthError} 403 `invalid_request` for a page that may not call the API.
   */
  #checkOrigin({ headers }: NodeRequest, { resource, tenant, allowed }: CalledApi): void {
    const { origin: asked } = headers
    if (allowed === undefined || asked === undefined || allowed.includes(asked)) return
    const { origin, hostname } = new URL(resource ?? tenant.address.issuer)
    const isSet = this.#rooms.baseUrl.isConfigured || tenant.address.keyInPath === undefined || isLoopbackHost(hostname)
    if (isSet && origin === asked) return
    throw oauthError('invalid_request', 'This API cannot be called from pages of this Origin', {
      status: 403,
      reason: wrongOrigin,
      detail: { asked, accepted: allowed },
    })
  }

  /** Reads a value from a request. @throws {OAuthError} `server_error` if it is no string: a default must not take its place. */
  async #read(value: PerRequest, req: NodeRequest, what: string, name: string): Promise<string> {
    if (typeof value === 'string') return value
    const given: unknown = await callHost(name, this.#rooms.timeout, () => value(req as never))
    if (typeof given === 'string') return given
    throw misconfigured('This API is misconfigured', wrongAnswer(name, given, what))
  }
}
