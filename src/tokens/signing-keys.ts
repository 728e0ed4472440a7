import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKeyInput, KeyObject } from 'node:crypto'
import { sign } from 'jsonwebtoken'
import { anything, func, isObject, must, optional, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { type JsonWebKey, thumbprintOf } from '../protocol/json-web-keys'
import { ExternalSigner, type ExternalSigningKey, type SigningAlgorithm, signingAlgorithms } from './external-signer'

/**
 * A private key: PEM (PKCS #8, SEC 1 or PKCS #1, unencrypted), a private JWK, or a `KeyObject`. An RSA key signs with RS256
 * unless it is a JWK whose `alg` is PS256. Or a key that signs elsewhere.
 */
export type SigningKeyInput = string | Buffer | JsonWebKey | KeyObject | ExternalSigningKey

/** A key that access tokens are signed with: here, with its private part, or by a signer of the host's own. */
export type SigningKey = VerifyingKey &
  ({ privateKey: KeyObject; signer?: undefined } | { privateKey?: undefined; signer: ExternalSigner })

/** The public part of a signing key. */
export interface VerifyingKey {
  /** Thumbprint of the public key (RFC 7638), or what the host calls the key. */
  kid: string
  algorithm: SigningAlgorithm
  publicKey: KeyObject
  /** The header of the access tokens that it signs (RFC 9068 section 2.1). */
  header: { alg: SigningAlgorithm; typ: 'at+jwt'; kid: string }
  /** With what these tokens begin: the header, encoded, and a dot. */
  prefix: string
  /** As the key set publishes it (RFC 7517). */
  publicJwk: JsonWebKey
}

export type SigningKeys = readonly [SigningKey, ...SigningKey[]]

const algorithms = 'ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA, at least 2048 bits)'
const allowed = `private keys for ${algorithms}, as PEM, JWK or KeyObject, or { publicKey, sign }`

/**
 * Reads the host's keys: the first signs, all verify.
 *
 * @param timeout How long a signer of the host's own may take, in milliseconds.
 */
export function loadSigningKeys(inputs: readonly SigningKeyInput[], timeout: number): SigningKeys {
  const [first, ...others] = inputs.map((input, index) => {
    const name = `keys.signing[${index}]`
    return isExternal(input) ? externalKey(input, name, timeout) : loadSigningKey(input, name)
  })
  // By default each key is a credential secret too, and with four the search for a lost write stays short (`CredentialChain`).
  if (!first || others.length > 3) throw new ConfigurationError('keys.signing', inputs, `an array of 1 to 4 ${allowed}`)
  const kids = new Set([first, ...others].map(({ kid }) => kid))
  if (kids.size < inputs.length)
    throw new ConfigurationError('keys.signing', inputs, 'an array in which no key comes twice')
  return [first, ...others]
}

/** One ES256 key that lives as long as the process. */
export function temporarySigningKey(): SigningKey {
  return loadSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'keys.signing')
}

/** The private part of a key, as a secret to derive from. Undefined if this process does not have it. */
export function privatePart({ privateKey }: SigningKey): Buffer | undefined {
  return privateKey && Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url')
}

function loadSigningKey(input: Exclude<SigningKeyInput, ExternalSigningKey>, option: string): SigningKey {
  try {
    const privateKey = input instanceof KeyObject ? input : createPrivateKey(inNodesForm(input))
    // Only a JWK can name an algorithm.
    const key = verifyingKey(createPublicKey(privateKey), (input as { alg?: string }).alg)
    // A key that the JWT library refuses must fail at start-up, not at the first customer.
    sign({}, privateKey, { algorithm: key.algorithm })
    return { ...key, privateKey }
  } catch {
    // The cause is left out: it may quote the key.
    throw new ConfigurationError(option, input, allowed)
  }
}

function isExternal(input: SigningKeyInput): input is ExternalSigningKey {
  return isObject(input) && ('sign' in input || 'publicKey' in input)
}

const checkedMembers = record({
  publicKey: anything<Exclude<ExternalSigningKey['publicKey'], undefined>>,
  alg: optional(
    must<SigningAlgorithm>('ES256, ES384, RS256 or PS256', (given) => signingAlgorithms.some((alg) => alg === given), {
      quotes: true,
    }),
  ),
  kid: optional(
    must<string>(
      'a string of 1 to 200 characters of printable ASCII',
      (given) => typeof given === 'string' && /^[\x20-\x7E]{1,200}$/.test(given),
    ),
  ),
  sign: func<ExternalSigningKey['sign']>(),
})

function externalKey(input: ExternalSigningKey, option: string, timeout: number): SigningKey {
  const { publicKey: given, alg, kid, sign } = checkedMembers(input, option)
  try {
    const key = verifyingKey(publicKeyOf(given), alg, kid)
    return { ...key, signer: new ExternalSigner(sign, key, timeout) }
  } catch {
    const allowedHere = `a public key for ${alg ?? algorithms}, as PEM, JWK or KeyObject`
    throw new ConfigurationError(`${option}.publicKey`, given, allowedHere)
  }
}

/** @throws for a key that is not for the named algorithm, or for none that is supported. */
function verifyingKey(publicKey: KeyObject, named: string | undefined, name?: string): VerifyingKey {
  const algorithm = algorithmsOf(publicKey).find((candidate) => named === undefined || candidate === named)
  if (!algorithm) throw new Error('This key is not for one of the algorithms')
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
  const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n }
  const kid = name ?? thumbprintOf(members)
  const header = { alg: algorithm, typ: 'at+jwt', kid } as const
  const prefix = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
  const publicJwk = { ...members, kid, alg: algorithm, use: 'sig' }
  return { kid, algorithm, publicKey, header, prefix, publicJwk }
}

function publicKeyOf(input: ExternalSigningKey['publicKey']): KeyObject {
  if (!(input instanceof KeyObject)) return createPublicKey(inNodesForm(input))
  return input.type === 'public' ? input : createPublicKey(input)
}

function inNodesForm(input: string | Buffer | JsonWebKey): string | Buffer | JsonWebKeyInput {
  const isPem = typeof input === 'string' || Buffer.isBuffer(input)
  return isPem ? input : ({ key: input, format: 'jwk' } as JsonWebKeyInput)
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm[] {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {}
  // RFC 7518 section 3.3.
  if (asymmetricKeyType === 'rsa' && modulusLength >= 2048) return ['RS256', 'PS256']
  if (namedCurve === 'prime256v1') return ['ES256']
  if (namedCurve === 'secp384r1') return ['ES384']
  return []
}
