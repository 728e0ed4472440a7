import { isIP } from 'node:net'

// The second labels of `co.uk` and the like, under which anybody can register a name.
const registryLabels = ['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org']

/**
 * The site that a URL's host belongs to: roughly the domain that somebody has registered, because its owner can make any number of names
 * below it. All IP addresses together are one site, and so are all names that are too long to be looked up (RFC 1035 section 2.3.4).
 */
export function siteOf({ hostname }: URL): string {
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) || name.startsWith('[')) return 'an address'
  const labels = name.split('.')
  if (name.length > 253 || labels.some((label) => label.length > 63)) return 'a long name'
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && registryLabels.includes(second) ? -3 : -2).join('.')
}
