import { createHmac } from 'node:crypto'
import type { FoundClient } from '../clients/find-client'
import { keepClientAlive } from '../clients/keep-client-alive'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/find-tenant'
import { plainJson } from './access-token-terms'
import type { AgreedTerms } from './authorization-request'
import { credentialHash, formatCredential, grantIdOf, partOf, randomPart } from './credential'

/** A customer's agreement to an authorization request. */
export interface Agreement extends AgreedTerms {
  redirectUri: string
  subject: string
  claims: Record<string, unknown> | undefined
  /** 32 bytes in base64url that nobody else knows: as long as the grant lives, the same seed gives the same code. By default random. */
  seed?: string
}

/**
 * Stores a grant and gives the authorization code that redeems it, or undefined where the code of this seed has been redeemed
 * already.
 */
export async function createGrant(
  agreement: Agreement,
  { client, registered }: FoundClient,
  tenant: ResolvedTenant,
  service: Service,
): Promise<string | undefined> {
  const { grant, code } = newGrant(agreement, client.clientId, tenant, service, Date.now())
  try {
    await service.tokenStore.createGrant(grant)
  } catch (error) {
    const existing = await service.tokenStore.findGrant(tenant.id, grant.grantId)
    if (!existing) throw error
    // The answer was lost on its way, or the same button was pressed twice.
    if (existing.credential.hash === grant.credential.hash) return code
    const first = newGrant(agreement, client.clientId, tenant, service, existing.createdAt)
    return existing.credential.hash === first.grant.credential.hash ? first.code : undefined
  }
  if (registered && registered.expiresAt < grant.expiresAt)
    keepClientAlive(registered, grant.expiresAt, tenant, service)
  return code
}

function newGrant(
  { codeChallenge, scope, resource, redirectUri, subject, claims, seed }: Agreement,
  clientId: string,
  tenant: ResolvedTenant,
  { options, chain }: Service,
  now: number,
): { grant: Grant; code: string } {
  const kind = 'code'
  const binding = { client_id: clientId, redirect_uri: redirectUri, code_verifier: codeChallenge }
  const handle = seed ? partOf(seed) : randomPart()
  // With its time, so that a grant that has been ended never comes back with the tokens that it had.
  const secret = seed ? partOf(createHmac('sha256', seed).update(String(now)).digest('base64url')) : randomPart()
  const grantId = grantIdOf(handle)
  const endsAt = options.grantLifetime && now + options.grantLifetime * 1000
  const grant: Grant = {
    tenantId: tenant.id,
    grantId,
    clientId,
    subject,
    scope,
    resource,
    claims: claims && plainJson(claims),
    createdAt: now,
    expiresAt: Math.min(now + options.authorizationCodeLifetime * 1000, endsAt ?? Number.POSITIVE_INFINITY),
    endsAt,
    credential: { kind, hash: credentialHash(kind, secret, binding) },
    request: { redirectUri, codeChallenge },
  }
  const tag = chain.tag(tenant.id, grantId, { kind, secret }, binding)
  return { grant, code: formatCredential({ kind, handle, secret, tag }) }
}
