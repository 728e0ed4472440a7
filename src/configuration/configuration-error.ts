import { startOf } from '../protocol/start-of'
import { withoutCredentials } from '../protocol/without-credentials'
import { helpFor } from './help'
import { nearestName } from './nearest-name'

/** How a {@link ConfigurationError} describes what was given. */
interface Wording {
  /** Whether the message may quote a string. Not if a secret may have been given in its place. Default false. */
  quotes?: boolean | undefined
  /** The message after the option's name, if it is not about a value of the wrong kind. */
  says?: string | undefined
}

/** A wrong option, argument, record, or result of a hook. Its message says what was given, what is allowed, and where to read more. */
export class ConfigurationError extends Error {
  /** The option's name, such as `accessTokenLifetime` or `signingKeys[1]`. */
  readonly option: string
  /** What the option may be. */
  readonly allowed: string
  /** What is wrong, as the message says it after the option's name. */
  readonly problem: string
  /** The page of this package, and the heading there, that explain the option. */
  readonly help: string

  /** @internal */
  constructor(name: string, given: unknown, allowed: string, { quotes = false, says }: Wording = {}) {
    // A host may pass on whatever names and values a client has sent.
    const option = withoutCredentials(name)
    const help = helpFor(option)
    const problem = withoutCredentials(says ?? refusal(given, allowed, quotes))
    super(`customer-sign-in: ${option} ${problem}. See ${help}`)
    this.name = 'ConfigurationError'
    this.option = option
    this.allowed = allowed
    this.problem = problem
    this.help = help
  }
}

/**
 * The error for an unknown member. It does not quote the member's value: under a misspelt name, that may be a secret.
 *
 * @param owner The name of the object that has the member, such as `requireAccessToken`; `''` for the options.
 * @param names The known members.
 */
export function unknownMember(owner: string, member: string, names: readonly string[]): ConfigurationError {
  const nearest = nearestName(member, names)
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  const [option, kind, noun] =
    owner === '' ? [member, 'an option', 'option'] : [`${owner}.${member}`, `a member of ${owner}`, 'member']
  const known = names.length === 1 ? `The only ${noun} is` : `The ${noun}s are`
  return new ConfigurationError(option, undefined, `one of ${names.join(', ')}`, {
    says: `is not ${kind}.${suggestion} ${known} ${listOfNames(names)}`,
  })
}

/** The error for what a function of the host's has returned. It quotes nothing, because the value may be about a customer. */
export function wrongAnswer(option: string, given: unknown, allowed: string): ConfigurationError {
  return new ConfigurationError(option, given, allowed, {
    says: `must return ${allowed}, but returned ${inWords(given, false)}`,
  })
}

/** Names in a sentence: `a, b and c`. */
export function listOfNames(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function refusal(given: unknown, allowed: string, quotes: boolean): string {
  return given === undefined
    ? `is missing: it must be ${allowed}`
    : `must be ${allowed}, but is ${inWords(given, quotes)}`
}

function inWords(given: unknown, quotes: boolean): string {
  if (typeof given === 'string') {
    return quotes ? JSON.stringify(startOf(given, 100)) : `a string of ${countOf(given.length, 'character')}`
  }
  if (typeof given === 'function') return 'a function'
  if (Array.isArray(given)) return `an array of ${countOf(given.length, 'item')}`
  if (given instanceof Promise) return 'a promise'
  return typeof given === 'object' && given !== null ? 'an object' : String(given)
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
