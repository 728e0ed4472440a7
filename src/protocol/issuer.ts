/** Whether a text can be a tenant key. A request for any other is answered with 404 without asking the host's store. */
export function isTenantKey(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,64}$/.test(text) && text !== '.' && text !== '..'
}

/** The issuer of a tenant (RFC 8414 section 2): `{baseUrl}/v1/{tenantKey}/oauth`. */
export function issuerOf(baseUrl: string, tenantKey: string): string {
  return `${baseUrl}/v1/${tenantKey}/oauth`
}

/** The tenant key in an issuer, or undefined if the text is not an issuer of this base URL. */
export function tenantKeyOf(issuer: string, baseUrl: string): string | undefined {
  const tenantKey = issuer.split('/').at(-2) ?? ''
  return isTenantKey(tenantKey) && issuerOf(baseUrl, tenantKey) === issuer ? tenantKey : undefined
}
