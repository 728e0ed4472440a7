import { aboutGrant } from '../events'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'
import { verifiedClaims } from '../tokens/verified-claims'
import { grantIdOf, parseCredential } from './credential'
import { isLive, isOurs } from './presented'

/** Ends the grant of a refresh token or access token, if the token is this client's. */
export async function revokeToken(
  token: string,
  clientId: string,
  tenant: ResolvedTenant,
  service: Service,
): Promise<void> {
  const grant =
    (await grantOfRefreshToken(token, clientId, tenant, service)) ?? (await grantOfAccessToken(token, tenant, service))
  if (grant?.clientId !== clientId) return
  const ended = await service.tokenStore.deleteGrant(tenant.id, grant.grantId)
  if (ended) service.emit({ type: 'revoked', reason: 'client', ...aboutGrant(grant, tenant.key) })
}

async function grantOfRefreshToken(
  token: string,
  clientId: string,
  tenant: ResolvedTenant,
  service: Service,
): Promise<Grant | undefined> {
  const credential = parseCredential('refresh_token', token)
  if (!credential) return undefined
  const grantId = grantIdOf(credential.handle)
  const presented = { credential, grantId, binding: { client_id: clientId }, tenant }
  const grant = await service.tokenStore.findGrant(tenant.id, grantId)
  return grant && (isLive(presented, grant) || isOurs(presented, service)) ? grant : undefined
}

async function grantOfAccessToken(
  token: string,
  tenant: ResolvedTenant,
  { signingKeys, tokenStore }: Service,
): Promise<Grant | undefined> {
  try {
    const { tenant_id, grant_id } = verifiedClaims(token, signingKeys)
    return tenant_id === tenant.id ? await tokenStore.findGrant(tenant.id, grant_id) : undefined
  } catch (error) {
    if ((error as { code?: string }).code === 'invalid_token') return undefined
    throw error
  }
}
