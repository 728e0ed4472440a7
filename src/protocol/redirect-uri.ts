import { asParsed, isUrl } from './resource'

/** The most redirect URIs of a client that describes itself. */
export const maxRedirectUris = 20

/** What can be wrong with a redirect URI. */
export const redirectUriFaults = [
  'must be a string of at most 512 characters',
  'must be a string of at most 2000 characters',
  'must be an absolute URI',
  'must not have a fragment',
  'must contain only characters that a URI may have',
  'must not contain a user name or password',
  'must be written in its normal form',
  'must be https, except on loopback',
  'must be https, http on loopback, or an app address that is accepted here',
  'must be https, http on loopback, or the address of an app',
  'must not be on the host of this server',
] as const

export type RedirectUriFault = (typeof redirectUriFaults)[number]

// RFC 3986 section 2, without the `#` of a fragment.
const uriText = /^([\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/**
 * Whether the redirect URI of a request is a registered one. They must be the same text, with two exceptions: an empty path is the path `/`
 * (RFC 3986 section 6.2.3), and the port of a loopback host may differ, because an app on the customer's own machine takes another port each
 * time (RFC 8252 section 7.3, RFC 9700 section 2.1). A company may have written the registered one otherwise than the URL parser of its client does.
 */
export function redirectUriMatches(registered: string, presented: string): boolean {
  const known = withPath(registered)
  const given = withPath(presented)
  if (known === given || asParsed(known) === given) return true
  const withoutPort = withoutLoopbackPort(known)
  return withoutPort !== undefined && withoutPort === withoutLoopbackPort(given) && isUrl(given)
}

/** Whether a client that has registered these may be sent to the redirect URI of a request. */
export function hasRedirectUri(registered: readonly string[], presented: string): boolean {
  return registered.some((one) => redirectUriMatches(one, presented))
}

/** The text of an http or https URL with `/` for an empty path. Apps may tell their own addresses apart, so those stay as they are. */
function withPath(redirectUri: string): string {
  return redirectUri.replace(/^(https?:\/\/[^/?#]+)(?=\?|$)/, '$1/')
}

// Schemes that mean something to browsers, or to the programs that browsers open.
const knownSchemes =
  'http https ws wss ftp file filesystem blob data javascript vbscript about view-source mailto tel sms urn intent chrome'

/**
 * Whether a text can say which addresses of an app are accepted: it is one address, or with a slash at its end stands for all addresses that
 * begin with it. A whole scheme is not accepted, because an app also has addresses that install, clone or run something.
 */
export function isAppRedirect(text: string): boolean {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+-]*):((?:\/\/[\w.~-]+)?(?:\/[\w.~-]+)*\/?)$/.exec(text) ?? []
  return /\w/.test(rest) && !knownSchemes.split(' ').includes(scheme) && new URL(text).href === text
}

/** The app addresses that are accepted although their scheme has no dot, see {@link isAppRedirect}. With false, no app's own scheme is accepted. */
export type AppRedirects = readonly string[] | false

/**
 * What is wrong with a redirect URI that a client registers for itself, or undefined if nothing is. It must be https, http on loopback, or an
 * address of an app (RFC 8252 section 7), and written so that every parser reads it the same way.
 */
export function redirectUriFault(redirectUri: unknown, appRedirects: AppRedirects): RedirectUriFault | undefined {
  if (typeof redirectUri !== 'string' || redirectUri.length > 512) return 'must be a string of at most 512 characters'
  const fault = textFault(redirectUri)
  if (fault !== undefined) return fault
  const { href, protocol } = new URL(redirectUri)
  // What one parser changes, another may read differently: letter case, encodings, dot segments, default ports.
  if (href !== redirectUri && href !== `${redirectUri}/`) return 'must be written in its normal form'
  if (protocol === 'https:' || isLoopbackUrl(redirectUri)) return undefined
  if (protocol === 'http:' || !appRedirects) return 'must be https, except on loopback'
  if (protocol.includes('.') || appRedirects.some((accepted) => isWithin(accepted, redirectUri))) return undefined
  return 'must be https, http on loopback, or an app address that is accepted here'
}

/** What is wrong with the text of any redirect URI. */
function textFault(redirectUri: string): RedirectUriFault | undefined {
  if (!isUrl(redirectUri)) return 'must be an absolute URI'
  const { username, password } = new URL(redirectUri)
  if (redirectUri.includes('#')) return 'must not have a fragment'
  if (!uriText.test(redirectUri)) return 'must contain only characters that a URI may have'
  return username === '' && password === '' ? undefined : 'must not contain a user name or password'
}

/** What the redirect URIs of WorkBuddy begin with. The name of a server follows, behind a colon that is always encoded. */
export const workBuddyRedirects = 'workbuddy://workbuddy/mcp/'

function isWithin(accepted: string, redirectUri: string): boolean {
  if (!accepted.endsWith('/')) return redirectUri === accepted
  if (!redirectUri.startsWith(accepted)) return false
  const rest = redirectUri.slice(accepted.length)
  if (accepted === workBuddyRedirects) return /^(?:connector|custom-mcp)%3A[\w.-]+\/oauth\/callback$/.test(rest)
  // An encoded path is refused: an app that decodes it could arrive at another address.
  return /^[\w.~/-]*(\?|$)/.test(rest)
}

/**
 * Whether nobody but the owner of a host name receives what is sent to a redirect URI: it is https, and not on the customer's own device. Any
 * app there can listen on loopback or claim an app's scheme (RFC 8252 sections 8.3 and 8.6).
 */
export function hasProvenReceiver(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol === 'https:' && !leadsToOwnDevice(hostname)
}

/**
 * Whether a redirect URI leads to the host of an address of this server. A page there that redirects, or that leaks its address, would hand the code to
 * somebody else. A loopback host does not count: in development every app is on one.
 */
export function isOnHostOf(address: string, redirectUri: string): boolean {
  const hostname = hostnameOf(address)
  return /^https?:/.test(redirectUri) && hostnameOf(redirectUri) === hostname && !isLoopbackHost(hostname)
}

function hostnameOf(url: string): string {
  return new URL(url).hostname.replace(/\.+$/, '')
}

/**
 * What is wrong with a redirect URI in the company's own record of a client, or undefined if nothing is. Any app scheme is accepted, and no
 * normal form is required, because the company knows its own client.
 */
export function ownRedirectUriFault(redirectUri: unknown): RedirectUriFault | undefined {
  if (typeof redirectUri !== 'string' || redirectUri.length > 2000) return 'must be a string of at most 2000 characters'
  const fault = textFault(redirectUri)
  if (fault !== undefined) return fault
  const { protocol } = new URL(redirectUri)
  if (protocol === 'http:' && !isLoopbackUrl(redirectUri)) return 'must be https, except on loopback'
  return browserSchemes.includes(protocol) ? 'must be https, http on loopback, or the address of an app' : undefined
}

// Schemes of addresses that a browser itself runs or shows.
const browserSchemes = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:', 'filesystem:']

/** Appends the parameters of a response to a redirect URI. Its own text stays as it is, because some apps compare it as text. */
export function withResponse(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(sent)}`
}

/**
 * Where an address leads, in one word and without a port: its host, `localhost` for every address of the device itself, or the scheme of an
 * app with its colon, such as `cursor:`.
 */
export function redirectHostOf(address: string): string {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return protocol
  return leadsToOwnDevice(hostname) ? 'localhost' : hostname.replace(/\.+$/, '')
}

/** Whether a text is a host as {@link redirectHostOf} writes it. */
export function isRedirectHost(text: string): boolean {
  const address = `https://${text}/`
  return /^[^\s/\\?#@:*]+$|^\[[\da-f:.]+\]$/.test(text) && isUrl(address) && redirectHostOf(address) === text
}

/** Whether a text is the scheme of an app as {@link redirectHostOf} writes it. */
export function isAppScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:$/.test(text) && text !== 'https:' && text !== 'http:'
}

// RFC 8252 section 8.3 prefers the addresses; many apps register the name. On the text itself and not on what `URL` makes of it: `http://0x7f.1`
// is 127.0.0.1 for some readers only.
const loopbackOrigin = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/

// 127.0.0.0/8 and 0.0.0.0, [::1] and [::], and the IPv4 addresses among them written in IPv6 (RFC 4291 section 2.5.5.2).
const ownAddress = /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/

/** Whether the host of a URL, as `URL.hostname` spells it, is the machine that opens the URL (RFC 8252 section 7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return isLoopbackUrl(`http://${hostname}`)
}

/**
 * Whether what is sent to the host of a URL, as `URL.hostname` spells it, can stay on the device that opens the URL. That is so for more hosts
 * than may be written as loopback in a redirect URI: for every name below `localhost` (RFC 6761 section 6.3), all of 127.0.0.0/8, and the
 * addresses of no host in particular.
 */
export function leadsToOwnDevice(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || ownAddress.test(name)
}

/** Whether the text of a URL is http on a loopback host, without a user name or another spelling of the host. */
export function isLoopbackUrl(url: string): boolean {
  return loopbackOrigin.test(url)
}

/** The text of an http URL on a loopback host without its port, or undefined for any other URL. */
export function withoutLoopbackPort(url: string): string | undefined {
  return isLoopbackUrl(url) ? url.replace(loopbackOrigin, 'http://$1') : undefined
}
