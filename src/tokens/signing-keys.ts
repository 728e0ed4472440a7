import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKeyInput, KeyObject } from 'node:crypto'
import { sign, verify } from 'jsonwebtoken'
import { anything, func, isObject, must, optional, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { callHost } from '../host/call-host'
import { type JsonWebKey, thumbprintOf } from '../protocol/json-web-keys'

const signingAlgorithms = ['ES256', 'ES384', 'RS256', 'PS256'] as const

/** The algorithms that access tokens can be signed with (RFC 7518 section 3.1). @useDeclaredType */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/**
 * A signing key whose private part this process does not have, such as a key of a key management service (KMS) or of a hardware security
 * module (HSM). It needs the option `keys.credentialSecrets`.
 *
 * @example
 * {
 *   publicKey: readFileSync('/etc/sign-in/public-key.pem'),
 *   sign: async (data) => kms.sign(createHash('sha256').update(data).digest()),
 * }
 */
export interface ExternalSigningKey {
  /** The public part: PEM (SPKI), a public JWK, or a `KeyObject`. */
  publicKey: string | Buffer | JsonWebKey | KeyObject
  /** The algorithm that `sign` signs with. Default: the one of the key, and RS256 for an RSA key. */
  alg?: SigningAlgorithm | undefined
  /** The name of the key in tokens and in the key set. Default: the thumbprint of the public key (RFC 7638). */
  kid?: string | undefined
  /**
   * Signs the bytes of a token. It must settle within `hostTimeout`. If it fails, the client gets 503 and keeps its code or refresh token.
   *
   * @param data What the token's signature covers (RFC 7515 section 5.1): not a digest of it.
   * @param kid The key.
   * @returns The signature. That of an EC key can be the bytes of r and s (RFC 7518 section 3.4), or in DER, as most services return it.
   */
  sign(data: Uint8Array, kid: string): Uint8Array | Promise<Uint8Array>
}

/**
 * A private key: PEM (PKCS #8, SEC 1 or PKCS #1, unencrypted), also in base64 as a whole, a private JWK, or a `KeyObject`. An RSA key signs with RS256
 * unless it is a JWK whose `alg` is PS256. Or a key that signs elsewhere.
 */
export type SigningKeyInput = string | Buffer | JsonWebKey | KeyObject | ExternalSigningKey

/** A key that access tokens are signed with: here, with its private part, or by a signer of the host's own. */
export type SigningKey = VerifyingKey &
  ({ privateKey: KeyObject; signer?: undefined } | { privateKey?: undefined; signer: ExternalSigner })

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
    const isSecret = /^[A-Za-z0-9+/]{43}=\s*$/.test(String(input))
    const says = isSecret ? 'is a credential secret: are the signing key and the secret swapped?' : undefined
    throw new ConfigurationError(option, input, allowed, { says })
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

/** The public part of a signing key. */
type VerifyingKey = ReturnType<typeof verifyingKey>

/** @throws for a key that is not for the named algorithm, or for none that is supported. */
function verifyingKey(publicKey: KeyObject, named: string | undefined, name?: string) {
  const algorithm = algorithmsOf(publicKey).find((candidate) => named === undefined || candidate === named)
  if (!algorithm) throw new Error('This key is not for one of the algorithms')
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
  const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n }
  const kid = name ?? thumbprintOf(members)
  // Of the access tokens that the key signs (RFC 9068 section 2.1), which begin with it and a dot.
  const header = { alg: algorithm, typ: 'at+jwt', kid } as const
  const prefix = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
  // As the key set publishes it (RFC 7517).
  const publicJwk: JsonWebKey = { ...members, kid, alg: algorithm, use: 'sig' }
  return { kid, algorithm, publicKey, header, prefix, publicJwk }
}

function publicKeyOf(input: ExternalSigningKey['publicKey']): KeyObject {
  if (!(input instanceof KeyObject)) return createPublicKey(inNodesForm(input))
  return input.type === 'public' ? input : createPublicKey(input)
}

function inNodesForm(input: string | Buffer | JsonWebKey): string | JsonWebKeyInput {
  const isText = typeof input === 'string' || Buffer.isBuffer(input)
  return isText ? pemOf(String(input)) : ({ key: input, format: 'jwk' } as JsonWebKeyInput)
}

/**
 * The PEM in the value of an environment variable. Not all readers of `.env` files make line breaks of `\n` and take quotation marks off, and
 * none keeps line breaks. So it may have those, or be in base64 as a whole, as `customer-sign-in keys` prints it.
 */
function pemOf(text: string): string {
  const decoded = text.includes('-----BEGIN ') ? text : Buffer.from(text, 'base64').toString()
  const [pem = text] = /-----BEGIN .*-----END [A-Z ]+-----/s.exec(decoded.replaceAll('\\n', '\n')) ?? []
  return pem
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm[] {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {}
  // RFC 7518 section 3.3.
  if (asymmetricKeyType === 'rsa' && modulusLength >= 2048) return ['RS256', 'PS256']
  if (namedCurve === 'prime256v1') return ['ES256']
  if (namedCurve === 'secp384r1') return ['ES384']
  return []
}

/** Signs with a key of the host's own. Each signature is verified, because the name of a key in a service can come to mean another key. */
class ExternalSigner {
  readonly #sign: ExternalSigningKey['sign']
  readonly #key: VerifyingKey
  readonly #timeout: number
  /** Whether the last signature was right. */
  works = false
  /** Whether any signature was right. */
  hasWorked = false

  /** @param timeout How long a signature may take, in milliseconds. */
  constructor(sign: ExternalSigningKey['sign'], key: VerifyingKey, timeout: number) {
    this.#sign = sign
    this.#key = key
    this.#timeout = timeout
  }

  /**
   * Signs a token.
   *
   * @param head The token's header, encoded, and a dot.
   * @throws {OAuthError} `temporarily_unavailable` if the host's function throws, rejects, takes too long, or returns no signature of the key;
   * an `OAuthError` of its own as it is.
   */
  async token(head: string, payload: string): Promise<string> {
    const signed = head + Buffer.from(payload).toString('base64url')
    try {
      const token = await callHost(
        'keys.signing.sign',
        this.#timeout,
        () => this.#sign(Buffer.from(signed), this.#key.kid),
        (signature: unknown) => this.#tokenOf(signed, signature),
      )
      this.works = true
      this.hasWorked = true
      return token
    } catch (error) {
      this.works = false
      throw error
    }
  }

  /** Signs something that is no access token, to find out whether the signer works. */
  async try(): Promise<void> {
    const { algorithm, kid } = this.#key
    const header = JSON.stringify({ alg: algorithm, typ: 'trial', kid })
    await this.token(`${Buffer.from(header).toString('base64url')}.`, '{}')
  }

  #tokenOf(signed: string, signature: unknown): string {
    const { algorithm, publicKey } = this.#key
    if (!(signature instanceof Uint8Array))
      throw new Error('keys.signing.sign must return the signature as a Uint8Array')
    const token = `${signed}.${Buffer.from(rawSignature(signature, algorithm)).toString('base64url')}`
    try {
      verify(token, publicKey, { algorithms: [algorithm], ignoreExpiration: true, ignoreNotBefore: true })
      return token
    } catch {
      throw new Error(
        `keys.signing.sign returned a signature that the publicKey does not verify with ${algorithm}: does it sign with another key, or another algorithm?`,
      )
    }
  }
}

// The lengths of r and s, in bytes (RFC 7518 section 3.4).
const halves: Partial<Record<SigningAlgorithm, number>> = { ES256: 32, ES384: 48 }

/**
 * A signature as JWTs have it. Services return those of EC keys in DER, as a SEQUENCE of the INTEGERs r and s (RFC 3279 section 2.2.3). Any
 * other signature stays as it is.
 */
function rawSignature(signature: Uint8Array, algorithm: SigningAlgorithm): Uint8Array {
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
