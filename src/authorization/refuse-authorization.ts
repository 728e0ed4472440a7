import { must, nullable, record, text } from '../configuration/checks'
import { type Emit, reportError } from '../host/emitter'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { withResponse } from '../protocol/redirect-uri'
import type { Tenants } from '../tenants/tenants'
import type { Authorizations } from './authorizations'
import { type IssueAuthorizationCodeRequest, ofRequest } from './issue-authorization-code'

/** An authorization request that is refused, on a page of the host's own (RFC 6749 section 4.1.2.1). */
export interface RefuseAuthorizationRequest
  extends Pick<IssueAuthorizationCodeRequest, 'tenantKey' | 'clientId' | 'redirectUri' | 'state'> {
  /** Why: what `issueAuthorizationCode` has thrown, or an error of yours. By default `access_denied`: the customer has refused. */
  error?: OAuthError | undefined
}

const members = record({
  tenantKey: text,
  clientId: ofRequest('client_id'),
  redirectUri: ofRequest('redirect_uri'),
  state: ofRequest('state'),
  error: nullable(must<OAuthError>('an OAuthError, or omitted', (given) => given instanceof OAuthError)),
})

/** Makes the response to an authorization request that is refused, and tells the host. */
export async function refuseAuthorization(
  given: RefuseAuthorizationRequest,
  baseUrl: () => string,
  tenants: Tenants,
  authorizations: Authorizations,
  emit: Emit,
): Promise<{ redirectTo: string }> {
  const { tenantKey, clientId = '', redirectUri = '', state, error } = members(given, 'refuseAuthorization')
  const tenant = await tenants.find(tenantKey, baseUrl())
  await authorizations.recipient(clientId, redirectUri, tenant)
  const thrown = error ?? oauthError('access_denied', 'The customer has refused', { reason: 'declined' })
  const place = { where: 'refuseAuthorization', tenantKey, tenantId: tenant.id, clientId }
  const { code, description } = reportError(thrown, place, emit)
  const refusal = { error: code, error_description: description, state, iss: tenant.address.issuer }
  return { redirectTo: withResponse(redirectUri, refusal) }
}
