import { type Check, listOf, nullable, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { oauthError } from '../protocol/oauth-error'
import { scopesOf } from '../protocol/scope'
import type { Tenants } from '../tenants/tenants'
import type { AuthorizationResponse, Authorizations } from './authorizations'
import { type Customer, customerClaims, customerSubject } from './customer'

/** An authorization request to which a customer has signed in and agreed, on pages of the host's own (RFC 6749 section 4.1.1). */
export interface IssueAuthorizationCodeRequest extends Pick<Customer, 'subject' | 'claims'> {
  /** The key of the tenant whose authorize page the request came to. */
  tenantKey: string
  /** As in the request. */
  clientId: string
  /** As in the request. It must be one of the client's. */
  redirectUri: string
  /** As in the request: 43 base64url characters (RFC 7636 section 4.2). */
  codeChallenge: string
  /** As in the request. Any other method is refused with `invalid_request`. */
  codeChallengeMethod: 'S256'
  /** As in the request: the thumbprint of the key to which the code is to be bound (RFC 9449 section 10). */
  dpopJkt?: string | undefined
  /**
   * The `scope` of the request as it is, of which the tenant grants what it offers; or a list that the customer or you have chosen, which is
   * granted as it is or not at all. By default the scopes that `protectedResource` announces for the `resource`, or else all scopes that the
   * tenant offers to this client.
   */
  scopes?: string | readonly string[] | undefined
  /** As in the request: the protected API that the tokens are for (RFC 8707), or an address that leads to one. By default the tenant's first. */
  resource?: string | undefined
  /** As in the request. The client gets it back with the code. */
  state?: string | undefined
}

/** Checks a parameter of the client's own request: a wrong one is the client's fault. Null counts as left out. */
export function ofRequest(parameter: string): Check<string | undefined> {
  return nullable((given) => {
    if (typeof given === 'string') return given
    throw oauthError('invalid_request', `${parameter} must be sent once, as a string`)
  })
}

/** Checks scopes. A string is the `scope` of the request. A list is the customer's or the host's choice, so an empty one must not mean all. */
const requestedScopes: Check<string | string[] | undefined> = nullable((given, name) => {
  if (Array.isArray(given) && given.length > 0) return listOf(text)(given, name)
  if (typeof given !== 'string') {
    throw new ConfigurationError(name, given, 'a string, or an array of at least one scope token, or omitted')
  }
  if (scopesOf(given).length > 0) return given
  throw oauthError('invalid_scope', 'scope is empty: leave it out to ask for all scopes of the client')
})

const members = record({
  tenantKey: text,
  clientId: ofRequest('client_id'),
  redirectUri: ofRequest('redirect_uri'),
  codeChallenge: ofRequest('code_challenge'),
  codeChallengeMethod: ofRequest('code_challenge_method'),
  dpopJkt: ofRequest('dpop_jkt'),
  subject: customerSubject,
  scopes: requestedScopes,
  resource: ofRequest('resource'),
  state: ofRequest('state'),
  claims: nullable(customerClaims),
})

/** Stores a grant and returns the authorization code that redeems it. */
export async function issueAuthorizationCode(
  given: IssueAuthorizationCodeRequest,
  baseUrl: () => string,
  tenants: Tenants,
  authorizations: Authorizations,
): Promise<AuthorizationResponse> {
  const request = members(given, 'issueAuthorizationCode')
  const { tenantKey, clientId = '', redirectUri = '', resource, subject, claims, state } = request
  const tenant = await tenants.find(tenantKey, baseUrl())
  const recipient = await authorizations.recipient(clientId, redirectUri, tenant)
  const received = { ...request, resources: resource === undefined ? [] : [resource] }
  const checked = authorizations.check(received, recipient, tenant)
  return authorizations.agree({ ...checked, subject, claims, state }, tenant)
}
