import type { FoundClient } from '../clients/clients'
import { isNamed } from '../clients/permissions'
import type { Grant } from '../contract/token-store'
import { isConnected } from '../grants/credential'
import { digest } from '../protocol/digest'
import { hasProvenReceiver } from '../protocol/redirect-uri'
import { withImplied } from '../protocol/scope'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { CheckedRequest, Recipient } from './authorizations'

/**
 * What a grant keeps of the redirect URI, so that its consent is remembered. Undefined if no consent to this client is remembered.
 *
 * A server must not answer a repeated request by itself unless it is sure that the same client asks (RFC 6749 section 10.2, RFC 8252
 * section 8.6). So the code must go where nobody else receives it. And without a page, whoever sends a customer a link makes a code of that
 * customer reach the client, which must not take it for an answer to the sender's own request. So the company must have named the client: only
 * the company can know that it binds `state` to the browser.
 */
export function consentMark({ found, redirectUri }: Recipient, tenant: ResolvedTenant): string | undefined {
  const { client, source } = found
  const asks = source === 'tenant' ? (client.askConsent ?? tenant.policy.askConsent) : tenant.policy.askConsent
  if (asks !== 'once' || !isNamedByTenant(found, tenant) || !hasProvenReceiver(redirectUri)) return undefined
  return digest('consent to', redirectUri).slice(0, 8)
}

/** Whether the company itself has named the client: in its own `clients`, or by its document in what it allows. */
export function isNamedByTenant({ client: { clientId }, source }: FoundClient, { policy }: ResolvedTenant): boolean {
  if (source === 'tenant') return true
  return source === 'document' && isNamed({ clientId, isDocument: true }, policy.clientRules.allowed ?? {})
}

/** Whether a customer has allowed as much before, as one of their connected grants shows. @param mark The {@link consentMark} of the request. */
export function isRemembered(
  mark: string,
  { found, resource, scopes }: CheckedRequest,
  grants: readonly Grant[],
  { policy }: ResolvedTenant,
): boolean {
  return grants.some((grant) => {
    // The customer cannot see or end a grant that is not connected.
    if (!isConnected(grant) || grant.clientId !== found.client.clientId) return false
    if (grant.consentTo !== mark || grant.resource !== resource) return false
    const allowed = withImplied(grant.scopes, policy.implied)
    return scopes.every((scope) => allowed.includes(scope))
  })
}
