/** A wrong option or argument, thrown at start-up: names the option, what was given and what is allowed. */
export class ConfigurationError extends Error {
  /** The option's name, such as `accessTokenLifetime` or `signingKeys[1]`. */
  readonly option: string
  /** What the option may be. */
  readonly allowed: string

  constructor(option: string, given: unknown, allowed: string) {
    super(`customer-sign-in: ${option} is ${described(option, given)}; allowed is ${allowed}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.allowed = allowed
  }
}

// Whatever else is given, be it under a misspelt name, may be a secret.
const quotable =
  /^(baseUrl|scopes|endpoints|redirectSchemes|tenant\.|tenantKey|protectedResource|\w+(Lifetime|Window|Tolerance|Timeout)$)/

function described(option: string, given: unknown): string {
  if (given === undefined) return 'missing'
  if (typeof given === 'string') {
    const shown = quotable.test(option) && !given.includes('@')
    return shown ? JSON.stringify(given.slice(0, 100)) : `a string of ${given.length} characters`
  }
  if (Array.isArray(given)) return `an array of ${given.length}`
  return typeof given === 'object' && given !== null
    ? 'an object'
    : typeof given === 'function'
      ? 'a function'
      : String(given)
}
