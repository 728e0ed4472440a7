import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Check, distinct, must, nullable } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { digest, mac } from '../protocol/digest'
import { type AuthenticationMethod, authenticationFailed, type Proof } from './method'

/** A new secret of a client, and the hash of it that is stored. */
export interface ClientSecret {
  /** What the client presents: `csis_` and 256 bits that nobody can guess. Show it once, and store it nowhere. */
  secret: string
  /** What {@link ClientMetadata.secretHashes} holds. It does not reveal the secret. */
  hash: string
}

const prefix = 'csis_'
const secretPattern = /^csis_[A-Za-z0-9_-]{43}$/
const hashPattern = /^[A-Za-z0-9_-]{43}$/
const maxSecrets = 5

const secretHash = must<string>(
  'a hash that newClientSecret has made',
  (given) => typeof given === 'string' && hashPattern.test(given),
)

const secretHashes: Check<string[]> = (given, name) => {
  const hashes = distinct(secretHash)(given, name)
  if (hashes.length > 0 && hashes.length <= maxSecrets) return hashes
  throw new ConfigurationError(name, given, `an array of 1 to ${maxSecrets} hashes, or omitted`)
}

/** A secret as the password of HTTP Basic (RFC 6749 section 2.3.1). */
export const clientSecretBasic: AuthenticationMethod = {
  name: 'client_secret_basic',
  sharesSecret: true,
  credentials: { secretHashes: nullable(secretHashes) },
  presented: (_form, password) => proofBySecret(clientSecretBasic, password),
}

/** What a request presents with a secret. An empty one counts as none. */
export function proofBySecret(method: AuthenticationMethod, secret: string | undefined): Proof | undefined {
  if (!secret) return undefined
  return {
    method,
    async verify({ clientId, credentials }) {
      const { secretHashes: hashes = [] } = await credentials()
      if (isSecretOf(hashes, secret)) return undefined
      throw authenticationFailed('The client_secret is not valid', clientId)
    },
  }
}

/**
 * Makes a secret for one of a tenant's own clients (RFC 6749 section 2.3.1).
 *
 * @returns The secret, for the client, and its hash, for `secretHashes` of the client's record.
 *
 * @example
 * const { secret, hash } = newClientSecret()
 */
export function newClientSecret(): ClientSecret {
  return withHash(prefix + randomBytes(32).toString('base64url'))
}

/** The secret of a client that registered itself: nobody without the key can make it of the id, and nobody need store it. */
export function registeredClientSecret(key: KeyObject, tenantId: string, clientId: string): ClientSecret {
  return withHash(prefix + mac(key, 'client_secret', tenantId, clientId))
}

/** Whether a text is a secret with one of these hashes. It takes equally long for each of them. */
export function isSecretOf(hashes: readonly string[], text: string): boolean {
  // Only secrets that were made here count: a plain hash is enough for 256 random bits, and for no password.
  if (!secretPattern.test(text)) return false
  const presented = Buffer.from(withHash(text).hash, 'base64url')
  const matches = hashes.filter((hash) => timingSafeEqual(Buffer.from(hash, 'base64url'), presented))
  return matches.length > 0
}

function withHash(secret: string): ClientSecret {
  return { secret, hash: digest('client_secret', secret) }
}
