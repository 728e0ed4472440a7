/** A protected resource as the router and the tenants know it. */
export interface ProtectedResource {
  scopes: readonly string[]
  /** Its address at a tenant. */
  urlFor(tenantKey: string, baseUrl: string): string
  /** The tenant key in a path of it or below it, where the path is one. */
  tenantKeyIn(path: string): { tenantKey: string; rest: string } | undefined
}

/** Where a protected resource's metadata is, before the resource's own path (RFC 9728 section 3). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is (RFC 9728 section 3.1). */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${protectedResourcePath}${pathname}`
}

/** @param path With `:tenantKey` as one of its segments. */
export function resourceAt(path: string, scopes: readonly string[]): ProtectedResource {
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
