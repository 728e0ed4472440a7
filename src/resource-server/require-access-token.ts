import type { IncomingMessage, ServerResponse } from 'node:http'
import { must, optional, requirements } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import { callHost } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import type { NodeRequest, NodeResponse } from '../http/node-messages'
import { type BaseUrl, type HostRequest, requestPath } from '../http/request-address'
import { respondAsApi, respondWithChallenge } from '../http/responses'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { isResource, isTenantKey } from '../protocol/resource'
import { guardedRequests } from '../telemetry/channels'
import type { GuardMessage } from '../telemetry/messages'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'
import { type AccessTokens, invalidToken } from '../tokens/access-tokens'
import { type Challenge, challengeOf, withChallenge } from './challenge'
import { type PresentedToken, presentedToken, schemeIn, schemeToAskFor } from './presented-token'
import type { WarnOfScopes } from './unknown-scopes'
import {
  type AccessTokenInfo,
  type AccessTokenRequirements,
  type AccessTokenVerifications,
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

/** Passes a request on to the next handler, or answers it. For Express, Connect, node:http and node:http2. */
export type Middleware = (req: NodeRequest, res: NodeResponse, next: (error?: unknown) => void) => void

/** What a guard requires of a request, after its checks. */
export interface Requirement extends Omit<CheckedOptions, 'resource'> {
  /** Finds the tenant of a request, and writes its key into the place as soon as that is known. */
  tenantOf: (req: NodeRequest, place: Place) => Promise<ResolvedTenant>
  /** The API that the token must be for. Undefined stands for the tenant's first. */
  resourceOf: (req: NodeRequest, tenant: ResolvedTenant) => string | undefined | Promise<string>
  /** The name of the method that made the guard. */
  guard: 'requireAccessToken' | 'protectedResource'
}

/** What is known of a request, for the response if it is refused. */
interface Known {
  place: Place
  tenant?: ResolvedTenant
  resource?: string | undefined
}

/** Makes the middleware that guards the host's own API (RFC 6750). */
export class AccessTokenGuards {
  readonly #verifications: AccessTokenVerifications
  readonly #tokens: AccessTokens
  readonly #tenants: Tenants
  readonly #baseUrl: BaseUrl
  readonly #timeout: number
  readonly #warnOfScopes: WarnOfScopes
  readonly #emit: Emit

  /** @param timeout How long a function of the host's may take to return a value for a request, in milliseconds. */
  constructor(
    verifications: AccessTokenVerifications,
    tokens: AccessTokens,
    tenants: Tenants,
    baseUrl: BaseUrl,
    timeout: number,
    warnOfScopes: WarnOfScopes,
    emit: Emit,
  ) {
    this.#verifications = verifications
    this.#tokens = tokens
    this.#tenants = tenants
    this.#baseUrl = baseUrl
    this.#timeout = timeout
    this.#warnOfScopes = warnOfScopes
    this.#emit = emit
  }

  /** Makes the middleware from the host's options. */
  requireAccessToken<R extends NodeRequest>(options: RequireAccessTokenOptions<R>): Middleware {
    const guard = 'requireAccessToken'
    const { tenantKey, resource, ...others } = checkedRequirement<R>(options)
    this.#warnOfScopes(guard, others.scopes)
    return this.middleware({
      ...others,
      guard,
      tenantOf: async (req, place) => {
        const key = await this.#read(tenantKey, req, aTenantKey, `${guard}.tenantKey`)
        place.tenantKey = key
        return this.#tenants.find(key, this.#baseUrl.current(req as IncomingMessage))
      },
      resourceOf: (req) => resource && this.#read(resource, req, anApi, `${guard}.resource`),
    })
  }

  /** Makes the middleware: it sets `req.auth` and calls `next`, or answers with an error. */
  middleware(requirement: Requirement): Middleware {
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
    requirement: Requirement,
    message: GuardMessage,
  ): Promise<boolean> {
    const known: Known = { place: { where: requirement.guard } }
    try {
      const { clientId } = await this.#authorize(req, requirement, known)
      Object.assign(message, { clientId, outcome: 'passed' })
      return true
    } catch (error) {
      if (error instanceof MissingToken) {
        // A client sends its first request without a token, to learn where to get one. That is no denial, so there is no event.
        message.outcome = 'challenged'
        respondWithChallenge(res, challengeOf(undefined, this.#challenge(req, requirement, known)))
      } else {
        const refused =
          error instanceof OAuthError ? withChallenge(error, this.#challenge(req, requirement, known)) : error
        const named = this.#tokens.namingOwner(refused, presentedToken(req)?.token ?? '')
        respondAsApi(res, reportError(named, known.place, this.#emit, message))
      }
      message.status = res.statusCode
      return false
    } finally {
      message.tenantKey = known.place.tenantKey
      message.tenantId = known.tenant?.id
    }
  }

  async #authorize(req: NodeRequest, requirement: Requirement, known: Known): Promise<AccessTokenInfo> {
    const { tenantOf, resourceOf, ...required } = requirement
    const tenant = await tenantOf(req, known.place)
    const resource = await resourceOf(req, tenant)
    Object.assign(known, { tenant, resource })
    const presented = requiredToken(req)
    const auth = await this.#verifications.verifyFor(tenant, presented.token, { ...required, resource, presented })
    Object.assign(req, { auth })
    return auth
  }

  #challenge(req: NodeRequest, { scopes }: Requirement, { tenant, resource }: Known): Challenge {
    const metadataUrl = tenant && this.#verifications.metadataUrlOf(resource, tenant)
    return { scopes, metadataUrl, scheme: schemeToAskFor(req, tenant) }
  }

  /**
   * Reads a required value from a request.
   *
   * @throws {OAuthError} `server_error` if a function returns anything but a string: a default must not take its place. Any string is taken
   * as it is.
   */
  async #read<R>(value: PerRequest<R>, req: NodeRequest, { what }: Kind, name: string): Promise<string> {
    if (typeof value === 'string') return value
    const given: unknown = await callHost(name, this.#timeout, () => value(req as R))
    if (typeof given === 'string') return given
    throw oauthError('server_error', 'This API is misconfigured', {
      cause: wrongAnswer(name, given, what),
      reason: 'misconfigured',
    })
  }
}

type PerRequest<R> = RequireAccessTokenOptions<R>['tenantKey']

interface Kind {
  what: string
  accepts(text: string): boolean
}

const aTenantKey: Kind = { what: 'the key of a tenant', accepts: isTenantKey }
const anApi: Kind = { what: 'an absolute URL without a fragment', accepts: isResource }

function checkedRequirement<R>(given: RequireAccessTokenOptions<R>) {
  const perRequest = ({ what, accepts }: Kind) =>
    must<PerRequest<R>>(
      `${what}, or a function of the request`,
      (value) => (typeof value === 'string' ? accepts(value) : typeof value === 'function'),
      { quotes: true },
    )
  const checks = { ...verifyOptions, tenantKey: perRequest(aTenantKey), resource: optional(perRequest(anApi)) }
  return requirements(checks)(given, 'requireAccessToken')
}

/** @throws {MissingToken} */
function requiredToken(req: NodeRequest): PresentedToken {
  const presented = presentedToken(req)
  if (presented) return presented
  if (schemeIn(req)) throw invalidToken('The access token is malformed', 'malformed_token')
  throw new MissingToken()
}

/** The request has no token at all. */
class MissingToken extends Error {}
