import type { Authorizations } from '../authorization/authorizations'
import type { Clients } from '../clients/clients'
import { type ClientAuthentication, tokenAudiences, useUp } from '../endpoints/requesting-client'
import { contextOf } from '../host/emitter'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import { canonicalResource, requestedResource } from '../protocol/resource'
import { namedScopes, scopesOf, withImplied } from '../protocol/scope'
import { isSameResource, type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { AccessTokens } from '../tokens/access-tokens'
import { type CustomerMapping, subjectOf } from '../trusted-issuers/asserted-customers'
import type { AssertedGrants } from '../trusted-issuers/asserted-grants'
import { type Assertion, type Assertions, refused } from '../trusted-issuers/assertions'
import type { GrantType, TokenRequest } from './grant-type'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
// The Identity Assertion JWT Authorization Grant. Which issuers a company trusts is said to nobody.
const idJag = 'urn:ietf:params:oauth:grant-profile:id-jag'

/** What redeems assertions. */
interface AssertionRooms extends CustomerMapping {
  assertions: Assertions
  asserted: AssertedGrants
  authorizations: Authorizations
  clients: Clients
  clientAuthentication: ClientAuthentication
  tokens: AccessTokens
}

/**
 * Redeems an assertion of an issuer that the company trusts (RFC 7523 section 2.1): of a customer, by the Identity Assertion JWT Authorization
 * Grant, or of a workload. There is no refresh token: the client gets another assertion.
 */
export function jwtBearer(rooms: AssertionRooms): GrantType {
  const { assertions, asserted, authorizations, clients, clientAuthentication, tokens } = rooms
  const verified = ({ form, client, tenant }: TokenRequest) =>
    assertions.verify(
      form.required('assertion'),
      { clientId: client.clientId || undefined, audiences: tokenAudiences(tenant), key: client.key?.thumbprint },
      tenant,
    )
  return {
    isOffered: (tenant) => assertions.areTaken(tenant),
    profilesOf: (tenant) => (assertions.areTaken(tenant, 'customer') ? [idJag] : []),
    needsNoClient: true,

    // An issuer that the company trusts has named the client.
    async checkIssued(request) {
      await verified(request)
    },

    async grant(request) {
      const { client, form, tenant, since } = request
      const assertion = await verified(request)
      if (client.clientId !== '') {
        await clients.find(client.clientId, tenant)
        await clientAuthentication.checkPublic(client, tenant)
      }
      asserted.checkShare(tenant)
      const limit = limitOf(assertion, tenant)
      const asked = {
        resources: resourcesOf(assertion, form.all('resource'), tenant),
        limits: [limit, assertion.issuer.scopes],
      }
      const termsOf = (scopes: string | undefined) =>
        authorizations.terms({ ...asked, scopes }, client.clientId, tenant)
      const scope = form.get('scope')
      const namesScopes = namedScopes(scope, tenant.policy.scopes).length > 0
      // A request may name what a scope of the assertion implies.
      const widest = limit && namesScopes ? withImplied(limit, tenant.policy.implied) : limit
      const most = widest && ofAssertion(assertion, () => termsOf(widest.join(' ')))
      const terms = namesScopes ? termsOf(scope) : (most ?? termsOf(undefined))
      const subject = await subjectOf(assertion, client.clientId, tenant, rooms)
      // A workload that is no client is called by its own name.
      const clientId = client.clientId || subject
      const grant = asserted.draft({ ...terms, subject, clientId }, assertion, tenant)
      const issued = await tokens.issueFirst(grant, { grantType, key: client.key?.thumbprint }, tenant)
      await useUp(client, true)
      await asserted.store(grant, assertion, tenant, since)
      const vouched = { issuer: assertion.issuer.issuer, assertion: assertion.id }
      return {
        ...issued,
        scopes: terms.scopes,
        resource: spelledByTenant(terms.resource, tenant),
        event: { type: 'issued', grantType, ...terms, ...vouched, tenantKey: tenant.key, ...contextOf(grant) },
      }
    },
  }
}

/**
 * The most that an assertion gives. Identity providers write words of OpenID Connect into it that the company does not offer: one with nothing else
 * gives what the company's entry for its issuer says, and nothing if that names no scopes.
 */
function limitOf({ scope, issuer }: Assertion, { policy }: ResolvedTenant): readonly string[] | undefined {
  if (scope === undefined) return undefined
  return namedScopes(scope, policy.scopes).length === 0 && issuer.scopes ? issuer.scopes : scopesOf(scope)
}

/** Settles what the assertion alone is for. @throws {OAuthError} `invalid_grant` in place of `invalid_scope`: the request is not at fault. */
function ofAssertion<T>({ issuer }: Assertion, settle: () => T): T {
  try {
    return settle()
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_scope') throw error
    throw refused('names no scope that can be granted', issuer, 'scope_not_offered', error.detail)
  }
}

/**
 * The API that the token is for: what the assertion names, and of several the one that the request names, as far as the issuer may speak for
 * it. Empty if nobody names one: then it is the company's first.
 *
 * @throws {OAuthError} `invalid_grant` if the assertion names no API that it can be for, `invalid_target` if the request names another one.
 */
function resourcesOf(
  { resources: named, issuer }: Assertion,
  asked: readonly string[],
  tenant: ResolvedTenant,
): string[] {
  const { resources: most } = issuer
  if (named.length === 0 && most === undefined) return [...asked]
  const { address } = tenant
  const isWithin = (resource: string) =>
    spelledByTenant(resource, tenant) !== undefined &&
    (most ?? [resource]).some((one) => isSameResource(canonicalResource(one) ?? one, resource, tenant))
  const allowed = (named.length > 0 ? named : address.resources)
    // What is below an API is a part of it, and the assertion is for no more than that.
    .map((resource) => requestedResource([resource], address, { mayBeBelow: false }) ?? resource)
    .filter(isWithin)
  if (named.length > 0 && allowed.length === 0) {
    const detail = { asked: named, accepted: most ?? address.resources }
    throw refused('is for no API that it can be for', issuer, 'wrong_resource', detail)
  }
  const wanted = requestedResource(asked, address) ?? allowed[0]
  const resource = allowed.find((one) => wanted !== undefined && isSameResource(one, wanted, tenant))
  if (resource !== undefined) return [resource]
  throw oauthError('invalid_target', 'resource is not one that the assertion is for', {
    reason: 'wrong_resource',
    detail: { asked, accepted: allowed, named },
  })
}
