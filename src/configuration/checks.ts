import { BoundedMap } from '../collections/bounded-map'
import { isAppRedirect } from '../protocol/redirect-uri'
import { isResource } from '../protocol/resource'
import { isScopeToken } from '../protocol/scope'
import { ConfigurationError, unknownMember } from './configuration-error'

/** Gives an option's value back, or its default; throws a `ConfigurationError` that names it. */
export type Check<T> = (given: unknown, name: string) => T

/** A check that accepts what the predicate accepts. Its error never quotes a text, which may be a secret. */
export function must<T>(allowed: string, accepts: (given: unknown) => boolean): Check<T> {
  return (given, name) => {
    if (!accepts(given)) throw new ConfigurationError(name, given, allowed)
    return given as T
  }
}

/** The same for what is never secret: its error quotes a wrong text, except one that may have a password in it. */
export function mustOpenly<T>(allowed: string, accepts: (given: unknown) => boolean): Check<T> {
  return (given, name) => {
    if (accepts(given)) return given as T
    throw new ConfigurationError(name, given, allowed, { quotes: typeof given === 'string' && !given.includes('@') })
  }
}

function mustText(allowed: string, accepts: (text: string) => boolean): Check<string> {
  return mustOpenly(allowed, (given) => typeof given === 'string' && accepts(given))
}

const maxRemembered = 10_000

/**
 * The same predicate, which remembers the texts that it has accepted: tenant records are checked on every request, and to parse their URLs
 * each time would cost more than all other checks together.
 */
export function rememberAccepted(accepts: (text: string) => boolean): (text: string) => boolean {
  const accepted = new BoundedMap<string, true>(maxRemembered)
  return (text) => {
    if (accepted.get(text)) return true
    if (!accepts(text)) return false
    accepted.set(text, true)
    return true
  }
}

/** A check of an option that may be left out. */
export function optional<T>(check: Check<T>): Check<T | undefined>
export function optional<T>(check: Check<T>, byDefault: T): Check<T>
export function optional<T>(check: Check<T>, byDefault?: T): Check<T | undefined> {
  return (given, name) => (given === undefined ? byDefault : check(given, name))
}

/** A check of a member of a host's record, which a database gives as null where there is nothing. */
export function nullable<T>(check: Check<T>): Check<T | undefined> {
  return (given, name) => (given === undefined || given === null ? undefined : check(given, name))
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (given, name) => {
    if (!Array.isArray(given)) throw new ConfigurationError(name, given, 'an array')
    return given.map((item, index) => check(item, `${name}[${index}]`))
  }
}

/** A list in which nothing comes twice. */
export function distinct<T extends string>(check: Check<T>): Check<T[]> {
  const list = listOf(check)
  return (given, name) => {
    const items = list(given, name)
    if (items.length < 2 || new Set(items).size === items.length) return items
    const index = items.findIndex((item, place) => items.indexOf(item) < place)
    throw new ConfigurationError(`${name}[${index}]`, given, 'in the list once', {
      says: `is ${JSON.stringify(items[index])}, which the list has already`,
    })
  }
}

/**
 * An object with these members and no others.
 *
 * @param isIgnored Says which others it may have nevertheless: they are left out.
 */
export function record<T extends Record<string, Check<unknown>>>(
  members: T,
  isIgnored: (member: string) => boolean = () => false,
): Check<Checked<T>> {
  const checks = Object.entries(members).map(([member, check]) => ({ member, check }))
  const names = Object.keys(members)
  const known = new Set(names)
  return (given, name) => {
    if (!isObject(given)) throw new ConfigurationError(name || 'options', given, 'an object')
    // A record is looked at with every request: no list of its members is made.
    for (const member in given) {
      if (!known.has(member) && Object.hasOwn(given, member) && !isIgnored(member))
        throw unknownMember(name, member, names)
    }
    const prefix = name === '' ? '' : `${name}.`
    const checked: Record<string, unknown> = {}
    for (const { member, check } of checks) checked[member] = check(given[member], prefix + member)
    return checked as Checked<T>
  }
}

/**
 * The members of a guard, or of what else must not do more than was meant: one that is named must have a value. `undefined`, where
 * something was to be required, would require nothing.
 */
export function requirements<T extends Record<string, Check<unknown>>>(members: T): Check<Checked<T>> {
  const check = record(members)
  return (given, name) => {
    const unsaid = isObject(given) && Object.keys(given).find((member) => given[member] === undefined)
    if (unsaid === undefined || unsaid === false) return check(given, name)
    throw new ConfigurationError(`${name}.${unsaid}`, undefined, 'given a value, or left out', {
      says: 'is undefined: give it a value, or leave it out',
    })
  }
}

/** What can have members: no array, and no function. */
export function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

/** A check that takes whatever is given: for a member that is judged elsewhere. */
export function anything<T>(given: unknown): T {
  return given as T
}

/** The record that a table of checks lets through. */
export type Checked<T extends Record<string, Check<unknown>>> = { [K in keyof T]: ReturnType<T[K]> }

export function seconds(least: number, most: number): Check<number> {
  const unit = Number.isInteger(least) ? 'a whole number of seconds' : 'a number of seconds'
  return mustOpenly(
    `${unit} from ${least} to ${most}`,
    (given) =>
      typeof given === 'number' &&
      given >= least &&
      given <= most &&
      (Number.isInteger(given) || !Number.isInteger(least)),
  )
}

export function objectWith<T>(...methods: (keyof T & string)[]): Check<T> {
  return must(`an object with ${methods.join(', ')}`, (given) =>
    methods.every((method) => typeof (given as Record<string, unknown> | null | undefined)?.[method] === 'function'),
  )
}

export function func<T>(): Check<T> {
  return must('a function', (given) => typeof given === 'function')
}

export const flag: Check<boolean> = mustOpenly('true or false', (given) => typeof given === 'boolean')

export const text: Check<string> = mustText('a string that is not empty', (given) => given !== '')

export const scopeToken: Check<string> = mustText(
  'a scope token: printable ASCII without spaces, quotes and backslashes',
  isScopeToken,
)

const scopeTokens = distinct(scopeToken)

/** The scopes that a guard requires: a list, or a text with a space between every two. A list that is empty may be one that was lost. */
export const requiredScopes: Check<string[]> = (given, name) => {
  if (given === '' || (Array.isArray(given) && given.length === 0)) {
    throw new ConfigurationError(name, given, 'at least one scope token, or left out', { quotes: true })
  }
  return scopeTokens(typeof given === 'string' ? given.split(' ') : given, name)
}

/** An absolute http or https URL without credentials and fragment. */
export const httpUrl: Check<string> = mustText(
  'an absolute http or https URL without credentials and fragment',
  (given) => {
    // `URL` forgives white space and missing slashes, which would go on into issuers.
    if (!/^https?:\/\/[^\s\\#]+$/i.test(given) || !URL.canParse(given)) return false
    const { protocol, username, password } = new URL(given)
    return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
  },
)

/** A resource indicator (RFC 8707 section 2). */
export const resource: Check<string> = mustText('an absolute URL without a fragment', rememberAccepted(isResource))

const isWebImage = rememberAccepted(
  (text) =>
    URL.canParse(text) &&
    // Its origin goes into the page's policy, where `;` and `,` would begin another one.
    /^https:\/\/[\w.:[\]-]+$/.test(new URL(text).origin),
)

/** A picture that a page may show. */
export const imageUrl: Check<string> = mustText(
  'an https or data URL of a picture',
  (text) => text.startsWith('data:image/') || isWebImage(text),
)

/** Which addresses of an app are redirect URIs. */
export const appRedirect: Check<string> = mustText(
  "an app's own address, or the start of it up to a slash, such as cursor://anysphere.cursor-mcp/oauth/: no whole scheme, none that has a dot or that browsers know, no query and no fragment",
  isAppRedirect,
)
