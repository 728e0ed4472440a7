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
