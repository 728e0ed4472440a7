import { ConfigurationError, unknownMember } from './configuration-error'
import { isAppRedirect } from './protocol/redirect-uri'
import { isResource } from './protocol/resource'
import { isScopeToken } from './protocol/scope'

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

// A tenant's record is checked with every request that it has: parsing its URLs would cost more than all other checks together.
const mostRemembered = 10_000

/** The same predicate, which remembers what it has accepted. */
function remembering(accepts: (text: string) => boolean): (text: string) => boolean {
  const accepted = new Set<string>()
  return (text) => {
    if (accepted.has(text)) return true
    if (!accepts(text)) return false
    if (accepted.size >= mostRemembered) accepted.clear()
    accepted.add(text)
    return true
  }
}

/** A check of an option that may be left out. */
export function optional<T>(check: Check<T>): Check<T | undefined>
export function optional<T>(check: Check<T>, byDefault: T): Check<T>
export function optional<T>(check: Check<T>, byDefault?: T): Check<T | undefined> {
  return (given, name) => (given === undefined ? byDefault : check(given, name))
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (given, name) => {
    if (!Array.isArray(given)) throw new ConfigurationError(name, given, 'an array')
    return given.map((item, index) => check(item, `${name}[${index}]`))
  }
}

/** An object with these members and no others. */
export function record<T extends Record<string, Check<unknown>>>(members: T): Check<Checked<T>> {
  const checks = Object.entries(members)
  const names = Object.keys(members)
  return (given, name) => {
    if (!isObject(given)) throw new ConfigurationError(name || 'options', given, 'an object')
    for (const member of Object.keys(given)) {
      if (!Object.hasOwn(members, member)) throw unknownMember(name, member, names)
    }
    const prefix = name === '' ? '' : `${name}.`
    const checked: Record<string, unknown> = {}
    for (const [member, check] of checks) checked[member] = check(given[member], prefix + member)
    return checked as Checked<T>
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

/** Scope tokens: a list, or a text with a space between every two. */
export const scopes: Check<string[]> = (given, name) =>
  typeof given === 'string' ? given.split(' ').map((token) => scopeToken(token, name)) : listOf(scopeToken)(given, name)

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
export const resource: Check<string> = mustText('an absolute URL without a fragment', remembering(isResource))

const isWebImage = remembering(
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
