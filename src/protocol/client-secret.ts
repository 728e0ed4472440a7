import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from './digest'
import { mac } from './mac'

/** A new secret of a client, and the hash of it that is stored. */
export interface ClientSecret {
  /** What the client presents: `csis_` and 256 bits that nobody can guess. Show it once, and store it nowhere. */
  secret: string
  /** What {@link ClientMetadata.secretHashes} holds. It does not reveal the secret. */
  hash: string
}

const prefix = 'csis_'
const length = 32
const secretPattern = /^csis_[A-Za-z0-9_-]{43}$/
const hashPattern = /^[A-Za-z0-9_-]{43}$/

/**
 * Makes a secret for one of a tenant's own clients (RFC 6749 section 2.3.1).
 *
 * @returns The secret, for the client, and its hash, for `secretHashes` of the client's record.
 *
 * @example
 * const { secret, hash } = newClientSecret()
 */
export function newClientSecret(): ClientSecret {
  const secret = prefix + randomBytes(length).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** The secret of a client that registered itself: nobody without the key can make it of the id, and nobody need store it. */
export function registeredClientSecret(key: KeyObject, tenantId: string, clientId: string): ClientSecret {
  const secret = prefix + mac(key, 'client_secret', tenantId, clientId)
  return { secret, hash: hashOf(secret) }
}

/** Whether a text has the form of a hash that {@link newClientSecret} makes. */
export function isSecretHash(text: string): boolean {
  return hashPattern.test(text)
}

/** Whether a text is a secret with one of these hashes. It takes equally long for each of them. */
export function isSecretOf(hashes: readonly string[], text: string): boolean {
  // Only secrets that were made here count: a plain hash is enough for 256 random bits, and for no password.
  if (!secretPattern.test(text)) return false
  const presented = Buffer.from(hashOf(text), 'base64url')
  const matches = hashes.filter((hash) => timingSafeEqual(Buffer.from(hash, 'base64url'), presented))
  return matches.length > 0
}

function hashOf(secret: string): string {
  return digest('client_secret', secret)
}
