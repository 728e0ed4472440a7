import { findClient } from '../clients/find-client'
import { anything, record, text } from '../option-checks'
import { OAuthError } from '../protocol/oauth-error'
import { redirectUriMatches, withResponse } from '../protocol/redirect-uri'
import type { Service } from '../service'
import { findTenant } from '../tenants/find-tenant'
import { plainJson } from './access-token-terms'
import { checkedTerms } from './authorization-request'
import { createGrant } from './create-grant'

/** An authorization request (RFC 6749 section 4.1.1) to which a customer has signed in and agreed. */
export interface AuthorizationRequest {
  tenantKey: string
  clientId: string
  /** As the request has it; must be one of the client's. */
  redirectUri: string
  /** 43 base64url characters (RFC 7636 section 4.2). */
  codeChallenge: string
  codeChallengeMethod: 'S256'
  /** The customer inside the tenant: `sub` in access tokens. */
  subject: string
  /** A list, or the `scope` of the request as it is. By default all that the tenant offers to this client. */
  scopes?: string | readonly string[] | undefined
  /** The protected API that the tokens are for (RFC 8707). By default the tenant's first. */
  resource?: string | undefined
  /** Handed back to the client with the code. */
  state?: string | undefined
  /** More claims for the access tokens of this grant: plain JSON. This library's own claims win over them. */
  claims?: Record<string, unknown> | undefined
}

/** The answer to an authorization request. */
export interface AuthorizationResponse {
  /** Valid for `authorizationCodeLifetime` seconds, and once. */
  code: string
  /** The complete URL to send the browser to, with `code`, `state` and `iss` (RFC 9207). */
  redirectTo: string
}

// Most of what it says comes from the client's own request, whose faults are the client's.
const members = record({
  tenantKey: text,
  clientId: anything<string>,
  redirectUri: anything<string>,
  codeChallenge: anything<string>,
  codeChallengeMethod: anything<'S256'>,
  subject: anything<string>,
  scopes: anything<string | readonly string[] | undefined>,
  resource: anything<string | undefined>,
  state: anything<string | undefined>,
  claims: anything<Record<string, unknown> | undefined>,
})

/** Stores a grant and gives the authorization code that redeems it. */
export async function issueAuthorizationCode(
  given: AuthorizationRequest,
  service: Service,
): Promise<AuthorizationResponse> {
  const request = members(given, 'issueAuthorizationCode')
  const { redirectUri, state, subject, claims, resource } = request
  const tenant = await findTenant(request.tenantKey, service.baseUrl.current(), service)
  const found = await findClient(request.clientId, tenant, service)
  if (!found.client.redirectUris.some((registered) => redirectUriMatches(registered, redirectUri))) {
    throw new OAuthError('unauthorized_client', 'redirect_uri is not registered for this client')
  }
  checkCustomer({ subject, claims })
  const terms = checkedTerms({ ...request, resources: resource === undefined ? [] : [resource] }, found.client, tenant)
  const code = await createGrant({ ...terms, redirectUri, subject, claims }, found, tenant, service)
  return { code, redirectTo: withResponse(redirectUri, { code, state, iss: tenant.issuer }) }
}

/** @throws {OAuthError} `invalid_request` where a customer's record cannot be signed into tokens. */
export function checkCustomer({ subject, claims }: { subject: unknown; claims?: unknown }): void {
  if (typeof subject !== 'string' || subject === '') {
    throw new OAuthError('invalid_request', 'subject must say who the customer is')
  }
  if (claims !== undefined && !plainJson(claims)) throw new OAuthError('invalid_request', 'claims must be plain JSON')
}
