import { aboutGrant } from '../events/events'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import { verifiedClaims } from '../tokens/verified-claims'
import { grantIdOf, parseCredential } from './credential'
import { isLive, isOurs } from './refusals'

/** The grant that a token of ours names, as far as it still exists. */
interface Named {
  grantId: string
  grant: Grant | undefined
}

/** Ends the grant of a refresh token or access token, if the token is this client's. */
export async function revokeToken(
  token: string,
  clientId: string,
  tenant: ResolvedTenant,
  service: Service,
): Promise<void> {
  const named =
    (await namedByRefreshToken(token, clientId, tenant, service)) ??
    (await namedByAccessToken(token, clientId, tenant, service))
  if (!named) return
  // Also where it is gone: an earlier request may have ended it without the replicas knowing yet.
  const ended = await service.tokenStore.deleteGrant(tenant.id, named.grantId)
  if (ended && named.grant) service.emit({ type: 'revoked', reason: 'client', ...aboutGrant(named.grant, tenant.key) })
}

async function namedByRefreshToken(
  token: string,
  clientId: string,
  tenant: ResolvedTenant,
  service: Service,
): Promise<Named | undefined> {
  const credential = parseCredential('refresh_token', token)
  if (!credential) return undefined
  const grantId = grantIdOf(credential.handle)
  const presented = { credential, grantId, binding: { client_id: clientId }, tenant }
  const grant = await service.tokenStore.findGrant(tenant.id, grantId)
  const isNamed = (grant && isLive(presented, grant)) || isOurs(presented, service)
  return isNamed ? { grantId, grant } : undefined
}

/** An access token names its grant also when it has expired: its client may not have needed it for long. */
async function namedByAccessToken(
  token: string,
  clientId: string,
  tenant: ResolvedTenant,
  { signingKeys, tokenStore }: Service,
): Promise<Named | undefined> {
  try {
    const { tenant_id, client_id, grant_id: grantId } = verifiedClaims(token, signingKeys, { ignoreExpiration: true })
    if (tenant_id !== tenant.id || client_id !== clientId) return undefined
    return { grantId, grant: await tokenStore.findGrant(tenant.id, grantId) }
  } catch (error) {
    if ((error as { code?: string }).code === 'invalid_token') return undefined
    throw error
  }
}
