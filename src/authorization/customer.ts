import { type Check, isObject, must, nullable, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { plainJson } from '../grants/access-token-terms'
import type { Customer } from '../options'

/** Claims of the host's own for access tokens, as JSON carries them. Its error quotes none. */
export const customerClaims: Check<Record<string, unknown>> = (given, name) => {
  const plain = isObject(given) ? plainJson(given) : undefined
  if (plain) return plain
  throw new ConfigurationError(name, given, 'an object of plain JSON')
}

/**
 * A customer as a hook of the host's gives it. A whole row of a database is refused, at its first member that is not one of these:
 * nothing of it may get into a page or a token by its name alone.
 */
export const customerRecord: Check<Customer> = record({
  subject: text,
  name: nullable(must<string>('a text', (given) => typeof given === 'string')),
  claims: nullable(customerClaims),
})
