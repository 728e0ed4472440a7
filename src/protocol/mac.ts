import { createHmac, type KeyObject } from 'node:crypto'
import { framed, type Part } from './framed'

/**
 * The message authentication code of parts for one purpose: HMAC-SHA256 (RFC 2104) over both, as base64url. Only a holder of the key can
 * make it. The same parts in another order, or for another purpose, give another code.
 */
export function mac(key: KeyObject, purpose: string, ...parts: Part[]): string {
  return hmac(key, purpose, parts)
}

/** The first bytes of the code that {@link mac} gives. */
export function macBytes(key: KeyObject, length: number, purpose: string, ...parts: Part[]): Buffer {
  // Decoded from text, because `digest()` without an encoding allocates an ArrayBuffer of its own, which takes longer.
  return Buffer.from(hmac(key, purpose, parts), 'base64url').subarray(0, length)
}

function hmac(key: KeyObject, purpose: string, parts: readonly Part[]): string {
  return createHmac('sha256', key).update(framed(purpose, parts)).digest('base64url')
}
