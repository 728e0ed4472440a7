import type { AgreedTerms } from '../authorization/authorization-request'
import type { FoundClient } from '../clients/clients'
import { awaitRedemption } from '../clients/keep-client-alive'
import { aboutGrant, faultEvent } from '../events/events'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { Grant, NewGrant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import { credentialHash, expiryOf, formatCredential, grantIdOf, newHandle, newSecret } from './credential'

/** A customer's agreement to an authorization request. */
export interface Agreement extends AgreedTerms {
  redirectUri: string
  subject: string
  /** As JSON carries them. */
  claims: Record<string, unknown> | undefined
}

/** Stores a grant, and gives the authorization code that redeems it. */
export async function createGrant(
  agreement: Agreement,
  { client, registered }: FoundClient,
  tenant: ResolvedTenant,
  service: Service,
): Promise<string> {
  // Before there is a grant: its client must not expire before it, nor make room for others until the code can be redeemed.
  if (registered) await awaitRedemption(registered, tenant, service)
  const { tokenStore } = service
  const patience = { giveUpAt: performance.now() + tokenStore.timeout, timeout: tokenStore.timeout / 2 }
  const create = async () => {
    const { grant, codeOf } = newGrant(agreement, client.clientId, tenant, service)
    const { grant: created } = await tokenStore.createGrant(grant, patience)
    // A grant that is there already is its own work, where the store's client has sent the command again.
    if (created.credential.hash === grant.credential.hash) return { created, code: codeOf(created) }
    throw temporarilyUnavailable(new Error('The token store has another grant under a new random id'))
  }
  // Another grant where the answer is lost: should the first one come to be, its code is nobody's.
  const { created, code } = await create().catch(create)
  service.metadataDocuments?.allowed(client.clientId)
  await endOldest(created, tenant, service)
  return code
}

/** Ends the oldest of a customer's grants of one client where these have become too many. A failure only postpones that. */
async function endOldest(
  { tenantId, subject, clientId, grantId }: Grant,
  tenant: ResolvedTenant,
  service: Service,
): Promise<void> {
  const { tokenStore, emit, options } = service
  try {
    const grants = (await tokenStore.listGrants(tenantId, subject)).filter((grant) => grant.clientId === clientId)
    const excess = Math.max(0, grants.length - options.maxGrantsPerClient)
    // Codes that nobody has redeemed go before grants in use, which a page that asks for codes again and again must not end.
    const isWaiting = ({ credential }: Grant) => Number(credential.kind === 'code')
    const others = grants.filter((grant) => grant.grantId !== grantId)
    others.sort((one, other) => isWaiting(other) - isWaiting(one) || one.createdAt - other.createdAt)
    for (const grant of others.slice(0, excess)) {
      const ended = await tokenStore.deleteGrant(tenantId, grant.grantId)
      if (ended) emit({ type: 'revoked', reason: 'too_many', ...aboutGrant(grant, tenant.key) })
    }
  } catch (error) {
    emit(faultEvent('createGrant', error, { tenantKey: tenant.key, tenantId, clientId, grantId, subject }))
  }
}

function newGrant(
  { codeChallenge, scopes, resource, redirectUri, subject, claims }: Agreement,
  clientId: string,
  tenant: ResolvedTenant,
  { options, chain }: Service,
): { grant: Omit<NewGrant, 'deadline'>; codeOf: (created: Grant) => string } {
  const kind = 'code'
  const binding = { client_id: clientId, redirect_uri: redirectUri, code_verifier: codeChallenge }
  const [handle, secret] = [newHandle(tenant.id, subject), newSecret()]
  const grantId = grantIdOf(handle)
  const grant = {
    tenantId: tenant.id,
    grantId,
    clientId,
    subject,
    scopes,
    resource,
    claims,
    credential: { kind, hash: credentialHash(kind, secret, binding) } as const,
    request: { redirectUri, codeChallenge },
    lifetime: options.authorizationCodeLifetime * 1000,
    endsAfter: options.grantLifetime && options.grantLifetime * 1000,
  }
  const codeOf = (created: Grant) => {
    const expiry = expiryOf(created)
    const tag = chain.tag(tenant.id, grantId, { kind, secret, expiry }, binding)
    return formatCredential({ kind, handle, secret, expiry, tag })
  }
  return { grant, codeOf }
}
