import { generateKeyPairSync, hash, type KeyObject, randomUUID } from 'node:crypto'
import { sign } from 'jsonwebtoken'
import { thumbprintOf } from './json-web-keys'

/** A key that a client proves (RFC 9449), for the doctor and for tests. */
export class ProofKey {
  readonly #privateKey: KeyObject
  /** The public key. */
  readonly jwk: Readonly<Record<string, unknown>>

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = privateKey
    this.jwk = { ...publicKey.export({ format: 'jwk' }) }
  }

  /** RFC 7638. */
  get thumbprint(): string {
    return thumbprintOf(this.jwk)
  }

  /**
   * Makes a proof of a request (RFC 9449 section 4.2).
   *
   * @param now When it is made, in milliseconds since 1970.
   * @param claims Claims in place of the right ones, or in addition to them.
   * @param header The same for the header.
   */
  proof(
    { method, url, accessToken, now }: { method: string; url: string; accessToken?: string | undefined; now: number },
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): string {
    const right = {
      jti: randomUUID(),
      htm: method,
      htu: url,
      iat: Math.floor(now / 1000),
      ath: accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url'),
    }
    // Without the members that are undefined.
    const payload = JSON.stringify({ ...right, ...claims })
    return sign(payload, this.#privateKey, {
      header: { typ: 'dpop+jwt', alg: 'ES256', jwk: this.jwk, ...header } as never,
    })
  }
}
