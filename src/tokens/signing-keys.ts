import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  KeyObject,
} from 'node:crypto'
import { sign } from 'jsonwebtoken'
import { ConfigurationError } from '../configuration/configuration-error'

/** The algorithms that access tokens can be signed with (RFC 7518 section 3.1). */
export type SigningAlgorithm = 'ES256' | 'ES384' | 'RS256' | 'PS256'

/**
 * A private key: PEM (PKCS #8, SEC 1 or PKCS #1, unencrypted), a private JWK, or a `KeyObject`. An RSA key signs with RS256
 * unless it is a JWK whose `alg` is PS256.
 */
export type SigningKeyInput = string | Buffer | JsonWebKey | KeyObject

export interface SigningKey {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string
  algorithm: SigningAlgorithm
  privateKey: KeyObject
  publicKey: KeyObject
  /** The header of the access tokens that it signs (RFC 9068 section 2.1). */
  header: { alg: SigningAlgorithm; typ: 'at+jwt'; kid: string }
  /** With what these tokens begin: the header, encoded, and a dot. */
  prefix: string
  /** As the key set publishes it (RFC 7517). */
  publicJwk: JsonWebKey
}

export type SigningKeys = readonly [SigningKey, ...SigningKey[]]

const allowed =
  'private keys for ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA, at least 2048 bits), as PEM, JWK or KeyObject'

/** Reads the host's keys: the first signs, all verify. */
export function loadSigningKeys(inputs: readonly SigningKeyInput[]): SigningKeys {
  const [first, ...others] = inputs.map((input, index) => loadSigningKey(input, `signingKeys[${index}]`))
  // By default each key is a credential secret too, and with four the search for a lost write stays short (credential-chain.ts).
  if (!first || others.length > 3) throw new ConfigurationError('signingKeys', inputs, `an array of 1 to 4 ${allowed}`)
  const kids = new Set([first, ...others].map(({ kid }) => kid))
  if (kids.size < inputs.length)
    throw new ConfigurationError('signingKeys', inputs, 'an array in which no key comes twice')
  return [first, ...others]
}

/** One ES256 key that lives as long as the process. */
export function temporarySigningKeys(): SigningKeys {
  return loadSigningKeys([generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey])
}

/** The private parts of the keys, as secrets to derive from. */
export function privateParts([first, ...others]: SigningKeys): [Buffer, ...Buffer[]] {
  const privatePart = ({ privateKey }: SigningKey) =>
    Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url')
  return [privatePart(first), ...others.map(privatePart)]
}

function loadSigningKey(input: SigningKeyInput, option: string): SigningKey {
  try {
    const privateKey = privateKeyOf(input)
    const publicKey = createPublicKey(privateKey)
    const algorithm = algorithmOf(privateKey, input)
    const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
    const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n }
    // The members are in the order that RFC 7638 section 3.2 hashes them in.
    const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url')
    // A key that the JWT library refuses must fail at start-up, not at the first customer.
    sign({}, privateKey, { algorithm })
    const header = { alg: algorithm, typ: 'at+jwt', kid } as const
    const prefix = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
    const publicJwk = { ...members, kid, alg: algorithm, use: 'sig' } as JsonWebKey
    return { kid, algorithm, privateKey, publicKey, header, prefix, publicJwk }
  } catch {
    // The cause is left out: it may quote the key.
    throw new ConfigurationError(option, input, allowed)
  }
}

function privateKeyOf(input: SigningKeyInput): KeyObject {
  if (input instanceof KeyObject) return input
  if (typeof input === 'string' || Buffer.isBuffer(input)) return createPrivateKey(input)
  return createPrivateKey({ key: input, format: 'jwk' })
}

function algorithmOf(privateKey: KeyObject, input: SigningKeyInput): SigningAlgorithm {
  // Only a JWK can name one.
  const { alg: named } = input as JsonWebKey
  const possible = algorithmsOf(privateKey)
  const algorithm = possible.find((candidate) => named === undefined || candidate === named)
  if (!algorithm) throw new Error('This key is not for one of the algorithms')
  return algorithm
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm[] {
  if (asymmetricKeyType === 'rsa') return ['RS256', 'PS256']
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return ['ES256']
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return ['ES384']
  return []
}
