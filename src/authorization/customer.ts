import { type Check, identifier, isObject, must, nullable, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { reservedPrefixes } from '../protocol/subject'
import { trustedIssuerClaim } from '../protocol/trusted-issuer-claim'
import { plainJson } from '../tokens/plain-json'

/** The customer, as the host's own session knows them. */
export interface Customer {
  /**
   * Identifies them inside the tenant: `sub` in access tokens. It must never change. Use one that nobody can guess, such as a random id: who sees a code, a
   * refresh token or a grant id can test guesses (docs/security.md#subjects-that-nobody-can-guess). It cannot begin with `client:` or
   * `workload:`: such subjects are nobody's customer.
   */
  subject: string
  /** What the consent page calls them. */
  name?: string | undefined
  /** More claims for the access tokens of the grant: plain JSON. This library's own claims win over them. */
  claims?: Record<string, unknown> | undefined
}

/** Checks a customer's subject. It is not that of a client which acts for nobody but itself: no API could tell them apart (RFC 9068 section 5). */
export const customerSubject: Check<string> = (given, name) => {
  const subject = identifier(given, name)
  if (!reservedPrefixes.some((prefix) => subject.startsWith(prefix))) return subject
  throw new ConfigurationError(name, given, `text that does not begin with ${reservedPrefixes.join(' or ')}`)
}

/** Checks the host's own claims for access tokens, and returns them as JSON carries them. The error quotes none of them. */
export const customerClaims: Check<Record<string, unknown>> = (given, name) => {
  const plain = isObject(given) ? plainJson(given) : undefined
  if (!plain) throw new ConfigurationError(name, given, 'an object of plain JSON')
  if (plain[trustedIssuerClaim] === undefined) return plain
  throw new ConfigurationError(`${name}.${trustedIssuerClaim}`, undefined, 'omitted', {
    says: 'must be omitted: it says which trusted issuer has vouched for the customer',
  })
}

/**
 * Checks a customer that a hook of the host has returned. It refuses an unknown member, and so a whole row of a database: no column may
 * get onto a page or into a token only because of its name.
 */
export const customerRecord: Check<Customer> = record({
  subject: customerSubject,
  name: nullable(must<string>('a string', (given) => typeof given === 'string')),
  claims: nullable(customerClaims),
})
