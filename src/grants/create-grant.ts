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
  /** 32 bytes that nobody else knows: the same ones give the same code. By default random. */
  seed?: Buffer
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
  const { grant, code } = newGrant(agreement, client.clientId, tenant, service)
  try {
    await service.tokenStore.createGrant(grant)
  } catch (error) {
    // The answer to the same button pressed twice, or one that was lost on its way.
    const existing = await service.tokenStore.findGrant(tenant.id, grant.grantId)
    if (!existing) throw error
    if (existing.credential.hash !== grant.credential.hash) return undefined
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
): { grant: Grant; code: string } {
  const kind = 'code'
  const binding = { client_id: clientId, redirect_uri: redirectUri, code_verifier: codeChallenge }
  const handle = seed ? partOf(seed) : randomPart()
  const secret = seed ? partOf(seed.subarray(handle.length)) : randomPart()
  const grantId = grantIdOf(handle)
  const now = Date.now()
  const grant: Grant = {
    tenantId: tenant.id,
    grantId,
    clientId,
    subject,
    scope,
    resource,
    claims: claims && plainJson(claims),
    createdAt: now,
    expiresAt: now + options.authorizationCodeLifetime * 1000,
    endsAt: options.grantLifetime && now + options.grantLifetime * 1000,
    credential: { kind, hash: credentialHash(kind, secret, binding) },
    request: { redirectUri, codeChallenge },
  }
  const tag = chain.tag(tenant.id, grantId, { kind, secret }, binding)
  return { grant, code: formatCredential({ kind, handle, secret, tag }) }
}
