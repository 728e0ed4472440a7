import { flag, must, optional, requiredScopes, requirements } from '../configuration/checks'
import type { Place } from '../host/emitter'
import type { NodeRequest } from '../http/node-messages'
import { type BaseUrl, type HostRequest, requestHost, requestPath } from '../http/request-address'
import type { SubjectKind } from '../protocol/subject'
import type { ProtectedResources } from '../tenants/protected-resources'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { noSuchTenant, type Tenants } from '../tenants/tenants'
import type { AccessTokenGuards, Middleware } from './require-access-token'
import type { WarnOfScopes } from './unknown-scopes'
import { accepts } from './verify-access-token'

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResourceOptions {
  /**
   * The path below `baseUrl`, with `:tenantKey` for the tenant: `/v1/:tenantKey/mcp`. At a company with a domain of its own, the path is what
   * follows `:tenantKey`, such as `/mcp`, or if nothing does, what precedes it. So with a `findTenantByHost`, no two paths may end alike.
   */
  path: string
  /** The scopes that a token must have for every request: a list, or a string with spaces between them. Default none. */
  scopes?: string | readonly string[]
  /**
   * The scopes that only some requests need (see `requireScopes`). The metadata lists them after `scopes`, as far as the tenant offers them.
   * Default: if there are no `scopes` either, the metadata lists all that the tenant offers.
   */
  scopesSupported?: string | readonly string[]
  /** Whether to ask the store, once for each request, if the grant has ended. Default false. */
  checkRevocation?: boolean
  /** Whom the client may act for: a `customer`, as a `client` for nobody but itself, or a `workload`. Default `['customer']`. */
  accepts?: readonly SubjectKind[]
}

const checkedMembers = requirements({
  path: must<string>(
    'a path with :tenantKey as one of its segments and no slash at its end, such as /v1/:tenantKey/mcp',
    (given) => typeof given === 'string' && /^(\/[\w.~-]+)*\/:tenantKey(\/[\w.~-]+)*$/.test(given),
    { quotes: true },
  ),
  scopes: optional(requiredScopes, []),
  scopesSupported: optional(requiredScopes, []),
  checkRevocation: optional(flag, false),
  accepts,
})

/**
 * Announces a protected resource. @returns The middleware that guards it, whose challenges lead to its metadata (RFC 9728 section 5.1).
 */
export function protectedResource(
  options: ProtectedResourceOptions,
  guards: AccessTokenGuards,
  resources: ProtectedResources,
  tenants: Tenants,
  baseUrl: BaseUrl,
  warnOfScopes: WarnOfScopes,
): Middleware {
  const guard = 'protectedResource'
  const { path, scopes, scopesSupported, ...others } = checkedMembers(options, guard)
  warnOfScopes(guard, [...scopes, ...scopesSupported])
  const announced = resources.announce(path, scopes, scopesSupported)

  async function tenantOf(request: NodeRequest, place: Place): Promise<ResolvedTenant> {
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
  }

  return guards.middleware({
    tenantOf,
    resourceOf: (_req, tenant) => announced.urlFor(tenant.address),
    ...others,
    scopes,
    guard,
  })
}
