import { oauthError } from './oauth-error'

/** Whether a text can be a tenant key. A request for any other is answered with 404 without asking the host's store. */
export function isTenantKey(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,64}$/.test(text) && text !== '.' && text !== '..'
}

/** Where a tenant is: below the base URL that all tenants share, with its key in each path, or on a domain of its own. */
export interface TenantAddress {
  /** Without a slash at its end. */
  baseUrl: string
  /** Undefined on a domain of the tenant's own, where no path has a key. */
  keyInPath: string | undefined
}

/** The issuer of a tenant (RFC 8414 section 2): `{baseUrl}/v1/{tenantKey}/oauth`, or the origin of the tenant's own domain. */
export function issuerOf({ baseUrl, keyInPath }: TenantAddress): string {
  return keyInPath === undefined ? baseUrl : `${baseUrl}/v1/${keyInPath}/oauth`
}

/** The path of the endpoints on a domain of a tenant's own, where all other paths are the host's. */
export const ownEndpointsPath = '/oauth'

/** What the addresses of a tenant's endpoints begin with. */
export function endpointsOf(address: TenantAddress): string {
  return address.keyInPath === undefined ? `${address.baseUrl}${ownEndpointsPath}` : issuerOf(address)
}

/** The address at which a tenant has this issuer. */
export function addressOf(issuer: string, tenantKey: string, baseUrl: string): TenantAddress {
  const shared = { baseUrl, keyInPath: tenantKey }
  return issuerOf(shared) === issuer ? shared : { baseUrl: issuer, keyInPath: undefined }
}

/** The tenant key in an issuer, or undefined if the text is not an issuer below this base URL. */
export function tenantKeyOf(issuer: string, baseUrl: string): string | undefined {
  const tenantKey = issuer.split('/').at(-2) ?? ''
  return isTenantKey(tenantKey) && issuerOf({ baseUrl, keyInPath: tenantKey }) === issuer ? tenantKey : undefined
}

/**
 * Whether a text is an absolute URL, or one by its base: `URL.canParse`, which on Node 20 and 22 refuses letters such as `ü` once V8 has optimized it
 * (nodejs/node#58023).
 */
export function isUrl(text: string, base?: string): boolean {
  if (!/[\x80-\xff]/.test(text)) return URL.canParse(text, base)
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}

/**
 * An http or https address as the URL parser keeps it, without the slash that it adds to an address without a path: what is configured is
 * published, and compared as text. Any other text stays as it is.
 */
export function asParsed(address: string): string {
  if (!/^https?:\/\//i.test(address) || !isUrl(address)) return address
  const { origin, href } = new URL(address)
  const hasPath = /^[^:]+:\/\/[^/?#]*\//.test(address)
  return hasPath ? href : href.replace(`${origin}/`, origin)
}

/** An address of this server, as requests spell it: as parsed, and without a dot at the end of its name, which they leave out. */
export function asServed(address: string): string {
  return asParsed(address).replace(/^(https?:\/\/[^/]*?)\.(?=:|\/|$)/, '$1')
}

/** Whether a text is a resource indicator: an absolute URL without a fragment (RFC 8707 section 2). */
export function isResource(text: string): boolean {
  return isUrl(text) && !text.includes('#')
}

/**
 * The form in which resources are compared and stored: as `URL` writes it, without one trailing slash (RFC 8707 section 2).
 *
 * @returns Undefined if the text is not a resource indicator.
 */
export function canonicalResource(resource: string): string | undefined {
  if (!isResource(resource)) return undefined
  const url = new URL(resource)
  return url.search === '' ? url.href.replace(/\/$/, '') : url.href
}

/** Finds a resource that is given in canonical form among others, in their own spelling. */
export function spellingOf(canonical: string, resources: readonly string[]): string | undefined {
  // Fast path: a string equal to the canonical form needs no URL parsing. A trailing slash is never canonical.
  const isSame = (resource: string) => resource === canonical && !resource.endsWith('/')
  return resources.find((resource) => isSame(resource) || canonicalResource(resource) === canonical)
}

/** The resources that a tenant has, and its issuer, which is a resource too where the tenant has no API of its own. */
interface OfferedResources {
  issuer: string
  resources: readonly string[]
}

/**
 * The one resource that a request names, in canonical form, or undefined if it names none. A value that is not the address of a resource means
 * the one that it leads to: clients also send the origin of an API, a parent path, an address below it, or its address with a query.
 *
 * @param options.mayBeBelow Whether an address below an API means that API. Default true.
 * @returns The tenant's resource. If the request does not lead to exactly one, the address that it names, which is no resource of the tenant's.
 * @throws {OAuthError} `invalid_target` if it is not an absolute URL, or if the request names several different ones.
 */
export function requestedResource(
  values: readonly string[],
  offered: OfferedResources,
  { mayBeBelow = true } = {},
): string | undefined {
  if (values.length === 0) return undefined
  const named = [...new Set(values.map(canonicalResource))]
  const [first] = named
  const [resource, ...others] = named
    .map((canonical) => (canonical === undefined ? [] : candidates(canonical, offered, mayBeBelow)))
    .reduce((common, those) => common.filter((each) => those.includes(each)))
  if (resource !== undefined && others.length === 0) return resource
  if (named.length > 1) throw oauthError('invalid_target', 'resource must name only one resource')
  if (first === undefined) throw oauthError('invalid_target', 'resource must be an absolute URL without a fragment')
  return first
}

/** The resources that an address can mean, in canonical form: the closest ones alone. */
function candidates(requested: string, { issuer, resources }: OfferedResources, mayBeBelow: boolean): string[] {
  const isListed = spellingOf(requested, resources) !== undefined
  if (isListed && requested !== issuer) return [requested]
  if (!/^https?:/.test(requested)) return []
  const canonical = [...new Set(resources.map((resource) => canonicalResource(resource) ?? resource))]
  const address = withoutQuery(requested)
  const { search } = new URL(requested)
  // A query that a resource has itself tells it from others.
  const mayMean = canonical.filter((resource) => search === '' || ['', search].includes(new URL(resource).search))
  const same = mayMean.filter((resource) => withoutQuery(resource) === address)
  // The slash makes it whole segments, and ends the host and the port.
  const below = mayMean.filter((resource) => withoutQuery(resource).startsWith(`${address}/`))
  // The issuer stands beside the APIs below most parent paths, and no client means it there.
  const apis = below.filter((resource) => resource !== canonicalResource(issuer))
  // On a domain of the tenant's own the issuer is the origin, which clients send for the API there.
  if (same.length > 0 && (address !== issuer || apis.length === 0)) return same
  if (below.length > 0) return apis.length > 0 ? apis : below
  if (!mayBeBelow) return []
  const above = canonical.filter((resource) => resource !== canonicalResource(issuer) && isBelow(requested, resource))
  const longest = Math.max(...above.map((resource) => withoutQuery(resource).length))
  return above.filter((resource) => withoutQuery(resource).length === longest)
}

/**
 * Whether an address is below an API, by whole segments, with its query if it has one: clients also send the address of a transport, such as
 * `/mcp/sse`. Not below an API that is a whole origin: others may have addresses there.
 */
function isBelow(requested: string, resource: string): boolean {
  const [address, base] = [withoutQuery(requested), withoutQuery(resource)]
  const isOfQuery = ['', new URL(requested).search].includes(new URL(resource).search)
  const hasPath = new URL(resource).pathname !== '/'
  return hasPath && isOfQuery && address.startsWith(base) && /^(?:\/[^/]+)+$/.test(address.slice(base.length))
}

/** A canonical resource without its query, in canonical form. */
function withoutQuery(canonical: string): string {
  return canonical.replace(/\/?\?.*$/, '')
}

/** The path of a protected resource's metadata, in front of the path of the resource (RFC 9728 section 3). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource'

/** The URL of a resource's metadata (RFC 9728 section 3.1). */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${protectedResourcePath}${pathname}`
}

/** A protected resource that every tenant has, at a path of its own. */
export type ProtectedResource = ReturnType<typeof resourceAt>

/**
 * The protected resource at a path that has `:tenantKey` as one of its segments. On a domain of a tenant's own its path is what follows
 * `:tenantKey`, or if nothing does, what precedes it.
 *
 * @param scopes The scopes that its access tokens must have.
 * @param scopesSupported More scopes that it has a use for.
 */
export function resourceAt(path: string, scopes: readonly string[], scopesSupported: readonly string[]) {
  const [before = '', after = ''] = path.split(':tenantKey')
  const ownPath = after || before.replace(/\/$/, '')
  return {
    scopes,
    scopesSupported,
    /** The URL of the resource at a tenant. */
    urlFor: ({ baseUrl, keyInPath }: TenantAddress) =>
      keyInPath === undefined ? `${baseUrl}${ownPath}` : `${baseUrl}${before}${keyInPath}${after}`,
    /** The tenant key in a path, and what the path has below the resource. Undefined if the path is neither the resource nor below it. */
    tenantKeyIn: (candidate: string) => {
      const [, tenantKey = '', following = ''] = /^([^/]+)(.*)$/.exec(candidate.slice(before.length)) ?? []
      const rest = candidate.startsWith(before) ? restBelow(after, following) : undefined
      return rest === undefined ? undefined : { tenantKey, rest }
    },
    /** What a path on a domain of a tenant's own has below the resource. Undefined if the path is neither the resource nor below it. */
    restOnOwnDomain: (candidate: string) => restBelow(ownPath, candidate),
  }
}

/** What a path has below another. Undefined if it is neither that path nor below it. */
function restBelow(base: string, path: string): string | undefined {
  const rest = path.slice(base.length)
  return path.startsWith(base) && (rest === '' || rest.startsWith('/')) ? rest : undefined
}
