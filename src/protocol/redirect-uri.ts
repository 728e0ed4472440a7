const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/

// RFC 3986 section 2, without the fragment's `#`.
const uriText = /^([\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/**
 * Whether the redirect URI of a request is a registered one: the same text, save the port of a loopback address, which an
 * app on the customer's own machine picks anew each time (RFC 8252 section 7.3, RFC 9700 section 2.1).
 */
export function redirectUriMatches(registered: string, presented: string): boolean {
  if (registered === presented) return true
  const bothLocal = loopback.test(registered) && loopback.test(presented) && URL.canParse(presented)
  return bothLocal && withoutPort(registered) === withoutPort(presented)
}

/**
 * Why a client may not register a redirect URI, or undefined where it may: https, http on loopback, or an app's own scheme (RFC
 * 8252 section 7), written the way every reader understands alike.
 *
 * @param schemes The app schemes without a dot that are accepted besides those with one.
 */
export function redirectUriFault(redirectUri: unknown, schemes: readonly string[]): string | undefined {
  if (typeof redirectUri !== 'string' || redirectUri.length > 2000) return 'must be a text of at most 2000 characters'
  if (!URL.canParse(redirectUri)) return 'must be an absolute URI'
  const { href, protocol, username, password } = new URL(redirectUri)
  if (redirectUri.includes('#')) return 'must not have a fragment'
  if (!uriText.test(redirectUri)) return 'must have nothing but the characters of a URI'
  if (username !== '' || password !== '') return 'must not have credentials'
  // Whatever a parser would change, readers may understand differently: case, encodings, dot segments, default ports.
  if (href !== redirectUri && href !== `${redirectUri}/`) return 'must be written in its normal form'
  const scheme = protocol.slice(0, -1)
  if (scheme === 'https' || (scheme === 'http' && loopback.test(redirectUri))) return undefined
  if (scheme === 'http') return 'must be https, save on loopback'
  return scheme.includes('.') || schemes.includes(scheme) ? undefined : 'must not have this scheme'
}

/** A redirect URI with the parameters of a response. Its own text stays: apps compare it, and not all of them as a URL. */
export function withResponse(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(sent)}`
}

function withoutPort(redirectUri: string): string {
  return redirectUri.replace(loopback, 'http://$1')
}
