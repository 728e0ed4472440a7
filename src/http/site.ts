import { isIP } from 'node:net'

// The second labels of `co.uk` and the like, under which anybody can register a name.
const registryLabels = ['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org']

/**
 * The site that a URL's host belongs to: roughly the domain that somebody has registered, because its owner can make any number of names
 * below it. All IP addresses together are one site.
 */
export function siteOf({ hostname }: URL): string {
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) || name.startsWith('[')) return 'an address'
  const labels = name.split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && registryLabels.includes(second) ? -3 : -2).join('.')
}
