import { useUp } from '../endpoints/requesting-client'
import type { PresentedCredential } from '../grants/credential'
import type { Redemption, Redemptions } from '../grants/redemptions'
import { unknownCredential } from '../grants/refusals'
import { contextOf } from '../host/emitter'
import { oauthError, withContext } from '../protocol/oauth-error'
import { enterpriseOnly } from '../protocol/oauth-error-codes'
import type { AccessTokens, IssuedAccessToken, RequestedTerms } from '../tokens/access-tokens'
import type { Granted, TokenRequest } from './grant-type'

/** What redeems codes and refresh tokens, and signs what they give. */
export interface CredentialRooms {
  redemptions: Redemptions
  tokens: AccessTokens
}

/** @throws {OAuthError} `invalid_grant` if this server has not issued a credential to an authenticated client. */
export function checkIssued(presented: PresentedCredential, { redemptions }: CredentialRooms): void {
  // As it would be presented if it turns out to be signed with one of the client's keys.
  const binding = { ...presented.binding, isAuthenticated: true }
  if (!redemptions.hasIssued({ ...presented, binding })) throw unknownCredential(presented)
}

/** Redeems a credential for an access token. If that cannot be signed, the credential that the client presented is live again. */
export async function redeemedFor(
  requested: Omit<RequestedTerms, 'key'>,
  presented: PresentedCredential,
  { client, tenant }: TokenRequest,
  { redemptions, tokens }: CredentialRooms,
): Promise<Redemption & { issued: IssuedAccessToken }> {
  if (tenant.policy.enterpriseOnly) throw oauthError('invalid_grant', enterpriseOnly, { reason: 'enterprise_only' })
  if (client.useUp ?? client.key) await useUp(client, redemptions.hasIssued(presented))
  const key = client.key?.thumbprint
  const redemption = await redemptions.redeem(presented, tokens.settling({ ...requested, key }, tenant))
  if (redemption.issued) return { ...redemption, issued: redemption.issued }
  const { grant, now } = redemption
  try {
    return { ...redemption, issued: await tokens.issue(grant, { ...redemption, key }, grant.expiresAt - now, tenant) }
  } catch (failed) {
    await redemptions.reverse(redemption)
    throw withContext(failed, contextOf(grant))
  }
}

/** The refresh token that follows, for a client that may have it. */
export function refreshTokenOf({ refreshToken, grant, now }: Redemption) {
  return { refreshToken, refreshTokenExpiresIn: Math.floor((grant.expiresAt - now) / 1000) } satisfies Partial<Granted>
}

/** What an event says of it: how a repeat was answered, or what is its own. */
export function eventOf<Own extends object>({ grant, scopes, repeat }: Redemption, { tenant }: TokenRequest, own: Own) {
  const about = { scopes, resource: grant.resource, tenantKey: tenant.key, ...contextOf(grant) }
  return repeat ? ({ type: 'retried', ...repeat, ...about } as const) : { ...own, ...about }
}
