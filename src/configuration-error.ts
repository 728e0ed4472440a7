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

function described(option: string, given: unknown): string {
  if (given === undefined) return 'missing'
  if (typeof given === 'string') {
    const secret = /^(signingKeys|credentialSecrets)/.test(option)
    return secret ? `a string of ${given.length} characters` : JSON.stringify(given.slice(0, 100))
  }
  if (Array.isArray(given)) return `an array of ${given.length}`
  return typeof given === 'object' && given !== null
    ? 'an object'
    : typeof given === 'function'
      ? 'a function'
      : String(given)
}
