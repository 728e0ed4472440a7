import { type KeyObject, timingSafeEqual } from 'node:crypto'
import type { GuardedStore } from '../host/guarded-store'
import { derivedKey, digest, mac } from '../protocol/digest'
import { type DpopProof, type ProvenRequest, readProof, wrongProof } from '../protocol/dpop-proof'
import { oauthError } from '../protocol/oauth-error'

// Seconds. Of a nonce, and of what may be between the clock of a client and that of the store.
const maxAge = 300
// Seconds. At an API nothing remembers a proof, so it is good for less time.
const maxAgeAtApi = 60
// Seconds that the clocks of processes may differ.
const leeway = 60
// Longer than any proof is taken, in milliseconds.
const rememberedFor = (2 * maxAge + leeway) * 1000

/** A key of which a request proves that its client holds it. */
export interface ProvenKey {
  /** RFC 7638. */
  thumbprint: string
  /**
   * Uses the proof up.
   *
   * @throws {OAuthError} `invalid_dpop_proof` if it was used before; `temporarily_unavailable` if the store does not say so.
   */
  useUp(): Promise<void>
}

/** Verifies DPoP proofs (RFC 9449), and makes the nonces for clients whose clocks are wrong. */
export class DpopProofs {
  readonly #store: GuardedStore
  readonly #now: () => number
  #keys!: readonly KeyObject[]

  /** @param now The clock of this process, in milliseconds since 1970. */
  constructor(secrets: readonly [Buffer, ...Buffer[]], store: GuardedStore, now: () => number) {
    this.#store = store
    this.#now = now
    this.use(secrets)
  }

  /** Makes and recognises nonces with these secrets from now on. */
  use(secrets: readonly [Buffer, ...Buffer[]]): void {
    this.#keys = secrets.map((secret) => derivedKey(secret, 'dpop nonce'))
  }

  /**
   * Verifies the proof of a request to the token endpoint (RFC 9449 section 5), by the clock of the store.
   *
   * @throws {OAuthError} `invalid_dpop_proof`, `use_dpop_nonce`; `temporarily_unavailable` if the store does not tell its time.
   */
  async provenKey(header: unknown, request: ProvenRequest, tenantId: string): Promise<ProvenKey> {
    const proof = readProof(header, request)
    this.#checkTime(proof, maxAge, await this.#store.latestTime(), 400)
    const { thumbprint, jti } = proof
    return {
      thumbprint,
      useUp: async () => {
        if (await this.#store.useOnce(tenantId, digest('dpop proof', thumbprint, jti), rememberedFor)) return
        throw wrongProof('has been used already')
      },
    }
  }

  /**
   * Verifies the proof of a request to an API (RFC 9449 section 7), by the clock of this process. No store is asked.
   *
   * @returns The thumbprint of its key.
   * @throws {OAuthError} `invalid_dpop_proof` or `use_dpop_nonce`, both with 401.
   */
  thumbprintAtApi(header: unknown, request: ProvenRequest & { accessToken: string }): string {
    const proof = readProof(header, request)
    this.#checkTime(proof, maxAgeAtApi, this.#now(), 401)
    return proof.thumbprint
  }

  /** The time of a proof is its own, or that at which this server has made its nonce. @param now In milliseconds. */
  #checkTime({ iat, nonce = '' }: DpopProof, most: number, now: number, status: number): void {
    const seconds = Math.floor(now / 1000)
    if (Math.abs(seconds - iat) <= most) return
    const age = seconds - this.#madeAt(nonce)
    if (age >= -leeway && age <= maxAge) return
    // Every process can check it, and none has to remember it.
    const fresh = nonceUnder(this.#keys[0] as KeyObject, String(seconds))
    throw oauthError(
      'use_dpop_nonce',
      'The DPoP proof must have a nonce of this server, because its iat is not the time here',
      { status, headers: { 'DPoP-Nonce': fresh }, detail: { iat, now: seconds } },
    )
  }

  /** When this server has made a nonce, in seconds. NaN if it has not. */
  #madeAt(nonce: string): number {
    const [seconds = ''] = nonce.split('.', 1)
    const isOurs = this.#keys.some((key) => isSame(nonceUnder(key, seconds), nonce))
    return isOurs ? Number(seconds) : Number.NaN
  }
}

function nonceUnder(key: KeyObject, seconds: string): string {
  return `${seconds}.${mac(key, 'dpop nonce', seconds).slice(0, 22)}`
}

function isSame(one: string, other: string): boolean {
  const [own, given] = [Buffer.from(one), Buffer.from(other)]
  return own.length === given.length && timingSafeEqual(own, given)
}
