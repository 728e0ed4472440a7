import { findClient } from '../clients/clients'
import { type Check, listOf, nullable, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { createGrant } from '../grants/grants'
import { OAuthError } from '../protocol/oauth-error'
import { redirectUriMatches, withResponse } from '../protocol/redirect-uri'
import { scopesOf } from '../protocol/scope'
import type { Service } from '../service'
import { findTenant } from '../tenants/tenants'
import { checkedTerms } from './authorization-request'
import { customerClaims } from './customer'

/** An authorization request (RFC 6749 section 4.1.1) to which a customer has signed in and agreed. */
export interface IssueAuthorizationCodeRequest {
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
export interface IssuedAuthorizationCode {
  /** Valid for `authorizationCodeLifetime` seconds, and once. */
  code: string
  /** The complete URL to send the browser to, with `code`, `state` and `iss` (RFC 9207). */
  redirectTo: string
}

/** What the client's own request says: its faults are the client's, and null is as good as nothing. */
function ofRequest(parameter: string): Check<string | undefined> {
  return (given) => {
    if (given === undefined || given === null || typeof given === 'string') return given ?? undefined
    throw new OAuthError('invalid_request', `${parameter} must be sent once, as a text`)
  }
}

/** A list is the customer's or the host's choice, of which nothing must not become all; a text is the `scope` of the request. */
const requestedScopes: Check<string[] | undefined> = (given, name) => {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'string') return chosenScopes(given, name)
  const scopes = scopesOf(given)
  if (scopes.length > 0) return scopes
  throw new OAuthError('invalid_scope', 'scope is empty: left out, it would be all that the client may have')
}

const chosenScopes: Check<string[]> = (given, name) => {
  if (Array.isArray(given) && given.length > 0) return listOf(text)(given, name)
  throw new ConfigurationError(name, given, 'a text, or an array of at least one scope token, or left out')
}

const members = record({
  tenantKey: text,
  clientId: ofRequest('client_id'),
  redirectUri: ofRequest('redirect_uri'),
  codeChallenge: ofRequest('code_challenge'),
  codeChallengeMethod: ofRequest('code_challenge_method'),
  subject: text,
  scopes: requestedScopes,
  resource: ofRequest('resource'),
  state: ofRequest('state'),
  claims: nullable(customerClaims),
})

/** Stores a grant and gives the authorization code that redeems it. */
export async function issueAuthorizationCode(
  given: IssueAuthorizationCodeRequest,
  service: Service,
): Promise<IssuedAuthorizationCode> {
  const request = members(given, 'issueAuthorizationCode')
  const { clientId = '', redirectUri = '', state, subject, claims, resource } = request
  const tenant = await findTenant(request.tenantKey, service.baseUrl.current(), service)
  const found = await findClient(clientId, tenant, service)
  if (!found.client.redirectUris.some((registered) => redirectUriMatches(registered, redirectUri))) {
    throw new OAuthError('unauthorized_client', 'redirect_uri is not registered for this client')
  }
  const terms = checkedTerms({ ...request, resources: resource === undefined ? [] : [resource] }, found.client, tenant)
  const code = await createGrant({ ...terms, redirectUri, subject, claims }, found, tenant, service)
  return { code, redirectTo: withResponse(redirectUri, { code, state, iss: tenant.issuer }) }
}
