import type { IdentifiedClient } from '../endpoints/requesting-client'
import { warn } from '../events/events'
import type { Form } from '../http/form'
import { requestedResource } from '../protocol/resource'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/tenants'
import { accessTokenTerms, asStillOffered, type Redemption } from './access-token-terms'
import { redeem } from './redemptions'
import { naming, presentedCredential } from './refusals'

/** Redeems a refresh token (RFC 6749 section 6); a `scope` narrows the access token, not the grant. */
export async function redeemRefreshToken(
  form: Form,
  client: IdentifiedClient,
  tenant: ResolvedTenant,
  hasHungUp: () => Promise<boolean>,
  service: Service,
): Promise<Redemption> {
  const presented = presentedCredential('refresh_token', form.required('refresh_token'), {
    binding: { client_id: client.clientId },
    resource: requestedResource(form.all('resource')),
    tenant,
    hasHungUp,
    lifetime: tenant.refreshTokenLifetime,
  })
  return naming(presented, service, async () => {
    const terms = await accessTokenTerms(presented, form.get('scope'), 'refresh_token', service)
    const redeemed = await redeem(presented, service)
    if (!client.preRegistered && service.options.refreshRetryWindow === 0) warnOfNoRetryWindow()
    return { grantType: 'refresh_token', ...(await asStillOffered(redeemed, terms, presented, service)) }
  })
}

const noRetryWindow = 'refreshRetryWindow is 0: clients that refresh in parallel, as MCP clients do, lose their sign-in'
let hasWarned = false

/** Once for a process. */
function warnOfNoRetryWindow(): void {
  if (!hasWarned) warn('RETRY_WINDOW', noRetryWindow)
  hasWarned = true
}
