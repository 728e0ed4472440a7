import { verify } from 'jsonwebtoken'
import { BoundedMap } from '../collections/bounded-map'
import { isObject } from '../configuration/checks'
import { digest } from '../protocol/digest'
import type { JsonWebKey } from '../protocol/json-web-keys'
import type { SigningKey, SigningKeys } from './signing-keys'

const maxRemembered = 10_000

/**
 * Verifies the signatures of access tokens. An assistant sends the same token with every request for up to an hour, and to verify its
 * signature takes longer than everything else that a request needs. So the tokens that were found good are remembered, as digests: only their
 * signatures are not verified again, and all that depends on the time, the tenant or the request is.
 */
export class TokenSignatures {
  readonly keys: SigningKeys
  readonly publicKeys: readonly JsonWebKey[]
  readonly #good = new BoundedMap<string, true>(maxRemembered)

  constructor(keys: SigningKeys) {
    this.keys = keys
    this.publicKeys = keys.map(({ publicJwk }) => publicJwk)
  }

  /** Returns the payload of an access token that one of the keys has signed, expired or not. Undefined for anything else. */
  payloadOf(token: string): Record<string, unknown> | undefined {
    // Not every host is compiled against the types.
    const key = typeof token === 'string' ? this.keys.find(({ prefix }) => token.startsWith(prefix)) : undefined
    if (!key) return undefined
    const name = digest('signed access token', token)
    if (this.#good.get(name)) return JSON.parse(payloadText(token, key))
    const payload = verified(token, key)
    if (!isObject(payload)) return undefined
    this.#good.set(name, true)
    return payload
  }
}

function payloadText(token: string, { prefix }: SigningKey): string {
  return String(Buffer.from(token.slice(prefix.length, token.lastIndexOf('.')), 'base64url'))
}

function verified(token: string, { publicKey, algorithm }: SigningKey): unknown {
  try {
    return verify(token, publicKey, { algorithms: [algorithm], ignoreExpiration: true })
  } catch {
    return undefined
  }
}
