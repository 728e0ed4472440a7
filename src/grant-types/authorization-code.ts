import type { PresentedCredential } from '../grants/credential'
import type { Grants } from '../grants/grants'
import { presentedCredential } from '../grants/redemptions'
import { mayUse } from '../protocol/grant-types'
import { oauthError } from '../protocol/oauth-error'
import { codeChallengeOf, isCodeVerifier } from '../protocol/pkce'
import { requestedResource } from '../protocol/resource'
import type { GrantType, TokenRequest } from './grant-type'
import { type CredentialRooms, checkIssued, eventOf, redeemedFor, refreshTokenOf } from './redeemed-credential'

/** Redeems an authorization code (RFC 6749 section 4.1.3), with the PKCE verifier of RFC 7636 section 4.5. */
export function authorizationCode(rooms: CredentialRooms, grants: Grants): GrantType {
  return {
    isOffered: ({ policy }) => !policy.enterpriseOnly,
    checkIssued: (request) => checkIssued(presentedCode(request), rooms),
    async grant(request) {
      // A code has the scope that was authorized.
      const requested = { grantType: 'authorization_code', scope: undefined } as const
      const redeemed = await redeemedFor(requested, presentedCode(request), request, rooms)
      await grants.endReplaced(redeemed.grant, request.tenant)
      return {
        ...redeemed.issued,
        scopes: redeemed.scopes,
        ...(mayRefresh(request) && refreshTokenOf(redeemed)),
        event: eventOf(redeemed, request, { type: 'issued', grantType: requested.grantType } as const),
      }
    },
  }
}

function presentedCode(request: TokenRequest): PresentedCredential {
  const { form, client, tenant, hasHungUp } = request
  const code = form.required('code')
  const redirectUri = form.required('redirect_uri')
  const codeVerifier = form.required('code_verifier')
  if (!isCodeVerifier(codeVerifier)) {
    throw oauthError('invalid_request', 'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~')
  }
  const { clientId, isAuthenticated } = client
  const { refreshToken, accessToken } = tenant.policy.lifetimes
  const presentedWith = {
    binding: { clientId, redirectUri, codeChallenge: codeChallengeOf(codeVerifier), isAuthenticated },
    resource: requestedResource(form.all('resource'), tenant.address),
    tenant,
    // Without refresh tokens the grant need only outlive the access token.
    lifetime: mayRefresh(request) ? refreshToken : accessToken,
    hasHungUp,
  }
  return presentedCredential('code', code, presentedWith, client.key?.thumbprint)
}

function mayRefresh({ client }: TokenRequest): boolean {
  return mayUse('refresh_token', client.preRegistered)
}
