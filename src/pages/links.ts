import { type Check, must, nullable, record, rememberAccepted } from '../configuration/checks'

/** Pages of the company's own, as https addresses. */
export interface Links {
  /** What the company does with a customer's data. Below each page; `op_policy_uri` and `resource_policy_uri` in metadata. */
  privacy?: string | undefined
  /** The terms of use. Below each page; `op_tos_uri` and `resource_tos_uri` in metadata. */
  terms?: string | undefined
  /** Who the company is, where the law requires it. Below each page. */
  imprint?: string | undefined
  /** Where customers get help. Below each page. */
  support?: string | undefined
  /** What developers of clients need to know. `service_documentation` and `resource_documentation` in metadata. */
  documentation?: string | undefined
}

const isWebPage = rememberAccepted((text) => {
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
})

const webPage = must<string>(
  'an absolute https URL without credentials',
  (given) => typeof given === 'string' && isWebPage(given),
  { quotes: true },
)

/** Addresses of pages of a company's own. */
export const links: Check<Links> = record({
  privacy: nullable(webPage),
  terms: nullable(webPage),
  imprint: nullable(webPage),
  support: nullable(webPage),
  documentation: nullable(webPage),
})

/** The links of a company, with those of all companies where it has none. */
export function withDefaultLinks(own: Links | undefined, byDefault: Links): Links {
  if (own === undefined) return byDefault
  return {
    privacy: own.privacy ?? byDefault.privacy,
    terms: own.terms ?? byDefault.terms,
    imprint: own.imprint ?? byDefault.imprint,
    support: own.support ?? byDefault.support,
    documentation: own.documentation ?? byDefault.documentation,
  }
}
