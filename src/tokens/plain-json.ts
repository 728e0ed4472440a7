/**
 * An object as JSON carries it, or undefined if JSON or a JWT cannot carry it. Claims that cannot be signed must be found before the
 * credential is used up.
 */
export function plainJson(value: unknown): Record<string, unknown> | undefined {
  try {
    const plain = JSON.parse(JSON.stringify(value))
    if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return undefined
    // It would become the prototype of the claims wherever they are copied.
    Reflect.deleteProperty(plain, '__proto__')
    // The only claim of the host's own that RFC 7519 has a rule for (section 4.1.5).
    return plain.nbf === undefined || typeof plain.nbf === 'number' ? plain : undefined
  } catch {
    return undefined
  }
}
