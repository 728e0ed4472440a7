import { isIP } from 'node:net'

// `co.uk` and its like, below which everybody registers names.
const sharedLabels = ['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org']

/**
 * The site that a URL's host belongs to: roughly the domain that somebody has registered, as whoever has one has any number of
 * names below it. All bare addresses are one site.
 */
export function siteOf({ hostname }: URL): string {
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) || name.startsWith('[')) return 'an address'
  const labels = name.split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && sharedLabels.includes(second) ? -3 : -2).join('.')
}
