// As `URL` spells them. RFC 8252 section 8.3 prefers the addresses; many apps register the name.
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

// On the text itself and not on what `URL` makes of it: `http://0x7f.1` is 127.0.0.1 for some readers only.
const loopbackOrigin = new RegExp(`^http://(${loopbackHosts.map(escaped).join('|')})(:\\d{1,5})?(?=[/?]|$)`)

/** Whether the host of a URL, as `URL.hostname` spells it, is the machine that opens the URL (RFC 8252 section 7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.includes(hostname)
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
