import type { KeyObject } from 'node:crypto'
import { verify } from 'jsonwebtoken'
import { callHost } from '../host/call-host'
import type { JsonWebKey } from '../protocol/json-web-keys'

export const signingAlgorithms = ['ES256', 'ES384', 'RS256', 'PS256'] as const

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

/** What a signer signs with. */
interface Signing {
  kid: string
  algorithm: SigningAlgorithm
  publicKey: KeyObject
}

/** Signs with a key of the host's own. Each signature is verified, because the name of a key in a service can come to mean another key. */
export class ExternalSigner {
  readonly #sign: ExternalSigningKey['sign']
  readonly #key: Signing
  readonly #timeout: number
  /** Whether the last signature was right. */
  works = false
  /** Whether any signature was right. */
  hasWorked = false

  /** @param timeout How long a signature may take, in milliseconds. */
  constructor(sign: ExternalSigningKey['sign'], key: Signing, timeout: number) {
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
