import { type Clients, unknownClient } from '../clients/clients'
import { aboutGrant, contextOf, type Emit, faultEvent } from '../events/emitter'
import { grantIdOf, parseCredential } from '../grants/credential'
import type { Grants } from '../grants/grants'
import type { Redemption, Redemptions } from '../grants/redemptions'
import { isRegisteredId } from '../protocol/client-id'
import { type ErrorContext, OAuthError, withContext } from '../protocol/oauth-error'
import type { RegisteredClient } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import type { RequestingClient } from './requesting-client'

/**
 * Confirms that a client which is not the tenant's own is registered. If it has to ask the store, it does so during the redemption and not
 * before it, so that both together take one round trip.
 *
 * @param refreshToken What the client redeems, if it is no code.
 * @throws {OAuthError} `invalid_client` if the store says for certain that there is no such client; the grant then ends. Otherwise whatever
 * the redemption throws. If the look-up fails, the client is not refused.
 */
export async function confirmClient(
  { clientId, registration: known }: RequestingClient,
  refreshToken: string | undefined,
  redeeming: Promise<Redemption>,
  tenant: ResolvedTenant,
  { clients, grants, redemptions, emit }: { clients: Clients; grants: Grants; redemptions: Redemptions; emit: Emit },
): Promise<Redemption> {
  const reportFault = (where: string, error: unknown) =>
    emit(faultEvent(where, error, { tenantKey: tenant.key, tenantId: tenant.id, clientId }))
  const touch = (registration: RegisteredClient, { grant }: Redemption) => {
    clients.touchUsed(registration, grant, tenant).catch((error) => reportFault('touchClient', error))
  }
  if (known) {
    const redemption = await redeeming
    touch(known, redemption)
    return redemption
  }
  // A client with a metadata document needs no look-up: its grant is bound to the URL of the document.
  if (!clients.isRegistration(clientId, tenant)) return await redeeming
  const lookUp = () => clients.findRegistration(clientId, tenant)
  if (isConfirmedToday(clientId, refreshToken, tenant, redemptions)) return orUnknownClient(clientId, redeeming, lookUp)
  const [redemption, registration] = await Promise.allSettled([redeeming, lookUp()])
  if (registration.status === 'fulfilled' && !registration.value) {
    if (redemption.status === 'fulfilled') {
      const { grant } = redemption.value
      // If this fails, the grant is useless anyway: no client was given its new refresh token.
      await grants
        .end(grant, tenant, 'client_gone')
        .catch((error) => emit(faultEvent('deleteGrant', error, aboutGrant(grant, tenant.key))))
    }
    throw withContext(unknownClient(clientId), grantOf(redemption))
  }
  if (redemption.status === 'rejected') throw redemption.reason
  if (registration.status === 'rejected') reportFault('findClient', registration.reason)
  else if (registration.value) touch(registration.value, redemption.value)
  return redemption.value
}

/**
 * Whether the store need not be asked for the registration of a client. Whoever deletes a registered client ends its grants, so the client
 * of a live grant is registered. It is asked about a code, which may be redeemed while the grants are being ended, and with the first refresh
 * after it and of each day, as the registration may have to be extended.
 */
function isConfirmedToday(
  clientId: string,
  refreshToken: string | undefined,
  tenant: ResolvedTenant,
  redemptions: Redemptions,
): boolean {
  if (refreshToken === undefined || !isRegisteredId(clientId)) return false
  const credential = parseCredential('refresh_token', refreshToken)
  if (!credential || !redemptions.wasRefreshedToday(credential)) return false
  // The tag says whether the day is the one that this server wrote.
  const grantId = grantIdOf(credential.handle)
  return redemptions.hasIssued({ credential, grantId, tenant, binding: { clientId } })
}

/** Looks the client up if its redemption is refused: if it learns that its registration is gone, it registers again. */
async function orUnknownClient(
  clientId: string,
  redeeming: Promise<Redemption>,
  lookUp: () => Promise<RegisteredClient | undefined>,
): Promise<Redemption> {
  const [redemption] = await Promise.allSettled([redeeming])
  if (redemption.status === 'fulfilled') return redemption.value
  const isRefused = redemption.reason instanceof OAuthError && redemption.reason.status < 500
  const isGone =
    isRefused &&
    (await lookUp().then(
      (found) => !found,
      () => false,
    ))
  throw isGone ? withContext(unknownClient(clientId), grantOf(redemption)) : redemption.reason
}

/** Whose grant it was, as far as the redemption found that out. */
function grantOf(redemption: PromiseSettledResult<Redemption>): ErrorContext {
  if (redemption.status === 'fulfilled') return contextOf(redemption.value.grant)
  return redemption.reason instanceof OAuthError ? redemption.reason.context : {}
}
