import type { NodeRequest } from '../http/node-messages'
import { type HostRequest, requestPath } from '../http/request-address'
import { wrongProof } from '../protocol/dpop-proof'
import { oauthError } from '../protocol/oauth-error'
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
