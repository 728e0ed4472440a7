import { warn } from '../configuration/warnings'
import type { PresentedCredential } from '../grants/credential'
import { presentedCredential } from '../grants/redemptions'
import { requestedResource } from '../protocol/resource'
import type { GrantType, TokenRequest } from './grant-type'
import { type CredentialRooms, checkIssued, eventOf, redeemedFor, refreshTokenOf } from './redeemed-credential'

/** Redeems a refresh token (RFC 6749 section 6). */
export function refreshToken(rooms: CredentialRooms): GrantType {
  return {
    isOffered: ({ policy }) => !policy.enterpriseOnly,
    checkIssued: (request) => checkIssued(presentedRefreshToken(request), rooms),
    async grant(request) {
      // It narrows the access token, not the grant.
      const scope = request.form.get('scope')
      const requested = { grantType: 'refresh_token', scope } as const
      const redeemed = await redeemedFor(requested, presentedRefreshToken(request), request, rooms)
      if (!request.client.preRegistered && !rooms.redemptions.hasRetryWindow) warnOfNoRetryWindow()
      const { issued, scopes, by } = redeemed
      const event = { type: 'refreshed', recovered: by === 'recovery', rotated: by !== 'fresh' } as const
      return { ...issued, ...refreshTokenOf(redeemed), scopes, event: eventOf(redeemed, request, event) }
    },
  }
}

function presentedRefreshToken({ form, client, tenant, hasHungUp }: TokenRequest): PresentedCredential {
  const presentedWith = {
    binding: { clientId: client.clientId, isAuthenticated: client.isAuthenticated },
    resource: requestedResource(form.all('resource'), tenant.address),
    tenant,
    lifetime: tenant.policy.lifetimes.refreshToken,
    hasHungUp,
  }
  return presentedCredential('refresh_token', form.required('refresh_token'), presentedWith, client.key?.thumbprint)
}

const noRetryWindow = 'refreshRetryWindow is 0: clients that refresh in parallel, as MCP clients do, lose their sign-in'
let hasWarned = false

/** Warns once for each process. */
function warnOfNoRetryWindow(): void {
  if (!hasWarned) warn('RETRY_WINDOW', noRetryWindow)
  hasWarned = true
}
