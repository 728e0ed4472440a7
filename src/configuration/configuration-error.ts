import { nearestName } from './nearest-name'

/** How a {@link ConfigurationError} speaks of what was given. */
interface Wording {
  /** Whether a text that was given may be quoted: never where a secret may stand in its place. Default false. */
  quotes?: boolean | undefined
  /** The whole message after the option's name, where it is not that the value is a wrong one. */
  says?: string | undefined
}

/** A wrong option, argument, record or answer of a hook: names it, what was given and what is allowed. */
export class ConfigurationError extends Error {
  /** The option's name, such as `accessTokenLifetime` or `signingKeys[1]`. */
  readonly option: string
  /** What the option may be. */
  readonly allowed: string

  constructor(option: string, given: unknown, allowed: string, { quotes = false, says }: Wording = {}) {
    super(`customer-sign-in: ${option} ${says ?? refusal(given, allowed, quotes)}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.allowed = allowed
  }
}

/**
 * The error for a member that there is not. What it was given is left out: under a misspelt name it may be a secret.
 *
 * @param owner What it is a member of, such as `requireAccessToken`; `''` for the options.
 * @param names The members that there are.
 */
export function unknownMember(owner: string, member: string, names: readonly string[]): ConfigurationError {
  const nearest = nearestName(member, names)
  const [last, ...before] = [...names].reverse()
  const list = before.length > 0 ? `${before.reverse().join(', ')} and ${last}` : last
  const [option, kind] = owner === '' ? [member, 'option'] : [`${owner}.${member}`, `member of ${owner}`]
  return new ConfigurationError(option, undefined, `one of ${names.join(', ')}`, {
    says: `is no ${kind}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`} There are ${list}`,
  })
}

/** The error for what a function of the host's has given back. It quotes nothing: it may be of a customer. */
export function wrongAnswer(option: string, given: unknown, allowed: string): ConfigurationError {
  return new ConfigurationError(option, given, allowed, {
    says: `must give ${allowed}, and gave ${inWords(given, false)}`,
  })
}

function refusal(given: unknown, allowed: string, quotes: boolean): string {
  return given === undefined
    ? `is missing: it must be ${allowed}`
    : `must be ${allowed}, and is ${inWords(given, quotes)}`
}

function inWords(given: unknown, quotes: boolean): string {
  if (typeof given === 'string') {
    return quotes ? JSON.stringify(given.slice(0, 100)) : `a text of ${counted(given.length, 'character')}`
  }
  if (typeof given === 'function') return 'a function'
  if (Array.isArray(given)) return `an array of ${counted(given.length, 'item')}`
  if (given instanceof Promise) return 'a promise'
  return typeof given === 'object' && given !== null ? 'an object' : String(given)
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
