import { hkdfSync } from 'node:crypto'

/** Derives a key of 32 bytes for one purpose with HKDF (RFC 5869), so that no key is used for two purposes. */
export function derivedKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `customer-sign-in v1 ${purpose}`, 32))
}
