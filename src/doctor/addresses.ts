import type { Notes } from './report'

/** The address of a well-known document about a URL: its path goes between the host and the path (RFC 8414 section 3.1, RFC 9728 section 3.1). */
export function wellKnownOf(name: string, url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}${search}`
}

/** Whether two addresses differ by one slash at the end alone. */
export function differBySlash(one: string, other: string): boolean {
  return one !== other && one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

/** An absolute http or https address, or undefined. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined
}

/**
 * Checks that an address that the app has named is where the app is reached: an app behind a proxy knows only by its settings or by
 * headers of the proxy what that is. A step says it once, because one setting mends all.
 *
 * @returns Whether it is.
 */
export function checkOrigin(notes: Notes, member: string, value: string, reachedAt: string): boolean {
  const [named, reached] = [new URL(value), new URL(reachedAt)]
  if (named.origin === reached.origin) return true
  const isHttp = named.protocol === 'http:' && reached.protocol === 'https:'
  const code = named.hostname === reached.hostname && isHttp ? 'wrong-scheme' : 'wrong-host'
  if (notes.seen.some((seen) => seen.code === code)) return false
  if (code === 'wrong-scheme') notes.find(code, { member, value })
  else notes.find(code, { member, value, host: named.host, expected: reached.host })
  return false
}
