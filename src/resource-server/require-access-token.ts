import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Place, reported } from '../http/reported'
import { respondAsApi } from '../http/responses'
import { must, optional, record } from '../option-checks'
import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import { withinTime } from '../stores/guarded-store'
import { findTenant } from '../tenants/find-tenant'
import { invalidToken, namingOwner } from '../tokens/verified-claims'
import { type AccessTokenCheck, type AccessTokenInfo, accessTokenChecks, verifyForTenant } from './verify-access-token'

/** A value, or how to read it off a request. */
export type PerRequest<R, T> = T | ((req: R) => T)

/** What `requireAccessToken` requires of a request. */
export interface RequiredAccessToken<R = IncomingMessage> extends Omit<AccessTokenCheck, 'resource'> {
  /** The tenant whose token it must be. */
  tenantKey: PerRequest<R, string>
  /** The API that it must be for. By default the tenant's first resource. */
  resource?: PerRequest<R, string> | undefined
}

/** What lets a request through to the next handler, or answers it. */
export type Middleware<R> = (req: R, res: ServerResponse, next: (error?: unknown) => void) => void

/** A request of a route with `:tenantKey` in its path, as Express hands it on. */
export type RoutedRequest = IncomingMessage & { params: { tenantKey: string } }

/** A request that `requireAccessToken` has let through. */
export type AuthorizedRequest<R = IncomingMessage> = R & { auth: AccessTokenInfo }

/** The middleware of the host's own API (RFC 6750): answers 401 or 403, or sets `req.auth` and goes on. */
export function requireAccessToken<R extends IncomingMessage>(
  required: RequiredAccessToken<R>,
  service: Service,
  metadataUrlOf?: (req: R) => string,
): Middleware<R> {
  const { tenantKey, resource, scopes, checkRevocation } = checkedRequirement<R>(required)

  async function authorize(req: R, place: Place): Promise<void> {
    place.tenantKey = await read('tenantKey', tenantKey, req, service)
    const tenant = await findTenant(place.tenantKey, service.baseUrl.current(req), service)
    const expected = resource === undefined ? undefined : await read('resource', resource, req, service)
    const info = await verifyForTenant(
      bearerToken(req),
      tenant,
      { checkRevocation, scopes, resource: expected },
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

function checkedRequirement<R>(given: RequiredAccessToken<R>) {
  const perRequest = (what: string) =>
    must<PerRequest<R, string>>(`${what}, or a function of the request`, (value) =>
      typeof value === 'string' ? value !== '' : typeof value === 'function',
    )
  const checks = {
    ...accessTokenChecks,
    tenantKey: perRequest('the key of a tenant'),
    resource: optional(perRequest('the URL of an API')),
  }
  return record(checks)(given, 'requireAccessToken')
}

/** A function that gives no text gives '', which no tenant and no resource is: it must not fall back to a default. */
async function read<R>(member: string, value: PerRequest<R, string>, req: R, { options }: Service): Promise<string> {
  if (typeof value === 'string') return value
  const what = `requireAccessToken.${member}`
  const given: unknown = await withinTime(what, options.storeTimeout * 1000, () => value(req))
  return typeof given === 'string' ? given : ''
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
