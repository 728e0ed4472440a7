import type { ClientRule } from '../contract/tenant-store'
import { type OAuthError, oauthError } from '../protocol/oauth-error'
import type { DenialReason } from '../protocol/reasons'
import { redirectHostOf } from '../protocol/redirect-uri'
import type { ClientRules, ResolvedTenant } from '../tenants/resolved-tenant'

/** What a client is judged by. */
interface JudgedClient {
  clientId: string
  /** Whether its id is the address of a metadata document. */
  isDocument: boolean
  /** Empty as long as they are not known. */
  redirectUris: readonly string[]
}

const reason = 'client_not_allowed'
const notAllowed = 'The company does not allow this client'

/** @throws {OAuthError} `unauthorized_client` (403) if a rule of the company keeps a client out. Nothing is sent to its redirect URI. */
export function checkMaySignIn(client: JudgedClient, tenant: ResolvedTenant): void {
  const detail = refusalOf(client, tenant)
  if (detail) throw oauthError('unauthorized_client', notAllowed, { status: 403, reason, detail })
}

/** @throws {OAuthError} `invalid_grant` if a rule of the company keeps a client out. Its customer sees why at the next sign-in. */
export function checkMayRedeem(client: JudgedClient, tenant: ResolvedTenant): void {
  const detail = refusalOf(client, tenant)
  if (detail) throw oauthError('invalid_grant', notAllowed, { reason, detail })
}

function refusalOf(client: JudgedClient, { policy }: ResolvedTenant): Record<string, unknown> | undefined {
  const { clientId, redirectUris } = client
  const rule = refusingRule(client, policy.clientRules)
  return rule && { clientId, rule, ...(redirectUris.length > 0 && { redirectUris }) }
}

/** @throws {OAuthError} `invalid_redirect_uri` if a rule of the company would keep out the client that registers. */
export function checkMayRegister(redirectUris: readonly string[], { policy }: ResolvedTenant): void {
  const rule = refusingRule({ clientId: '', isDocument: false, redirectUris }, policy.clientRules)
  if (rule === undefined) return
  throw oauthError('invalid_redirect_uri', 'redirect_uris must lead where the company allows clients', {
    reason,
    detail: { rule, asked: redirectUris },
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

/** The rule that keeps a client out, or undefined if none does. */
export function refusingRule(
  client: JudgedClient,
  { allowed, blocked }: ClientRules,
): 'allowedClients' | 'blockedClients' | undefined {
  if (blocked.some((rule) => isNamed(client, rule) || client.redirectUris.some((uri) => leadsTo(uri, rule)))) {
    return 'blockedClients'
  }
  return allowed === undefined || isNamed(client, allowed) || leadsOnlyTo(client, allowed)
    ? undefined
    : 'allowedClients'
}

/** Whether a rule names a client by its id, or by the host of its document. */
export function isNamed({ clientId, isDocument }: Omit<JudgedClient, 'redirectUris'>, rule: ClientRule): boolean {
  const { clientIds = [], documentHosts = [] } = rule
  return clientIds.includes(clientId) || (isDocument && documentHosts.includes(redirectHostOf(clientId)))
}

/** Anybody can publish a document with somebody else's redirect URIs, and a refresh does not read it: its own address counts. */
function leadsOnlyTo({ isDocument, redirectUris }: JudgedClient, allowed: ClientRule): boolean {
  return !isDocument && redirectUris.length > 0 && redirectUris.every((uri) => leadsTo(uri, allowed))
}

function leadsTo(redirectUri: string, { redirectHosts = [] }: ClientRule): boolean {
  return redirectHosts.includes(redirectHostOf(redirectUri))
}
