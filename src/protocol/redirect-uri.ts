import { isLoopbackHost, isLoopbackUrl, withoutLoopbackPort } from './loopback'

// RFC 3986 section 2, without the fragment's `#`.
const uriText = /^([\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/**
 * Whether the redirect URI of a request is a registered one: the same text, except the port of a loopback address, which
 * an app on the customer's own machine picks again each time (RFC 8252 section 7.3, RFC 9700 section 2.1).
 */
export function redirectUriMatches(registered: string, presented: string): boolean {
  if (registered === presented) return true
  const withoutPort = withoutLoopbackPort(registered)
  return withoutPort !== undefined && withoutPort === withoutLoopbackPort(presented) && URL.canParse(presented)
}

// Schemes that browsers, or what they hand them to, give a meaning of their own.
const knownSchemes =
  'http https ws wss ftp file filesystem blob data javascript vbscript about view-source mailto tel sms urn intent chrome'.split(
    ' ',
  )

/**
 * Whether a text can say which addresses of an app are accepted: one address, or with a slash at its end all below it. A whole scheme
 * cannot: an app has addresses that install, clone or run something too.
 */
export function isAppRedirect(text: string): boolean {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+-]*):((?:\/\/[\w.~-]+)?(?:\/[\w.~-]+)*\/?)$/.exec(text) ?? []
  return /\w/.test(rest) && !knownSchemes.includes(scheme) && new URL(text).href === text
}

/**
 * Why a client may not register a redirect URI, or undefined where it may: https, http on loopback, or an app's own address (RFC
 * 8252 section 7), written the way every reader understands alike.
 *
 * @param appRedirects The app addresses that are accepted besides those whose scheme has a dot, see {@link isAppRedirect}.
 */
export function redirectUriFault(redirectUri: unknown, appRedirects: readonly string[]): string | undefined {
  if (typeof redirectUri !== 'string' || redirectUri.length > 512) return 'must be a text of at most 512 characters'
  if (!URL.canParse(redirectUri)) return 'must be an absolute URI'
  const { href, protocol, username, password } = new URL(redirectUri)
  if (redirectUri.includes('#')) return 'must not have a fragment'
  if (!uriText.test(redirectUri)) return 'must have nothing but the characters of a URI'
  if (username !== '' || password !== '') return 'must not have credentials'
  // Whatever a parser would change, readers may understand differently: case, encodings, dot segments, default ports.
  if (href !== redirectUri && href !== `${redirectUri}/`) return 'must be written in its normal form'
  const scheme = protocol.slice(0, -1)
  if (scheme === 'https' || (scheme === 'http' && isLoopbackUrl(redirectUri))) return undefined
  if (scheme === 'http') return 'must be https, except on loopback'
  if (scheme.includes('.') || appRedirects.some((accepted) => isWithin(accepted, redirectUri))) return undefined
  return 'must be https, on loopback, or an address of an app that is accepted here'
}

function isWithin(accepted: string, redirectUri: string): boolean {
  if (!accepted.endsWith('/')) return redirectUri === accepted
  // An app may decode what the path encodes, and arrive elsewhere.
  return redirectUri.startsWith(accepted) && /^[\w.~/-]*(\?|$)/.test(redirectUri.slice(accepted.length))
}

/**
 * Whether a redirect URI leads to the host of this server itself, where a page that forwards or leaks its address would hand a code on.
 * Loopback does not count: in development every app is there.
 */
export function isOnHostOf(issuer: string, redirectUri: string): boolean {
  const hostname = hostnameOf(issuer)
  return /^https?:/.test(redirectUri) && hostnameOf(redirectUri) === hostname && !isLoopbackHost(hostname)
}

function hostnameOf(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '')
}

/**
 * Why a client that the company itself has registered cannot have a redirect URI, or undefined where it can. Any app scheme will do here,
 * and no normal form is asked for, as the company knows its own client.
 */
export function ownRedirectUriFault(redirectUri: unknown): string | undefined {
  if (typeof redirectUri !== 'string' || redirectUri.length > 2000) return 'must be a text of at most 2000 characters'
  if (!URL.canParse(redirectUri)) return 'must be an absolute URI'
  const { protocol, username, password } = new URL(redirectUri)
  if (redirectUri.includes('#')) return 'must not have a fragment'
  if (!uriText.test(redirectUri)) return 'must have nothing but the characters of a URI'
  if (username !== '' || password !== '') return 'must not have credentials'
  if (protocol === 'http:' && !isLoopbackUrl(redirectUri)) return 'must be https, except on loopback'
  return browserSchemes.includes(protocol) ? 'must be https, on loopback, or of an app' : undefined
}

// What a browser would run or show itself.
const browserSchemes = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:', 'filesystem:']

/** A redirect URI with the parameters of a response. Its own text stays: apps compare it, and not all of them as a URL. */
export function withResponse(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(sent)}`
}
