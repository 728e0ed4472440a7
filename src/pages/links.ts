import { type Check, mustBeText, nullable, record } from '../configuration/checks'
import type { Links } from '../contract/tenant-store'

const webPage = mustBeText('an absolute https URL without credentials', (text) => {
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
})

/** Addresses of pages of a company's own. */
export const links: Check<Links> = record({
  home: nullable(webPage),
  connectedApps: nullable(webPage),
  privacy: nullable(webPage),
  terms: nullable(webPage),
  imprint: nullable(webPage),
  support: nullable(webPage),
  documentation: nullable(webPage),
})
