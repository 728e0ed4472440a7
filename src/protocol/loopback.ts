// As `URL` spells them. RFC 8252 section 8.3 prefers the addresses; many apps register the name.
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

// On the text itself and not on what `URL` makes of it: `http://0x7f.1` is 127.0.0.1 for some readers only.
const loopbackOrigin = new RegExp(`^http://(${loopbackHosts.map(escaped).join('|')})(:\\d{1,5})?(?=[/?]|$)`)

// 127.0.0.0/8 and 0.0.0.0, [::1] and [::], and the IPv4 addresses among them written in IPv6 (RFC 4291 section 2.5.5.2).
const ownAddress = /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/

/** Whether the host of a URL, as `URL.hostname` spells it, is the machine that opens the URL (RFC 8252 section 7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.includes(hostname)
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

function escaped(text: string): string {
  return text.replace(/[.[\]]/g, '\\$&')
}
