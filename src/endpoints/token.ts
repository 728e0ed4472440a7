import type { ServerResponse } from 'node:http'
import { aboutGrant } from '../events/events'
import type { Redemption } from '../grants/access-token-terms'
import { redeemAuthorizationCode } from '../grants/authorization-code'
import { confirmClient } from '../grants/confirm-client'
import { redeemRefreshToken } from '../grants/refresh-token'
import { type Form, readForm } from '../http/form'
import { hasHungUp } from '../http/has-hung-up'
import { respondWithJson } from '../http/responses'
import { type GrantType, grantTypes, isGrantType } from '../protocol/grant-types'
import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/tenants'
import { issueAccessToken } from '../tokens/access-tokens'
import type { EndpointContext } from './endpoint'
import { type IdentifiedClient, identifyClient, mayUse } from './requesting-client'

const redeemers = {
  authorization_code: redeemAuthorizationCode,
  refresh_token: redeemRefreshToken,
} satisfies Record<GrantType, unknown>

/** `POST I/token`: redeems a code or a refresh token (RFC 6749 section 3.2). */
export async function token({ req, res, tenant, service }: EndpointContext): Promise<void> {
  const form = await readForm(req, res, { repeatable: ['resource'] })
  const client = identifyClient(req, form, tenant)
  const redeem = redeemers[grantTypeOf(form, client)]
  const redeeming = redeem(form, client, tenant, () => hasHungUp(req, res), service)
  const redemption = await confirmClient(client, redeeming, tenant, service)
  respondWithTokens(res, redemption, client, tenant, service)
}

function grantTypeOf(form: Form, client: IdentifiedClient): GrantType {
  const grantType = form.required('grant_type')
  if (!isGrantType(grantType)) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}`)
  }
  if (!mayUse(grantType, client)) throw new OAuthError('unauthorized_client', 'grant_type is not for this client')
  return grantType
}

/** RFC 6749 section 5.1. */
function respondWithTokens(
  res: ServerResponse,
  redemption: Redemption,
  client: IdentifiedClient,
  tenant: ResolvedTenant,
  service: Service,
): void {
  const { accessToken, expiresIn } = issueAccessToken(redemption, tenant, service)
  respondWithJson(res, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: mayUse('refresh_token', client) ? redemption.refreshToken : undefined,
    scope: redemption.scopes.join(' '),
  })
  tellOf(redemption, tenant, service)
}

function tellOf({ grant, scopes, grantType, by, repeat }: Redemption, tenant: ResolvedTenant, { emit }: Service): void {
  const { resource } = grant
  const about = aboutGrant(grant, tenant.key)
  if (repeat) emit({ type: 'retried', scopes, resource, ...repeat, ...about })
  else if (grantType === 'authorization_code') emit({ type: 'issued', scopes, resource, ...about })
  else emit({ type: 'refreshed', recovered: by === 'recovery', rotated: by !== 'rest', scopes, resource, ...about })
}
