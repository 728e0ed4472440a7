import { PerMinute } from '../collections/per-minute'
import type { ClientCredentials } from '../contract/tenant-store'
import type { GuardedStore } from '../host/guarded-store'
import { authenticationFailed } from '../protocol/client-authentication'
import { isClientId } from '../protocol/client-id'
import { digest } from '../protocol/digest'
import {
  assertionAlgorithms,
  hasKeyOf,
  isAssertionAlgorithm,
  isSignedBy,
  type JsonWebKeySet,
  type Signer,
} from '../protocol/json-web-keys'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import type { KeySets } from './key-sets'

// Seconds. Clients sign for a minute to an hour.
const maxLifetime = 3600
// Seconds that the clocks of clients may differ from this process's.
const leeway = 60
// Of one tenant's clients together. A store that remembers 100,000 assertions for an hour has room for 27 such tenants.
const maxUnknownPerMinute = 60

/** A JWT by which a client authenticates (RFC 7523 section 3), before anything of it is verified. */
export interface ClientAssertion {
  jws: string
  header: Readonly<Record<string, unknown>>
  claims: Readonly<Record<string, unknown>>
  /** Whose it claims to be. */
  clientId: string
}

/** An assertion of which everything is checked that needs no keys. */
export interface CheckedAssertion {
  jws: string
  clientId: string
  signer: Signer
  jti: string
  /** For how long its `jti` must be remembered, in milliseconds. */
  lifetime: number
}

/**
 * Reads an assertion.
 *
 * @throws {OAuthError} `invalid_client` if it is no JWT, or does not name one client as its issuer and its subject.
 */
export function readAssertion(jws: string): ClientAssertion {
  const [header, claims] = jws.split('.').map(parsedPart)
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws) || !header || !claims) throw refused('must be a signed JWT', '')
  const { iss, sub } = claims
  if (typeof sub === 'string' && isClientId(sub) && iss === sub) return { jws, header, claims, clientId: sub }
  throw refused('must have the client_id as iss and as sub', '')
}

/**
 * Uses up what a client has authenticated with, before the request has its effect.
 *
 * @param isIssued Whether this server has issued the credential of the request to this client. Without one, a request has no effect, but
 * anybody who registers a key could fill the store with them.
 * @throws {OAuthError} `invalid_client` if it was used before; `temporarily_unavailable` if the store does not say so, or if there have been
 * too many requests with unknown credentials.
 */
export type UseUp = (isIssued: boolean) => Promise<void>

/** Verifies the assertions of clients (RFC 7523 section 3). Each can be used once. */
export class ClientAssertions {
  readonly #store: GuardedStore
  readonly #keySets: KeySets
  readonly #now: () => number
  readonly #perMinute = new PerMinute()

  constructor(store: GuardedStore, keySets: KeySets, now: () => number) {
    this.#store = store
    this.#keySets = keySets
    this.#now = now
  }

  /**
   * Checks everything of an assertion that needs no keys.
   *
   * @param audiences What `aud` may be.
   * @throws {OAuthError} `invalid_client` if something is missing or wrong.
   */
  checked(assertion: ClientAssertion, audiences: readonly string[]): CheckedAssertion {
    const { jws, clientId } = assertion
    return { jws, clientId, signer: signerOf(assertion), ...checkedClaims(assertion, audiences, this.#now() / 1000) }
  }

  /**
   * Verifies an assertion with the keys of its client.
   *
   * @throws {OAuthError} `invalid_client` if it does not prove that the request is the client's; `temporarily_unavailable` if the keys cannot
   * be fetched.
   */
  async verify(assertion: CheckedAssertion, { jwks, jwksUri }: ClientCredentials, tenantId: string): Promise<UseUp> {
    const { jws, clientId, signer } = assertion
    const isIn = (set: JsonWebKeySet) => hasKeyOf(signer, set)
    const keys = jwks ?? (await this.#keySets.find(jwksUri ?? '', isIn, { clientId, tenantId }))
    if (!isSignedBy(jws, signer, keys)) throw refused('is not signed with a key of the client', clientId)
    return (isIssued) => this.#useUp(assertion, tenantId, isIssued)
  }

  async #useUp({ clientId, jti, lifetime }: CheckedAssertion, tenantId: string, isIssued: boolean): Promise<void> {
    if (!isIssued && !this.#perMinute.count({ [tenantId]: maxUnknownPerMinute })) {
      throw oauthError('temporarily_unavailable', 'Too many requests present unknown credentials', {
        headers: { 'Retry-After': String(this.#perMinute.secondsLeft) },
        reason: 'temporarily_unavailable',
        detail: { clientId },
      })
    }
    const isFirst = await this.#store.useOnce(tenantId, digest('jti', clientId, jti), lifetime)
    if (!isFirst) throw refused('has been used already', clientId, { reason: 'replayed' })
  }
}

/** RFC 7515 section 4.1. Members such as `jwk`, `jku` and `x5u` are ignored: the keys come from what is known of the client. */
function signerOf({ header: { alg, kid, typ, crit }, clientId }: ClientAssertion): Signer {
  if (!isAssertionAlgorithm(alg)) throw refused(`must have ${assertionAlgorithms.join(', ')} as alg`, clientId)
  if (kid !== undefined && typeof kid !== 'string') throw refused('must have a string as kid', clientId)
  if (crit !== undefined) throw refused('must not have crit', clientId)
  // A JWT that the client has signed for another purpose is no assertion (RFC 8725 section 3.11).
  const isTyped = typeof typ === 'string' && /^(?:application\/)?(?:jwt|client-authentication\+jwt)$/i.test(typ)
  if (typ !== undefined && !isTyped) throw refused('must have JWT or client-authentication+jwt as typ', clientId)
  return { alg, kid }
}

/** RFC 7523 section 3. @param now In seconds. @returns How long to remember the `jti`, in milliseconds. */
function checkedClaims({ claims, clientId }: ClientAssertion, audiences: readonly string[], now: number) {
  const { aud, exp, nbf = 0, iat = 0, jti } = claims
  // Of several audiences, each could use the assertion at the others.
  const isForUs = [aud].flat().length > 0 && [aud].flat().every((one) => audiences.includes(one as string))
  if (!isForUs) throw refused(`must have ${audiences[0]} as aud, and no other server`, clientId)
  if (!isTime(exp) || exp > now + maxLifetime + leeway) throw refused('must have an exp within an hour', clientId)
  if (exp <= now - leeway) throw refused('has expired', clientId)
  if (![nbf, iat].every((time) => isTime(time) && time <= now + leeway)) {
    throw refused('must not have an nbf or iat in the future', clientId)
  }
  if (typeof jti !== 'string' || jti === '') throw refused('must have a jti', clientId)
  // Longer than any process takes the assertion: the clocks of processes differ too.
  return { jti, lifetime: Math.ceil((exp + 2 * leeway - now) * 1000) }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function parsedPart(part: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function refused(problem: string, clientId: string, options?: OAuthErrorOptions): OAuthError {
  return authenticationFailed(`client_assertion ${problem}`, clientId, options)
}
