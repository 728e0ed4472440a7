import type { IncomingMessage, ServerResponse } from 'node:http'
import { flag, listOf, must, optional, record, scopeToken } from '../option-checks'
import type { Service } from '../service'
import { requireAccessToken } from './require-access-token'

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResourceOptions {
  /** The path below `baseUrl`, with `:tenantKey` for the tenant: `/v1/:tenantKey/mcp`. */
  path: string
  /** The scopes that a token must have; the metadata lists them. Default none. */
  scopes?: readonly string[]
  /** Asks the store, once for each request, whether the grant has ended since. Default false. */
  checkRevocation?: boolean
}

/** A protected resource as the router and the tenants know it. */
export interface ProtectedResource {
  scopes: readonly string[]
  /** Its address at a tenant. */
  urlFor(tenantKey: string, baseUrl: string): string
  /** The tenant key in a path of it or below it, where the path is one. */
  tenantKeyIn(path: string): { tenantKey: string; rest: string } | undefined
}

const checks = {
  path: must<string>(
    'a path with :tenantKey as one of its segments',
    (given) => typeof given === 'string' && /^(\/[\w.~-]+)*\/:tenantKey(\/[\w.~-]+)*$/.test(given),
  ),
  scopes: optional(listOf(scopeToken), []),
  checkRevocation: optional(flag, false),
}

/** Where a protected resource's metadata is, before the resource's own path (RFC 9728 section 3). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource'

/**
 * Announces a protected resource and gives the middleware that guards it, whose challenges lead to its metadata (RFC 9728 section
 * 5.1).
 */
export function protectedResource(
  options: ProtectedResourceOptions,
  service: Service,
): (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void {
  const { path, scopes, checkRevocation } = record(checks)(options, 'protectedResource')
  const resource = describedBy(path, scopes)
  service.protectedResources.push(resource)
  const tenantKeyOf = (req: IncomingMessage & { originalUrl?: string }) => {
    const target = (req.originalUrl ?? req.url ?? '').split('?', 1)[0] ?? ''
    const { path: basePath } = service.baseUrl
    const own = target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target
    return resource.tenantKeyIn(own)?.tenantKey ?? ''
  }
  const urlOf = (req: IncomingMessage) => resource.urlFor(tenantKeyOf(req), service.baseUrl.current(req))
  return requireAccessToken(
    { tenantKey: tenantKeyOf, resource: urlOf, scope: scopes, checkRevocation },
    service,
    (req) => metadataUrlOf(urlOf(req)),
  )
}

/** Where the metadata of a resource is (RFC 9728 section 3.1). */
function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${protectedResourcePath}${pathname}`
}

function describedBy(path: string, scopes: readonly string[]): ProtectedResource {
  const [before = '', after = ''] = path.split(':tenantKey')
  return {
    scopes,
    urlFor: (tenantKey, baseUrl) => `${baseUrl}${before}${tenantKey}${after}`,
    tenantKeyIn: (candidate) => {
      if (!candidate.startsWith(before)) return undefined
      const [, tenantKey = '', rest = ''] = /^([^/]+)(.*)$/.exec(candidate.slice(before.length)) ?? []
      const below = rest.slice(after.length)
      return rest.startsWith(after) && (below === '' || below.startsWith('/')) ? { tenantKey, rest: below } : undefined
    },
  }
}
