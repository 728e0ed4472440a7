import { type AppRedirects, isAppRedirect, isLoopbackHost } from '../protocol/redirect-uri'
import { asParsed, asServed, isResource, isUrl } from '../protocol/resource'
import { isScopeToken, withoutOfflineAccess } from '../protocol/scope'
import { ConfigurationError, listOfNames, unknownMember } from './configuration-error'

/** Returns the value of an option, or its default. Throws a `ConfigurationError` that has the option's name. */
export interface Check<T> {
  (given: unknown, name: string): T
  /** The names of a group's members. */
  members?: readonly string[] | undefined
}

/**
 * A check that accepts what the predicate accepts.
 *
 * @param allowed What the option may be, as it stands in a sentence after "must be".
 * @param options.quotes Whether the error quotes a wrong string: only if nobody would put a secret in its place. A string with an `@` is
 * never quoted, because it may be a URL with a password. Default false.
 */
export function must<T>(allowed: string, accepts: (given: unknown) => boolean, { quotes = false } = {}): Check<T> {
  return (given, name) => {
    if (accepts(given)) return given as T
    const mayQuote = quotes && typeof given === 'string' && !given.includes('@')
    throw new ConfigurationError(name, given, allowed, { quotes: mayQuote })
  }
}

/** A string that the predicate accepts, which an error quotes. */
export function mustBeText(allowed: string, accepts: (text: string) => boolean): Check<string> {
  return must(allowed, (given) => typeof given === 'string' && accepts(given), { quotes: true })
}

/** One of some words. */
export function oneOf<T extends string>(...words: readonly T[]): Check<T> {
  return must(words.join(' or '), (given) => words.includes(given as T), { quotes: true })
}

/** What is wrong with a value. Undefined if nothing is. */
export function faultIn(given: unknown, name: string, check: Check<unknown>): ConfigurationError | undefined {
  try {
    check(given, name)
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
}

/** A whole number from `min` on, up to `max` if there is one. */
export function wholeNumber(min: number, max = Number.POSITIVE_INFINITY): Check<number> {
  const allowed = `a whole number${max === Number.POSITIVE_INFINITY ? `, ${min} or more` : ` from ${min} to ${max}`}`
  return must(allowed, (given) => Number.isInteger(given) && Number(given) >= min && Number(given) <= max)
}

/** A check of an option that may be omitted. */
export function optional<T>(check: Check<T>): Check<T | undefined>
export function optional<T>(check: Check<T>, byDefault: T): Check<T>
export function optional<T>(check: Check<T>, byDefault?: T): Check<T | undefined> {
  return (given, name) => (given === undefined ? byDefault : check(given, name))
}

/** A check of a member of a host's record. Null counts as omitted, because databases return it for empty columns. */
export function nullable<T>(check: Check<T>): Check<T | undefined> {
  return (given, name) => (given === undefined || given === null ? undefined : check(given, name))
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (given, name) => {
    if (!Array.isArray(given)) throw new ConfigurationError(name, given, 'an array')
    return given.map((item, index) => check(item, `${name}[${index}]`))
  }
}

/** A list that is not empty: an empty one may be a mistake of the host's. */
export function notEmpty<T>(check: Check<T[]>, allowed = 'an array of at least one item, or omitted'): Check<T[]> {
  return (given, name) => {
    const items = check(given, name)
    if (items.length > 0) return items
    throw new ConfigurationError(name, given, allowed)
  }
}

/** A list without duplicates. */
export function distinct<T extends string>(check: Check<T>): Check<T[]> {
  const list = listOf(check)
  return (given, name) => {
    const items = list(given, name)
    if (items.length < 2 || new Set(items).size === items.length) return items
    const index = items.findIndex((item, place) => items.indexOf(item) < place)
    throw new ConfigurationError(`${name}[${index}]`, given, 'in the list only once', {
      says: `is ${JSON.stringify(items[index])}, which the list has already`,
    })
  }
}

type Checks = Record<string, Check<unknown>>

/** An object with these members and no others, except those that are ignored: the checked record does not have them. */
export function record<T extends Checks>(members: T, isIgnored = (_member: string) => false): Check<Checked<T>> {
  return (given, name) => {
    if (!isObject(given)) throw new ConfigurationError(name || 'options', given, 'an object')
    const unknown = Object.keys(given).find((member) => !Object.hasOwn(members, member) && !isIgnored(member))
    if (unknown !== undefined) throw unknownMember(name, unknown, Object.keys(members), pathsInGroups(members))
    const prefix = name === '' ? '' : `${name}.`
    const checked = Object.entries(members).map(([member, check]) => [member, check(given[member], prefix + member)])
    return Object.fromEntries(checked)
  }
}

/** Options that belong together. Left out, the group is what its members are that are left out. */
export function group<T extends Checks>(members: T): Check<Checked<T>> {
  const check = record(members)
  const ofGroup: Check<Checked<T>> = (given = {}, name) => check(given, name)
  ofGroup.members = Object.keys(members)
  return ofGroup
}

function pathsInGroups(checks: Checks): string[] {
  return Object.entries(checks).flatMap(([name, { members = [] }]) => members.map((member) => `${name}.${member}`))
}

/**
 * An object whose members require something, such as the options of a guard. A member that is present must have a value: `undefined` in
 * place of a requirement would require nothing.
 */
export function requirements<T extends Checks>(checks: T): Check<Checked<T>> {
  const check = record(checks)
  return (given, name) => {
    const members = isObject(given) ? given : {}
    const undefinedMember = Object.keys(members).find((member) => members[member] === undefined)
    if (undefinedMember === undefined) return check(given, name)
    throw new ConfigurationError(`${name}.${undefinedMember}`, undefined, 'given a value, or omitted', {
      says: 'is undefined: give it a value, or leave it out',
    })
  }
}

/** Whether a value is an object with members: not null, an array or a function. */
export function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

/** A check that accepts everything, for members that are checked elsewhere. */
export function anything<T>(given: unknown): T {
  return given as T
}

/** The record that a table of checks returns. */
export type Checked<T extends Checks> = { [K in keyof T]: ReturnType<T[K]> }

/** A duration that the host gives in seconds, by default whole ones. The check returns milliseconds. */
export function duration(min: number, max: number, kind: 'whole number' | 'number' = 'whole number'): Check<number> {
  const isOfKind = kind === 'number' ? Number.isFinite : Number.isInteger
  const check = must<number>(
    `a ${kind} of seconds from ${min} to ${max}`,
    (given) => isOfKind(given) && Number(given) >= min && Number(given) <= max,
    { quotes: true },
  )
  return (given, name) => check(given, name) * 1000
}

/** An object that has these methods, of its own or from its class. */
export function objectWith<T>(...methods: (keyof T & string)[]): Check<T> {
  const allowed = `an object with the ${methods.length === 1 ? 'method' : 'methods'} ${listOfNames(methods)}`
  return (given, name) => {
    const members = given as Record<string, unknown> | null | undefined
    const missing = methods.filter((method) => typeof members?.[method] !== 'function')
    if (missing.length === 0) return given as T
    const says = isObject(given) ? `must be ${allowed}, but has no ${listOfNames(missing)}` : undefined
    throw new ConfigurationError(name, given, allowed, { says })
  }
}

export function func<T>(): Check<T> {
  return must('a function', (given) => typeof given === 'function')
}

export const flag: Check<boolean> = must('true or false', (given) => typeof given === 'boolean', { quotes: true })

export const text: Check<string> = mustBeText('a string that is not empty', (given) => given !== '')

/** What a tenant or a customer is stored under. Half of a surrogate pair has no UTF-8: stores refuse it, or take two ids for one. */
export const identifier: Check<string> = (given, name) => {
  const id = text(given, name)
  if (!/\p{Cs}/u.test(id)) return id
  throw new ConfigurationError(name, given, 'text of whole characters', {
    says: 'has half of a surrogate pair: take care not to cut a text in the middle of a character',
  })
}

export const scopeToken: Check<string> = mustBeText(
  'a scope token: printable ASCII without spaces, quotes and backslashes',
  isScopeToken,
)

/**
 * The scopes that a guard requires: an array, or a string with spaces between them. Not none, which may be a mistake of the host's.
 * `offline_access` is left out, because it says nothing about what a token may do.
 */
export const requiredScopes: Check<string[]> = (given, name) => {
  const scopes = given === '' ? [] : distinct(scopeToken)(typeof given === 'string' ? given.split(' ') : given, name)
  const required = withoutOfflineAccess(scopes)
  if (required.length > 0) return required
  throw new ConfigurationError(name, given, 'at least one scope token besides offline_access, or omitted', {
    quotes: true,
  })
}

/** An address that is kept as the URL parser keeps it, whatever the host writes. */
export function parsed(check: Check<string>): Check<string> {
  return (given, name) => asParsed(check(given, name))
}

/** An absolute http or https URL without credentials or fragment. */
export const httpUrl: Check<string> = parsed(
  mustBeText('an absolute http or https URL without credentials or fragment', (given) => {
    // `URL` accepts white space and missing slashes, which would become part of issuers.
    if (!/^https?:\/\/[^\s\\#]+$/i.test(given) || !isUrl(given)) return false
    const { username, password } = new URL(given)
    return username + password === ''
  }),
)

/** The public address of this server, in normal form: hosts, issuers and the addresses in records are compared with it as text. */
export function publicAddress(given: unknown, name: string): string {
  const { origin, pathname, protocol, hostname, search } = new URL(httpUrl(given, name))
  if (search !== '') throw new ConfigurationError(name, given, 'an address without a query', { quotes: true })
  if (process.env.NODE_ENV === 'production' && protocol !== 'https:' && !isLoopbackHost(hostname)) {
    throw new ConfigurationError(name, given, 'an https address in production (NODE_ENV), except on loopback', {
      quotes: true,
    })
  }
  const path = String(given)
    .replace(/^[^:]+:\/\/[^/]*/, '')
    .replace(/\/+$/, '')
  // No request arrives at another spelling, and none with an empty segment is served.
  if (path !== pathname.replace(/\/+$/, '') || path.includes('//')) {
    const allowed = 'an address with a path as requests have it: percent-encoded, without empty segments, . and ..'
    throw new ConfigurationError(name, given, allowed, { quotes: true })
  }
  return asServed(origin + path)
}

/** A resource indicator (RFC 8707 section 2). */
export const resource: Check<string> = parsed(mustBeText('an absolute URL without a fragment', isResource))

/** What browsers send as `Origin` with the requests of a page, also of one that is part of an extension or app. */
export const origin: Check<string> = (given, name) => {
  const allowed = 'an origin: a scheme, :// and a host, without a path, such as https://inspector.example'
  const isOrigin = (text: string) =>
    /^(?!(?:wss?|file|blob|data|javascript):)[a-z][\w+.-]*:\/\/[^\s/?#@\\*]+$/i.test(text) && isUrl(text)
  const checked = mustBeText(allowed, isOrigin)(given, name)
  return /^https?:/i.test(checked) ? new URL(checked).origin : checked.toLowerCase()
}

/** An image that a page may show. */
export const imageUrl: Check<string> = mustBeText(
  'an https or data URL of an image',
  (text) =>
    text.startsWith('data:image/') ||
    // Its origin becomes part of the page's content security policy, where `;` and `,` would begin another directive or policy.
    (isUrl(text) && /^https:\/\/[\w.:[\]-]+$/.test(new URL(text).origin)),
)

/** Redirect URIs of an app with a private-use scheme: one address, or with a slash at its end every address that begins with it. */
const appRedirect: Check<string> = mustBeText(
  'the address of an app or the beginning of one up to a slash, such as cursor://anysphere.cursor-mcp/oauth/, with more than a scheme, without query or fragment, and with a scheme that has no dot and that browsers do not know',
  isAppRedirect,
)

/** A list of them, or false for no address of an app but those on loopback. */
export const appRedirects: Check<AppRedirects> = (given, name) =>
  given === false ? false : listOf(appRedirect)(given, name)
