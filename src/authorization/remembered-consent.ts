import { digest } from '../protocol/digest'
import { withImplied } from '../protocol/implied-scopes'
import { hasProvenReceiver } from '../protocol/redirect-uri'
import type { Grant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import type { CheckedRequest, Recipient } from './authorizations'

const markLength = 8

/**
 * What a grant keeps of the redirect URI, so that its consent is remembered. Undefined if no consent to this client is remembered.
 *
 * A server must not answer a repeated request by itself unless it is sure that the same client asks (RFC 6749 section 10.2, RFC 8252
 * section 8.6). So it must know the client by more than its own word, by the tenant's record or by its document, and the code must go where
 * nobody else receives it.
 */
export function consentMark({ found, redirectUri }: Recipient, { askConsent }: ResolvedTenant): string | undefined {
  const { client, source } = found
  const asks = source === 'tenant' ? (client.askConsent ?? askConsent) : askConsent
  if (asks !== 'once' || source === 'registration' || !hasProvenReceiver(redirectUri)) return undefined
  return digest('consent to', redirectUri).slice(0, markLength)
}

/**
 * Whether a customer has allowed as much before: one of their connected grants is of the same client, for the same redirect URI and resource,
 * and has all of the scopes.
 *
 * @param mark The {@link consentMark} of the request.
 */
export function isRemembered(
  mark: string,
  { found, resource, scopes }: CheckedRequest,
  grants: readonly Grant[],
  { implied }: ResolvedTenant,
): boolean {
  return grants.some((grant) => {
    const { clientId, consentTo, credential } = grant
    // A code that nobody has redeemed has connected nothing, and the customer cannot disconnect it.
    if (credential.kind === 'code' || clientId !== found.client.clientId) return false
    if (consentTo !== mark || grant.resource !== resource) return false
    const allowed = withImplied(grant.scopes, implied)
    return scopes.every((scope) => allowed.includes(scope))
  })
}
