import { type Check, listOf, must } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'

/** What credentials are derived from: the first derives, all are recognised. */
export type Secrets = readonly [Buffer, ...Buffer[]]

const secret = must<string | Buffer>('at least 32 bytes, as a string or Buffer', (item) =>
  typeof item === 'string' ? Buffer.byteLength(item) >= 32 : Buffer.isBuffer(item) && item.length >= 32,
)

/** Checks the option `credentialSecrets`. */
export const credentialSecrets: Check<Secrets> = (given, name) => {
  const [first, ...others] = listOf(secret)(given, name).map((item) => Buffer.from(item as string))
  // Four keep the search for a lost write short (credential-chain.ts).
  if (!first || others.length > 3) throw new ConfigurationError(name, given, 'an array of 1 to 4 secrets')
  return [first, ...others]
}
