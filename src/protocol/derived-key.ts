import { hkdfSync } from 'node:crypto'

/** A key of 32 bytes for one purpose (RFC 5869), so that no key is used for two. */
export function derivedKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `customer-sign-in v1 ${purpose}`, 32))
}
