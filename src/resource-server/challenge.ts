import { proofAlgorithms } from '../protocol/dpop-proof'
import { OAuthError } from '../protocol/oauth-error'
import type { Scheme } from './presented-token'

/** What a challenge tells a client, in addition to the error (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  /** The scopes to ask for. Clients replace what they have asked for before with these, so they must include what the token has. */
  scopes: readonly string[]
  /** The address of the resource's metadata, if the resource has any. */
  metadataUrl: string | undefined
  /** How the token is to be sent. */
  scheme: Scheme
}

/** Adds the challenge to an error that needs one and has none. */
export function withChallenge(error: OAuthError, challenge: Challenge): OAuthError {
  const isChallenged = Object.keys(error.headers).some((name) => name.toLowerCase() === 'www-authenticate')
  if (isChallenged || (error.status !== 401 && error.status !== 403)) return error
  const { code, description, status, detail, reason, context } = error
  const headers = { ...error.headers, 'WWW-Authenticate': challengeOf(error, challenge) }
  return new OAuthError(code, description, { status, headers, detail, reason, context })
}

/**
 * The `WWW-Authenticate` header of a response.
 *
 * @param error Undefined if the request has no token: the challenge then names no error.
 */
export function challengeOf(error: OAuthError | undefined, { scopes, metadataUrl, scheme }: Challenge): string {
  const attributes: string[] = []
  if (error) attributes.push(`error="${error.code}"`, `error_description="${error.description}"`)
  const namesScope = error?.code === 'insufficient_scope' || metadataUrl !== undefined
  if (namesScope && scopes.length > 0) attributes.push(`scope="${scopes.join(' ')}"`)
  if (metadataUrl !== undefined) attributes.push(`resource_metadata="${metadataUrl}"`)
  // RFC 9449 section 7.1.
  if (scheme === 'DPoP') attributes.push(`algs="${proofAlgorithms.join(' ')}"`)
  return attributes.length > 0 ? `${scheme} ${attributes.join(', ')}` : scheme
}
