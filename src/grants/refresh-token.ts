import type { IdentifiedClient } from '../clients/identify-client'
import type { Form } from '../http/form'
import { requestedResource } from '../protocol/resource'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/find-tenant'
import { accessTokenTerms } from './access-token-terms'
import { presentedCredential } from './presented'
import { redeemCredential } from './redeem-credential'
import type { Redemption } from './redemption'

/** Redeems a refresh token (RFC 6749 section 6); a `scope` narrows the access token, not the grant. */
export async function redeemRefreshToken(
  form: Form,
  client: IdentifiedClient,
  tenant: ResolvedTenant,
  service: Service,
): Promise<Redemption> {
  const presented = presentedCredential('refresh_token', form.required('refresh_token'), {
    binding: { client_id: client.clientId },
    resource: requestedResource(form.all('resource')),
    tenant,
    lifetime: tenant.refreshTokenLifetime,
  })
  const terms = await accessTokenTerms(presented, form.get('scope'), 'refresh_token', service)
  const redeemed = await redeemCredential(presented, service)
  return { grantType: 'refresh_token', ...redeemed, ...terms }
}
