import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto'

/** A key that a client proves (RFC 9449 section 4.2). */
export class ClientKey {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #header = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: this.#pair.publicKey.export({ format: 'jwk' }) })

  proof(htm: string, htu: string, accessToken?: string): string {
    const ath = accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url')
    const claims = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1000), ath }
    const input = `${this.#header}.${encoded(claims)}`
    const key = { key: this.#pair.privateKey, dsaEncoding: 'ieee-p1363' as const }
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
