import type { Client } from '../contract/tenant-store'
import { defaultGrantTypes, type GrantTypeName } from '../protocol/grant-types'
import { type OAuthError, oauthError } from '../protocol/oauth-error'
import type { DenialReason } from '../protocol/reasons'
import { type JudgedClient, type RefusingRule, refusingRule } from '../tenants/client-rules'
import type { ResolvedTenant } from '../tenants/resolved-tenant'

const reason = 'client_not_allowed'

/** Whether a client may use a grant type. @param record Undefined for a client that is not the tenant's own. */
export function mayUse(grantType: GrantTypeName, record: Pick<Client, 'grantTypes'> | undefined): boolean {
  const named: readonly string[] = record?.grantTypes ?? defaultGrantTypes
  return named.includes(grantType)
}

/** @throws {OAuthError} `unauthorized_client` (403) if a rule of the company keeps a client out. Nothing is sent to its redirect URI. */
export function checkMaySignIn(client: JudgedClient, tenant: ResolvedTenant): void {
  const rule = refusingRule(client, tenant.policy.clientRules)
  if (rule === undefined) return
  throw oauthError('unauthorized_client', 'The company does not allow this client', {
    status: 403,
    reason,
    detail: detailOf(client, rule),
  })
}

/** @throws {OAuthError} `invalid_redirect_uri` if a rule of the company would keep out the client that registers. */
export function checkMayRegister(redirectUris: readonly string[], tenant: ResolvedTenant): void {
  const rule = refusingRule({ clientId: '', isDocument: false, redirectUris }, tenant.policy.clientRules)
  if (rule === undefined) return
  throw oauthError('invalid_redirect_uri', 'redirect_uris must lead where the company allows clients', {
    reason,
    detail: { rule, asked: redirectUris },
  })
}

/** The error for a client that has a credential and that a rule of the company keeps out. Its customer sees why at the next sign-in. */
export function mayNotRedeem(client: JudgedClient, rule: RefusingRule): OAuthError {
  return oauthError('invalid_grant', 'The company does not allow this client', {
    reason,
    detail: detailOf(client, rule),
  })
}

/**
 * The error for a client that does not exist. It makes clients register again.
 *
 * @param why What is wrong with the registration that its id carries, for the operator.
 */
export function unknownClient(clientId: string, reason: DenialReason = 'client_gone', why?: string): OAuthError {
  return oauthError('invalid_client', 'There is no client with this client_id', {
    reason,
    detail: { clientId, ...(why !== undefined && { why }) },
  })
}

function detailOf({ clientId, redirectUris }: JudgedClient, rule: RefusingRule) {
  return { clientId, rule, ...(redirectUris.length > 0 && { redirectUris }) }
}
