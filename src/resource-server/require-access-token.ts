import type { IncomingMessage, ServerResponse } from 'node:http'
import { must, optional, requirements } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import { type Place, reported } from '../events/report'
import { respondAsApi } from '../http/responses'
import { isTenantKey } from '../protocol/issuer'
import { OAuthError } from '../protocol/oauth-error'
import { isResource } from '../protocol/resource'
import type { Service } from '../service'
import { callHostWithin } from '../stores/call-host'
import { findTenant } from '../tenants/tenants'
import { invalidToken, namingOwner } from '../tokens/verified-claims'
import {
  type AccessTokenInfo,
  accessTokenChecks,
  type CheckedOptions,
  type VerifyAccessTokenOptions,
  verifyForTenant,
} from './verify-access-token'

/** A value, or how to read it off a request. */
export type PerRequest<R, T> = T | ((req: R) => T)

/** What `requireAccessToken` requires of a request. */
export interface RequireAccessTokenOptions<R = IncomingMessage> extends Omit<VerifyAccessTokenOptions, 'resource'> {
  /** The tenant whose token it must be. */
  tenantKey: PerRequest<R, string>
  /** The API that it must be for. By default the tenant's first resource. */
  resource?: PerRequest<R, string>
}

/** What lets a request through to the next handler, or answers it. */
export type Middleware<R> = (req: R, res: ServerResponse, next: (error?: unknown) => void) => void

/** A request of a route with `:tenantKey` in its path, as Express hands it on. */
export type TenantRequest = IncomingMessage & { params: { tenantKey: string } }

/** A request that `requireAccessToken` has let through. */
export type AuthorizedRequest<R = IncomingMessage> = R & { auth: AccessTokenInfo }

/** The middleware of the host's own API (RFC 6750): answers 401 or 403, or sets `req.auth` and goes on. */
export function requireAccessToken<R extends IncomingMessage>(
  required: RequireAccessTokenOptions<R>,
  service: Service,
): Middleware<R> {
  return guardWith({ ...checkedRequirement<R>(required), guard: 'requireAccessToken' }, service)
}

/** A requirement that has been checked. */
interface Requirement<R> extends Omit<CheckedOptions, 'resource'> {
  tenantKey: PerRequest<R, string>
  resource: PerRequest<R, string> | undefined
  /** What the host calls the method that has made the guard. */
  guard: string
  /** Where the resource's metadata is, which challenges name. */
  metadataUrlOf?: (req: R) => string
}

export function guardWith<R extends IncomingMessage>(
  { tenantKey, resource, scopes, checkRevocation, guard, metadataUrlOf }: Requirement<R>,
  service: Service,
): Middleware<R> {
  async function authorize(req: R, place: Place): Promise<void> {
    place.tenantKey = await read(tenantKey, req, aTenantKey, `${guard}.tenantKey`, service)
    const tenant = await findTenant(place.tenantKey, service.baseUrl.current(req), service)
    const expected = resource && (await read(resource, req, anApi, `${guard}.resource`, service))
    const info = await verifyForTenant(
      bearerToken(req),
      tenant,
      { checkRevocation, scopes, resource: expected, guard },
      service,
    )
    Object.assign(req, { auth: info })
  }

  return (req, res, next) => {
    const place: Place = { where: 'requireAccessToken' }
    // `next` stands outside: what it throws is the host's own.
    authorize(req, place).then(
      () => next(),
      (error) => {
        const refused = challenged(error, scopes, metadataUrlOf?.(req))
        const owned = namingOwner(refused, tokenIn(req) ?? '', service.signingKeys)
        respondAsApi(res, isFirstRequest(owned) ? owned : reported(owned, place, service))
      },
    )
  }
}

interface Kind {
  what: string
  accepts(text: string): boolean
}

const aTenantKey: Kind = { what: 'the key of a tenant', accepts: isTenantKey }
const anApi: Kind = { what: 'an absolute URL without a fragment', accepts: isResource }

function checkedRequirement<R>(given: RequireAccessTokenOptions<R>) {
  const perRequest = ({ what, accepts }: Kind) =>
    must<PerRequest<R, string>>(
      `${what}, or a function of the request`,
      (value) => (typeof value === 'string' ? accepts(value) : typeof value === 'function'),
      { quotes: true },
    )
  const checks = { ...accessTokenChecks, tenantKey: perRequest(aTenantKey), resource: optional(perRequest(anApi)) }
  return requirements(checks)(given, 'requireAccessToken')
}

/**
 * Reads what a request must be good for off it.
 *
 * @throws {OAuthError} `server_error` where a function gives no text: it must not fall back to a default. Any text is given as it is.
 */
async function read<R>(
  value: PerRequest<R, string>,
  req: R,
  { what }: Kind,
  name: string,
  { options }: Service,
): Promise<string> {
  if (typeof value === 'string') return value
  const given: unknown = await callHostWithin(name, options.hostTimeout * 1000, () => value(req))
  if (typeof given === 'string') return given
  throw new OAuthError('server_error', 'This API is misconfigured', {
    cause: wrongAnswer(name, given, what),
    reason: 'misconfigured',
  })
}

/** RFC 6750 section 2.1; a token in the body or query is not accepted. */
function bearerToken(req: IncomingMessage): string {
  const token = tokenIn(req)
  if (token !== undefined) return token
  if (/^Bearer\b/i.test(req.headers.authorization ?? ''))
    throw invalidToken('The access token is malformed', 'malformed_token')
  throw new OAuthError('invalid_token', noCredentials)
}

function tokenIn({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1]
}

const noCredentials = 'An access token is required'

/** A client begins without a token, to be told where to get one: nobody has been denied anything, so there is no event. */
function isFirstRequest(error: unknown): error is OAuthError {
  return error instanceof OAuthError && error.description === noCredentials
}

/** The error with its challenge (RFC 6750 section 3, RFC 9728 section 5.1). Who sends no credentials is told no error. */
function challenged(thrown: unknown, scopes: readonly string[], resourceMetadata: string | undefined): unknown {
  if (!(thrown instanceof OAuthError) || ![401, 403].includes(thrown.status)) return thrown
  const { code, description, detail, reason, context } = thrown
  const attributes = {
    ...(description !== noCredentials && { error: code, error_description: description }),
    ...((code === 'insufficient_scope' || resourceMetadata !== undefined) &&
      scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }),
  }
  const challenge = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`)
  const headers = { 'WWW-Authenticate': ['Bearer', challenge.join(', ')].filter(Boolean).join(' ') }
  return new OAuthError(code, description, { headers, detail, reason, context })
}
