import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign as signBytes } from 'node:crypto'
import { type Algorithm, sign } from 'jsonwebtoken'
import type { FormFields } from './sign-in'

/** The key of a client, and how it signs. */
export interface ClientKey {
  privateKey: KeyObject
  alg: string
  /** The public key, as the client publishes it. */
  jwk: JsonWebKey
}

const newPair: Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

export function clientKey(alg = 'ES256', kid: string = randomUUID()): ClientKey {
  const pair = newPair[alg]?.()
  if (!pair) throw new Error(`There is no kind of key for ${alg}`)
  const { privateKey, publicKey } = pair
  return { privateKey, alg, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } }
}

/** Changes to an assertion. A member that is undefined is left out. */
export interface AssertionChanges {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
}

/** The assertion of a client (RFC 7523 section 3), valid for a minute, with these changes. */
export function assertionOf(
  { privateKey, alg, jwk }: ClientKey,
  clientId: string,
  audience: string,
  { header, claims }: AssertionChanges = {},
): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: clientId, sub: clientId, aud: audience, exp: now + 60, iat: now, jti: randomUUID(), ...claims }
  const fullHeader = { alg, kid: jwk.kid, typ: 'JWT', ...header }
  if (alg === 'EdDSA') {
    const input = [fullHeader, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${input}.${signBytes(null, Buffer.from(input), privateKey).toString('base64url')}`
  }
  return sign(JSON.parse(JSON.stringify(payload)), privateKey, {
    algorithm: alg as Algorithm,
    header: JSON.parse(JSON.stringify(fullHeader)),
    noTimestamp: payload.iat === undefined,
  })
}

/** The parameters of a request with an assertion. It leaves `client_id` out. */
export function withAssertion(assertion: string): FormFields {
  return {
    client_id: undefined,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
}

/** The header of HTTP Basic, as RFC 6749 section 2.3.1 encodes it. */
export function basic(username: string, password: string): string {
  const encoded = [username, password].map((text) => new URLSearchParams([['', text]]).toString().slice(1)).join(':')
  return `Basic ${Buffer.from(encoded).toString('base64')}`
}
