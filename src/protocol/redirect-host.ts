import { leadsToOwnDevice } from './loopback'

/**
 * Where an address leads, in one word: its host, `localhost` for every address of the device itself, or the scheme of an app with its colon, such as
 * `cursor:`. Ports make no difference.
 */
export function redirectHostOf(address: string): string {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return protocol
  return leadsToOwnDevice(hostname) ? 'localhost' : hostname.replace(/\.+$/, '')
}

/** Whether a text is a host as {@link redirectHostOf} writes it. */
export function isRedirectHost(text: string): boolean {
  const address = `https://${text}/`
  return /^[^\s/\\?#@:*]+$|^\[[\da-f:.]+\]$/.test(text) && URL.canParse(address) && redirectHostOf(address) === text
}

/** Whether a text is the scheme of an app as {@link redirectHostOf} writes it. */
export function isAppScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:$/.test(text) && text !== 'https:' && text !== 'http:'
}
