import { hash } from 'node:crypto'
import { assertionAlgorithms, isAssertionAlgorithm, isSignedBy, keySetFault, thumbprintOf } from './json-web-keys'
import { type OAuthError, type OAuthErrorOptions, oauthError } from './oauth-error'
import { isUrl } from './resource'
import { isTime, readJwt } from './unverified-jwt'

/** The algorithms that proofs can be signed with (RFC 9449 section 5.1). */
export const proofAlgorithms = assertionAlgorithms

/** The request that a proof is for. */
export interface ProvenRequest {
  method: string | undefined
  /** The addresses that it may have been sent to, as this server is configured: a request can name any host. */
  addresses: readonly string[]
  /** The access token that it has, if it has one. */
  accessToken?: string | undefined
}

/** What a proof says, once all of it is verified but its time. */
export interface DpopProof {
  /** The thumbprint of its key (RFC 7638). */
  thumbprint: string
  /** Names it: no other proof of the same key has it. */
  jti: string
  /** When its client says that it was made, in seconds since 1970. */
  iat: number
  /** What this server has said lately, as the client says. */
  nonce: string | undefined
}

/**
 * Verifies a DPoP proof (RFC 9449 section 4.3), except when it was made, and that it has not been used.
 *
 * @param header The header `DPoP`. Node joins several with a comma, which no proof has.
 * @throws {OAuthError} `invalid_dpop_proof`.
 */
export function readProof(header: unknown, { method, addresses, accessToken }: ProvenRequest): DpopProof {
  // 400 at the token endpoint (RFC 9449 section 5), 401 for a request to an API (section 7.1).
  const status = accessToken === undefined ? 400 : 401
  const wrong = (problem: string, detail = {}) => wrongProof(problem, { status, detail })
  // With an RSA key of 4096 bits, a proof has about 2,000 characters.
  const jwt = typeof header === 'string' && header.length <= 8192 ? readJwt(header) : undefined
  if (!jwt) throw wrong('must be one signed JWT')
  const { typ, alg, jwk, crit } = jwt.header
  if (typ !== 'dpop+jwt') throw wrong('must have dpop+jwt as typ')
  if (!isAssertionAlgorithm(alg)) throw wrong(`must have ${assertionAlgorithms.join(', ')} as alg`)
  if (crit !== undefined) throw wrong('must not have crit')
  const keys = { keys: [jwk as Record<string, unknown>] }
  if (keySetFault(keys) !== undefined) throw wrong('must have a public key as jwk, and no private one')
  const { htm, htu, jti, iat, ath, nonce } = jwt.claims
  if (htm !== method) throw wrong('must have the method of the request as htm')
  const address = typeof htu === 'string' ? comparable(htu) : undefined
  if (address === undefined || !addresses.some((one) => comparable(one) === address)) {
    throw wrong('must have the address of the request as htu', { asked: htu, accepted: addresses })
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > 256) throw wrong('must have a jti')
  if (!isTime(iat)) throw wrong('must have a time as iat')
  if (nonce !== undefined && typeof nonce !== 'string') throw wrong('must have a string as nonce')
  if (accessToken !== undefined && ath !== hash('sha256', accessToken, 'base64url')) {
    throw wrong('must have the hash of the access token as ath')
  }
  // Last, because it costs the most.
  if (!isSignedBy(header as string, { alg, kid: undefined }, keys)) throw wrong('is not signed with its jwk')
  return { thumbprint: thumbprintOf(jwk as Record<string, unknown>), jti, iat, nonce }
}

/** The error for a proof. */
export function wrongProof(problem: string, options: Pick<OAuthErrorOptions, 'status' | 'detail'> = {}): OAuthError {
  return oauthError('invalid_dpop_proof', `The DPoP proof ${problem}`, options)
}

/** An address as addresses are compared: without query and fragment, and in normal form (RFC 3986 sections 6.2.2 and 6.2.3). */
function comparable(address: string): string | undefined {
  if (!isUrl(address)) return undefined
  const { origin, pathname } = new URL(address)
  const normal = (encoded: string) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  }
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, normal)
}
