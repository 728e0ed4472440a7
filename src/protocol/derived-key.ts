import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** Derives a key of 32 bytes for one purpose with HKDF (RFC 5869), so that no key is used for two purposes. */
export function derivedKey(secret: Buffer, purpose: string): KeyObject {
  // A KeyObject, because on Node 24 an HMAC with the bytes themselves takes several times as long.
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `customer-sign-in v1 ${purpose}`, 32)))
}
