import { isConfidential } from '../client-authentication/methods'
import { type Clients, type FoundClient, scopesOfferedTo } from '../clients/clients'
import { anyKey } from '../grants/credential'
import type { Agreement, Grants } from '../grants/grants'
import { isDigest } from '../protocol/digest'
import { mayUse } from '../protocol/grant-types'
import { oauthError } from '../protocol/oauth-error'
import { enterpriseOnly } from '../protocol/oauth-error-codes'
import { hasRedirectUri, withResponse } from '../protocol/redirect-uri'
import { requestedResource } from '../protocol/resource'
import { chosenScopes, grantedScopes, withImplied } from '../protocol/scope'
import type { ProtectedResources } from '../tenants/protected-resources'
import { ownClient, type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { SubmittedPage } from './consent-tokens'

/** A client that exists, and one of its own redirect URIs, to which the browser may be sent. */
export interface Recipient {
  found: FoundClient
  redirectUri: string
}

/** An authorization request as it was received (RFC 6749 section 4.1.1), by a browser or by `issueAuthorizationCode`. */
interface ReceivedRequest extends AskedFor {
  codeChallenge: string | undefined
  codeChallengeMethod: string | undefined
  /** The thumbprint of the key to which the code is to be bound (RFC 9449 section 10). */
  dpopJkt?: string | undefined
}

/** What a request asks for. */
interface AskedFor {
  /** The `scope` of the request as it is, or a list that the host has chosen. */
  scopes?: string | readonly string[] | undefined
  /** Each `resource` of the request. */
  resources: readonly string[]
  /** Lists of scopes of which each is the most that can be granted, with what they imply. */
  limits?: readonly (readonly string[] | undefined)[] | undefined
}

/** What a request is for. */
type Terms = Pick<Agreement, 'scopes' | 'resource'>

/** An authorization request that was checked. It can be granted if the customer agrees. */
export interface CheckedRequest extends Recipient, Terms {
  codeChallenge: string
  /** The key that redeems the code: a thumbprint, or any. */
  key: string | undefined
  /** The scopes, and those that they imply: what the customer is asked about. */
  permitted: readonly string[]
}

/** A checked request to which the customer has agreed. */
interface AgreedRequest extends CheckedRequest, Pick<Agreement, 'subject' | 'claims' | 'consentTo'> {
  /** The client gets it back with the code. */
  state: string | undefined
  /** The consent page on which the customer has agreed, if there was one. */
  page?: SubmittedPage | undefined
}

/** The response to an authorization request that was granted (RFC 6749 section 4.1.2). */
export interface AuthorizationResponse {
  /** Valid for `lifetimes.authorizationCode` seconds, and once. */
  code: string
  /** The complete URL to send the browser to, with `code`, `state` and `iss` (RFC 9207). */
  redirectTo: string
}

/** Authorization requests in their three stages: received, checked, agreed. */
export class Authorizations {
  readonly #clients: Clients
  readonly #grants: Grants
  readonly #announced: ProtectedResources

  constructor(clients: Clients, grants: Grants, announced: ProtectedResources) {
    this.#clients = clients
    this.#grants = grants
    this.#announced = announced
  }

  /**
   * Finds the client, and makes sure that the redirect URI is its own. Until then no browser may be sent there.
   *
   * @throws {OAuthError} `invalid_client`; `unauthorized_client` if the redirect URI is not the client's.
   */
  async recipient(clientId: string, redirectUri: string, tenant: ResolvedTenant): Promise<Recipient> {
    const found = await this.#clients.find(clientId, tenant, redirectUri)
    const { redirectUris: accepted } = found.client
    if (hasRedirectUri(accepted, redirectUri)) return { found, redirectUri }
    const fault = this.#clients.redirectUriFault(redirectUri, found, tenant)
    throw oauthError('unauthorized_client', 'redirect_uri is not registered for this client', {
      reason: 'wrong_redirect_uri',
      detail: { clientId, asked: redirectUri, accepted, fault },
    })
  }

  /**
   * Checks a received request against what the tenant offers to the client.
   *
   * @throws {OAuthError} `unauthorized_client`, `invalid_request`, `access_denied`, `invalid_scope` or `invalid_target`.
   */
  check(received: ReceivedRequest, recipient: Recipient, tenant: ResolvedTenant): CheckedRequest {
    const { codeChallenge, codeChallengeMethod, dpopJkt } = received
    const { client } = recipient.found
    if (!mayUse('authorization_code', client)) {
      throw oauthError('unauthorized_client', 'The client may not use authorization codes')
    }
    // RFC 7636 section 4.3: without a method it would be `plain`.
    if (codeChallengeMethod !== 'S256') {
      throw oauthError('invalid_request', 'code_challenge_method must be S256', {
        reason: 'no_code_challenge',
        detail: { asked: codeChallengeMethod, accepted: ['S256'] },
      })
    }
    if (typeof codeChallenge !== 'string' || !isDigest(codeChallenge)) {
      const description = 'code_challenge must be 43 base64url characters'
      throw oauthError('invalid_request', description, { reason: 'no_code_challenge' })
    }
    if (dpopJkt !== undefined && !isDigest(dpopJkt)) {
      throw oauthError('invalid_request', 'dpop_jkt must be 43 base64url characters')
    }
    if (tenant.policy.enterpriseOnly) throw oauthError('access_denied', enterpriseOnly, { reason: 'enterprise_only' })
    const terms = this.terms(received, client.clientId, tenant)
    // Said here for good: the token endpoint does not ask again what a client has published.
    const mustProve = tenant.policy.requireDpop || client.dpopBoundAccessTokens
    const key = dpopJkt ?? (mustProve ? anyKey : undefined)
    return { ...recipient, codeChallenge, key, ...terms, permitted: withImplied(terms.scopes, tenant.policy.implied) }
  }

  /**
   * Settles what a request is for: what it asks for, as far as the tenant offers it to the client.
   *
   * @throws {OAuthError} `invalid_scope` or `invalid_target`.
   */
  terms({ scopes, resources, limits = [] }: AskedFor, clientId: string, tenant: ResolvedTenant): Terms {
    const { implied, scopes: ofCompany } = tenant.policy
    const isWithin = (scope: string) => limits.every((most) => !most || withImplied(most, implied).includes(scope))
    const offered = scopesOfferedTo(clientId, tenant).filter(isWithin)
    if (offered.length === 0 && ofCompany.length > 0) {
      throw oauthError('invalid_scope', 'This tenant offers none of the scopes of the client', {
        reason: 'scope_not_offered',
        detail: { asked: ownClient(clientId, tenant)?.scopes, accepted: ofCompany, limits },
      })
    }
    const resource = resourceOf(resources, tenant)
    if (typeof scopes === 'object') return { scopes: chosenScopes(scopes, offered), resource }
    const byDefault = resources.length > 0 ? this.#scopesOf(resource, offered, tenant) : offered
    return { scopes: grantedScopes(scopes, offered, byDefault, ofCompany), resource }
  }

  /** The offered scopes that the host has announced for a resource, the required ones if there are any; or if there are none, all offered. */
  #scopesOf(resource: string, offered: readonly string[], tenant: ResolvedTenant): readonly string[] {
    const { scopes = [], scopesSupported = [] } = this.#announced.named(resource, tenant.address) ?? {}
    const own = (scopes.length > 0 ? scopes : scopesSupported).filter((scope) => offered.includes(scope))
    return own.length > 0 ? own : offered
  }

  /** Stores the grant of an agreed request. @returns The code that redeems it. */
  async agree(request: AgreedRequest, tenant: ResolvedTenant): Promise<AuthorizationResponse> {
    const code = await this.#grants.create(agreementOf(request), tenant)
    this.#clients.noteAllowed(request.found)
    return responseWith(code, request, tenant)
  }

  /** The response that the same consent page has led to before. @returns Undefined if its code can no longer be redeemed. */
  async agreedBefore(request: AgreedRequest, tenant: ResolvedTenant): Promise<AuthorizationResponse | undefined> {
    const code = await this.#grants.codeAgain(agreementOf(request), tenant)
    return code === undefined ? undefined : responseWith(code, request, tenant)
  }
}

function agreementOf(request: AgreedRequest): Agreement {
  const { client } = request.found
  return { ...request, clientId: client.clientId, isConfidential: isConfidential(client), seed: request.page?.seed }
}

function responseWith(code: string, { redirectUri, state }: AgreedRequest, { address }: ResolvedTenant) {
  return { code, redirectTo: withResponse(redirectUri, { code, state, iss: address.issuer }) }
}

function resourceOf(asked: readonly string[], tenant: ResolvedTenant): string {
  const { resources: accepted } = tenant.address
  const resource = requestedResource(asked.length > 0 ? asked : [accepted[0]], tenant.address) as string
  if (spelledByTenant(resource, tenant) !== undefined) return resource
  throw oauthError('invalid_target', 'This tenant does not have this resource', {
    reason: 'unknown_resource',
    detail: { asked, accepted },
  })
}
