import type { TenantAddress } from './issuer'

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResource {
  /** The scopes that its access tokens must have. */
  scopes: readonly string[]
  /** More scopes that it has a use for. */
  scopesSupported: readonly string[]
  /** The URL of the resource at a tenant. */
  urlFor(address: TenantAddress): string
  /** The tenant key in a path, and what the path has below the resource. Undefined if the path is neither the resource nor below it. */
  tenantKeyIn(path: string): { tenantKey: string; rest: string } | undefined
  /**
   * What a path on a domain of a tenant's own has below the resource. Undefined if the path is neither the resource nor below it.
   */
  restOnOwnDomain(path: string): string | undefined
}

/** The path of a protected resource's metadata, in front of the path of the resource (RFC 9728 section 3). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource'

/** The URL of a resource's metadata (RFC 9728 section 3.1). */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${protectedResourcePath}${pathname}`
}

/**
 * The protected resource at a path that has `:tenantKey` as one of its segments. On a domain of a tenant's own its path is what follows
 * `:tenantKey`, or if nothing does, what precedes it.
 */
export function resourceAt(
  path: string,
  scopes: readonly string[],
  scopesSupported: readonly string[],
): ProtectedResource {
  const [before = '', after = ''] = path.split(':tenantKey')
  const ownPath = after || before.replace(/\/$/, '')
  return {
    scopes,
    scopesSupported,
    urlFor: ({ baseUrl, keyInPath }) =>
      keyInPath === undefined ? `${baseUrl}${ownPath}` : `${baseUrl}${before}${keyInPath}${after}`,
    tenantKeyIn: (candidate) => {
      if (!candidate.startsWith(before)) return undefined
      const [, tenantKey = '', rest = ''] = /^([^/]+)(.*)$/.exec(candidate.slice(before.length)) ?? []
      const below = rest.slice(after.length)
      return rest.startsWith(after) && (below === '' || below.startsWith('/')) ? { tenantKey, rest: below } : undefined
    },
    restOnOwnDomain: (candidate) => {
      const rest = candidate.slice(ownPath.length)
      return candidate.startsWith(ownPath) && (rest === '' || rest.startsWith('/')) ? rest : undefined
    },
  }
}
