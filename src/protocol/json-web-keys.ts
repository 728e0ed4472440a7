import { createPublicKey, hash, type JsonWebKeyInput, type KeyObject, verify, type webcrypto } from 'node:crypto'
import { verify as verifyJwt } from 'jsonwebtoken'
import { isLoopbackHost } from './redirect-uri'
import { isUrl } from './resource'

/** A key as JSON (RFC 7517 section 4), such as Node's `KeyObject` exports. */
// The types of each version of Node have another one, with or without an index signature: the union takes them all.
export type JsonWebKey = (webcrypto.JsonWebKey & { kid?: string | undefined }) | { readonly [member: string]: unknown }

/** The public keys of a client (RFC 7517 section 5). */
export interface JsonWebKeySet {
  /** Public keys for ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA, 2048 to 4096 bits) or EdDSA (Ed25519). */
  keys: readonly JsonWebKey[]
}

/** The algorithms that clients can sign with (RFC 7518 section 3.1, RFC 8037 section 3.1), with the `kty` of their keys and, except for RSA, their `crv`. */
const algorithms = {
  ES256: ['EC', 'P-256'],
  ES384: ['EC', 'P-384'],
  RS256: ['RSA'],
  PS256: ['RSA'],
  EdDSA: ['OKP', 'Ed25519'],
  // Another name for the same, which RFC 9864 section 2.2 has given it.
  Ed25519: ['OKP', 'Ed25519'],
} as const satisfies Record<string, readonly [kty: string, crv?: string]>

/** The algorithms that clients can sign with, as metadata and error descriptions list them. */
export const assertionAlgorithms = Object.keys(algorithms) as readonly AssertionAlgorithm[]

/** An algorithm that clients can sign with. */
export type AssertionAlgorithm = keyof typeof algorithms

const maxKeys = 20
const maxBytes = 16_384

// Everything that a public key of these kinds consists of. Other members, such as certificates, are not used.
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use', 'key_ops']
// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1.
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** What can be wrong with a set of keys, after its name. */
export const keySetFaults = [
  `must be a JSON Web Key Set of 1 to ${maxKeys} keys in at most ${maxBytes} bytes`,
  'must have no private and no symmetric key',
  'must have a key for ES256, ES384, RS256, PS256 or EdDSA',
] as const

/** Whether a text is an algorithm that clients can sign with. */
export function isAssertionAlgorithm(text: unknown): text is AssertionAlgorithm {
  return assertionAlgorithms.includes(text as AssertionAlgorithm)
}

/** Says what is wrong with a set of keys, as it stands in a sentence after its name. @returns Undefined if it can be used. */
export function keySetFault(given: unknown): (typeof keySetFaults)[number] | undefined {
  const [malformed, secret, useless] = keySetFaults
  const keys: unknown = Object(given).keys
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) return malformed
  if (!keys.every((key) => typeof key === 'object' && key !== null && isFlat(key))) return malformed
  if (keys.some((key) => privateMembers.some((member) => key[member] !== undefined))) return secret
  if (Buffer.byteLength(JSON.stringify(publicPart({ keys }))) > maxBytes) return malformed
  return keys.some((jwk) => assertionAlgorithms.some((alg) => keyFor(alg, jwk))) ? undefined : useless
}

/** Whether the members that are used are texts, and `key_ops` is a list of texts: others could be nested without end. */
function isFlat(jwk: Readonly<Record<string, unknown>>): boolean {
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string'
  return publicMembers.every((name) => (name === 'key_ops' ? [jwk.key_ops].flat().every(isText) : isText(jwk[name])))
}

/** Whether keys can be fetched from an address: https, on loopback also http if that is allowed. */
export function isKeySetUrl(text: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (!/^https?:\/\/[^\s\\#]{1,2048}$/.test(text) || !isUrl(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  const isLocal = allowLoopback && protocol === 'http:' && isLoopbackHost(hostname)
  return (protocol === 'https:' || isLocal) && username + password === ''
}

/** The members of keys that are used. */
export function publicPart({ keys }: JsonWebKeySet): JsonWebKeySet {
  const part = (jwk: JsonWebKey) =>
    Object.fromEntries(Object.entries(jwk).filter(([name]) => publicMembers.includes(name)))
  return { keys: keys.map(part) }
}

/** The thumbprint of a public key: a hash of what makes it this key, and of nothing else (RFC 7638). */
export function thumbprintOf({ kty, crv, x, y, n, e }: Readonly<Record<string, unknown>>): string {
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y: kty === 'EC' ? y : undefined }
  return hash('sha256', JSON.stringify(members), 'base64url')
}

/** The header of a JWS that matters to who has signed it (RFC 7515 section 4.1). Keys and addresses inside a header never do. */
export interface Signer {
  alg: AssertionAlgorithm
  kid: string | undefined
}

/** Whether a set may have the key of a signer. */
export function hasKeyOf({ alg, kid }: Signer, set: JsonWebKeySet): boolean {
  return set.keys.some((jwk) => isCandidate(jwk, kid) && keyFor(alg, jwk) !== undefined)
}

/** The algorithms that a key can be used for. */
export function algorithmsOfKey(jwk: JsonWebKey): AssertionAlgorithm[] {
  return isCandidate(jwk, undefined) ? assertionAlgorithms.filter((alg) => keyFor(alg, jwk) !== undefined) : []
}

/** Whether a JWS is signed with a key of a set, by the algorithm that its header names and that the key is for. */
export function isSignedBy(jws: string, { alg, kid }: Signer, { keys }: JsonWebKeySet): boolean {
  return keys.some((jwk) => {
    const key = isCandidate(jwk, kid) ? keyFor(alg, jwk) : undefined
    return key !== undefined && verifies(jws, key, alg)
  })
}

/** RFC 7517 sections 4.2, 4.3 and 4.5. */
function isCandidate({ kid, use, key_ops }: JsonWebKey, wanted: string | undefined): boolean {
  if (wanted !== undefined && kid !== wanted) return false
  return (use ?? 'sig') === 'sig' && (!Array.isArray(key_ops) || key_ops.includes('verify'))
}

/**
 * A key, if it is for an algorithm. A key that names one is for no other (RFC 7517 section 4.4).
 *
 * Strangers choose these keys. It takes a millisecond to see whether a point is on P-521, so nothing is made of a key of another kind.
 */
function keyFor(alg: AssertionAlgorithm, jwk: JsonWebKey): KeyObject | undefined {
  const [kty, crv]: readonly [string, string?] = algorithms[alg]
  const isNamed = jwk.alg === undefined || newName(jwk.alg) === newName(alg)
  return isNamed && jwk.kty === kty && (crv === undefined || jwk.crv === crv) ? keyOf(jwk) : undefined
}

function newName(alg: unknown): unknown {
  return alg === 'EdDSA' ? 'Ed25519' : alg
}

function keyOf(jwk: JsonWebKey): KeyObject | undefined {
  // Node makes a public key of these members alone, whatever else is there.
  const { kty, crv, x, y, n, e } = jwk
  try {
    const key = createPublicKey({ key: { kty, crv, x, y, n, e }, format: 'jwk' } as JsonWebKeyInput)
    return kty !== 'RSA' || isUsualRsa(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** With a larger key, or a larger exponent than 65537 and the like, one signature takes up to 15 ms to verify. */
function isUsualRsa({ asymmetricKeyDetails: details }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = details ?? {}
  return modulusLength >= 2048 && modulusLength <= 4096 && publicExponent < 2n ** 32n
}

function verifies(jws: string, key: KeyObject, alg: AssertionAlgorithm): boolean {
  if (alg === 'EdDSA' || alg === 'Ed25519') {
    const end = jws.lastIndexOf('.')
    return verify(null, Buffer.from(jws.slice(0, end)), key, Buffer.from(jws.slice(end + 1), 'base64url'))
  }
  try {
    // Only the signature: the times are checked elsewhere, for every algorithm in the same way.
    verifyJwt(jws, key, { algorithms: [alg], ignoreExpiration: true, ignoreNotBefore: true })
    return true
  } catch {
    return false
  }
}
