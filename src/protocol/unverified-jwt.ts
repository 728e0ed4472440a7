/** A JWT before anything of it is verified (RFC 7519 section 7.2). */
export interface UnverifiedJwt {
  header: Readonly<Record<string, unknown>>
  claims: Readonly<Record<string, unknown>>
}

/** Reads a signed JWT. @returns Undefined if the text does not have the form of one. */
export function readJwt(jws: string): UnverifiedJwt | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)) return undefined
  const [header, claims] = jws.split('.').map((part) => jsonObject(Buffer.from(part, 'base64url').toString()))
  return header && claims && { header, claims }
}

/** Whether a claim is a time, in seconds since 1970 (NumericDate, RFC 7519 section 2). */
export function isTime(claim: unknown): claim is number {
  return typeof claim === 'number' && Number.isFinite(claim)
}

/** Reads an object of JSON. @returns Undefined if the text is none. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    // Without `__proto__`: whoever copies the members must not get another prototype.
    const value = JSON.parse(text, (name, member) => (name === '__proto__' ? undefined : member))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
