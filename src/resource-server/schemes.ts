import type { NodeRequest } from '../http/node-messages'
import { type HostRequest, requestPath } from '../http/request-address'
import { proofAlgorithms, wrongProof } from '../protocol/dpop-proof'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { type AccessTokenClaims, invalidToken } from '../tokens/access-tokens'
import type { DpopProofs } from '../tokens/dpop-proofs'

/** How an access token is sent: by itself (RFC 6750), or with the proof of a key (RFC 9449 section 7.1). */
export type Scheme = 'Bearer' | 'DPoP'

/** An access token as a request has it in its header. A token in the body or the query is not accepted. */
export interface PresentedToken {
  token: string
  scheme: Scheme
  req: NodeRequest
}

/** Reads the token of a request. @returns Undefined if it has none that has the form of one. */
export function presentedToken(req: NodeRequest): PresentedToken | undefined {
  const [, scheme = '', token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/=-]+)$/i.exec(req.headers.authorization ?? '') ?? []
  return token === undefined ? undefined : { token, scheme: schemeOf(scheme), req }
}

/** The scheme of a header that has one, however it goes on. */
export function schemeIn(req: NodeRequest | undefined): Scheme | undefined {
  const [scheme] = /^(?:Bearer|DPoP)\b/i.exec(req?.headers.authorization ?? '') ?? []
  return scheme === undefined ? undefined : schemeOf(scheme)
}

function schemeOf(text: string): Scheme {
  return text.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer'
}

/** The scheme by which a request is challenged. Most clients know only the other one, so it is named where it is required, or was tried. */
export function schemeToAskFor(req: NodeRequest | undefined, tenant: ResolvedTenant | undefined): Scheme {
  return tenant?.policy.requireDpop ? 'DPoP' : (schemeIn(req) ?? 'Bearer')
}

/**
 * Checks that a token which is bound to a key comes with a proof of that key, and no other token does.
 *
 * @param presented Undefined if only the token is known.
 * @param resource The API that the token is for: its origin is the one that the proof must name.
 * @param basePath What a proxy in front may have taken off the path of the request.
 * @throws {OAuthError} `invalid_token`, `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export function checkBoundKey(
  { cnf }: AccessTokenClaims,
  presented: PresentedToken | undefined,
  { resource, basePath, tenant }: { resource: string; basePath: string; tenant: ResolvedTenant },
  proofs: DpopProofs,
): void {
  if (cnf === undefined) {
    if (presented?.scheme !== 'DPoP' && !tenant.policy.requireDpop) return
    throw invalidToken('The access token is not bound to a key', 'unbound_token')
  }
  if (presented?.scheme !== 'DPoP') {
    throw invalidToken('The access token is bound to a key: it must come with a DPoP proof', 'bound_token')
  }
  const { req, token: accessToken } = presented
  const { dpop } = req.headers
  if (dpop === undefined) {
    throw oauthError('invalid_dpop_proof', 'The request must have a DPoP proof', { status: 401, reason: 'no_proof' })
  }
  const { originalUrl = req.url } = req as HostRequest
  const path = requestPath(originalUrl) ?? ''
  const { origin } = new URL(/^https?:/.test(resource) ? resource : tenant.address.issuer)
  const request = { method: req.method, addresses: [origin + path, origin + basePath + path], accessToken }
  if (proofs.thumbprintAtApi(dpop, request) === cnf.jkt) return
  throw wrongProof('is not made with the key of the access token', { status: 401 })
}

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

/** The `WWW-Authenticate` header of a response. @param error Undefined if the request has no token: the challenge then names no error. */
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
