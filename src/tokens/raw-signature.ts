import type { SigningAlgorithm } from './signing-algorithms'

// The lengths of r and s, in bytes (RFC 7518 section 3.4).
const halves: Partial<Record<SigningAlgorithm, number>> = { ES256: 32, ES384: 48 }

/**
 * A signature as JWTs have it. Services return those of EC keys in DER, as a SEQUENCE of the INTEGERs r and s (RFC 3279 section 2.2.3). Any
 * other signature stays as it is.
 */
export function rawSignature(signature: Uint8Array, algorithm: SigningAlgorithm): Uint8Array {
  const half = halves[algorithm]
  if (half === undefined || signature.length === 2 * half) return signature
  const [r, rest] = integerOf(signature.subarray(2))
  const [s] = integerOf(rest)
  return Buffer.concat([padded(r, half), padded(s, half)])
}

/** The first INTEGER, and what comes after it. None here is so long that its length has more than one byte. */
function integerOf(der: Uint8Array): [integer: Uint8Array, rest: Uint8Array] {
  const end = 2 + (der[1] ?? 0)
  return [der.subarray(2, end), der.subarray(end)]
}

/** An INTEGER has a zero in front if it would be negative without, and none else. */
function padded(integer: Uint8Array, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const digits = integer.subarray(-length)
  bytes.set(digits, length - digits.length)
  return bytes
}
