import { type Check, isObject, must, nullable, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { plainJson } from '../tokens/plain-json'

/** The customer, as the host's own session knows them. */
export interface Customer {
  /** Identifies them inside the tenant: `sub` in access tokens. */
  subject: string
  /** What the consent page calls them. */
  name?: string | undefined
  /** More claims for the access tokens of the grant: plain JSON. */
  claims?: Record<string, unknown> | undefined
}

/** Claims of the host's own for access tokens, as JSON carries them. Its error quotes none. */
export const customerClaims: Check<Record<string, unknown>> = (given, name) => {
  const plain = isObject(given) ? plainJson(given) : undefined
  if (plain) return plain
  throw new ConfigurationError(name, given, 'an object of plain JSON')
}

/**
 * A customer as a hook of the host's returns it. It refuses a whole row of a database, at the first member that is not one of these:
 * nothing of the row may get into a page or a token by its name alone.
 */
export const customerRecord: Check<Customer> = record({
  subject: text,
  name: nullable(must<string>('a text', (given) => typeof given === 'string')),
  claims: nullable(customerClaims),
})
