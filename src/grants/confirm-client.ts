import { keepClientAlive } from '../clients/keep-client-alive'
import { type IdentifiedClient, unknownClient } from '../endpoints/requesting-client'
import { aboutGrant, faultEvent } from '../events/events'
import { type ErrorContext, OAuthError, withContext } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/tenants'
import type { Redemption } from './access-token-terms'
import { contextOf } from './refusals'

/**
 * Confirms, beside the redemption and not before it, that a client which is not the tenant's own is registered: two round
 * trips at a time, not one after the other.
 *
 * @throws {OAuthError} `invalid_client` where the store says for certain that there is no such client; the grant ends then.
 * Otherwise whatever the redemption throws. That the look-up failed is no reason to refuse.
 */
export async function confirmClient(
  { clientId, preRegistered }: IdentifiedClient,
  redeeming: Promise<Redemption>,
  tenant: ResolvedTenant,
  service: Service,
): Promise<Redemption> {
  // The grant of a client with a metadata document is bound to the document's address.
  if (preRegistered || service.metadataDocuments?.isDocumentUrl(clientId)) return await redeeming
  const report = (where: string) => (error: unknown) =>
    service.emit(faultEvent(where, error, { tenantKey: tenant.key, tenantId: tenant.id, clientId }))
  const lookingUp = service.tokenStore.findClient(tenant.id, clientId)
  const [redemption, registered] = await Promise.allSettled([redeeming, lookingUp])
  if (registered.status === 'fulfilled' && !registered.value) {
    if (redemption.status === 'fulfilled') await endGrant(redemption.value, tenant, service)
    throw withContext(unknownClient(clientId), namedBy(redemption))
  }
  if (redemption.status === 'rejected') throw redemption.reason
  if (registered.status === 'fulfilled' && registered.value) {
    keepClientAlive(registered.value, redemption.value.grant, tenant, service).catch(report('touchClient'))
  } else if (registered.status === 'rejected') {
    report('findClient')(registered.reason)
  }
  return redemption.value
}

/** Whose grant it was, as far as the redemption has found out. */
function namedBy(redemption: PromiseSettledResult<Redemption>): ErrorContext {
  if (redemption.status === 'fulfilled') return contextOf(redemption.value.grant)
  return redemption.reason instanceof OAuthError ? redemption.reason.context : {}
}

async function endGrant({ grant }: Redemption, tenant: ResolvedTenant, { tokenStore, emit }: Service): Promise<void> {
  try {
    await tokenStore.deleteGrant(tenant.id, grant.grantId)
    emit({ type: 'revoked', reason: 'client_gone', ...aboutGrant(grant, tenant.key) })
  } catch (error) {
    // Its new refresh token was given to nobody, so the grant is out of reach in any case.
    emit(faultEvent('deleteGrant', error, aboutGrant(grant, tenant.key)))
  }
}
