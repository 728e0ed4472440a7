import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto'

/** Hashes parts for one purpose: SHA-256 over both, as base64url. In another order, or for another purpose, they give another digest. */
export function digest(purpose: string, ...parts: Part[]): string {
  return hash('sha256', framed(purpose, parts), 'base64url')
}

/** Whether a text has the form of a SHA-256 digest, as an S256 code challenge (RFC 7636 section 4.2) and a key's thumbprint (RFC 7638) do. */
export function isDigest(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

type Part = string | Buffer

/**
 * Joins a purpose and parts into the text that is hashed, so that no two lists of parts give the same text. Each part stands behind its
 * length; bytes are written as base64url. The text begins with the version of this format.
 */
export function framed(purpose: string, parts: readonly Part[]): string {
  // Text, because filling a Buffer part by part takes longer than hashing it.
  let joined = `2:v1,${purpose.length}:${purpose},`
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part.toString('base64url')
    joined += `${text.length}:${text},`
  }
  return joined
}

/** The message authentication code of parts for one purpose, as base64url: HMAC-SHA256 (RFC 2104) over what {@link digest} hashes. Only who has the key can make it. */
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

/** Derives a key of 32 bytes for one purpose with HKDF (RFC 5869), so that no key is used for two purposes. */
export function derivedKey(secret: Buffer, purpose: string): KeyObject {
  // A KeyObject, because on Node 24 an HMAC with the bytes themselves takes several times as long.
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `customer-sign-in v1 ${purpose}`, 32)))
}
