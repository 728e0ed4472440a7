import type { Authorizations } from '../authorization/authorizations'
import type { Clients } from '../clients/clients'
import { type ClientAuthentication, tokenAudiences, useUp } from '../endpoints/requesting-client'
import { contextOf } from '../host/emitter'
import { oauthError } from '../protocol/oauth-error'
import { canonicalResource, requestedResource } from '../protocol/resource'
import { scopesOf } from '../protocol/scope'
import { isSameResource, type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { AccessTokens } from '../tokens/access-tokens'
import { type CustomerMapping, subjectOf } from '../trusted-issuers/asserted-customers'
import type { AssertedGrants } from '../trusted-issuers/asserted-grants'
import type { Assertion, Assertions } from '../trusted-issuers/assertions'
import type { GrantType, TokenRequest } from './grant-type'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

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
    isOffered: (tenant) => assertions.signCustomersIn(tenant),
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
      const { scope, issuer } = assertion
      const asked = {
        scopes: form.get('scope') ?? scope,
        resources: resourcesOf(assertion, form.all('resource'), tenant),
        limits: [scope === undefined ? undefined : scopesOf(scope), issuer.scopes],
      }
      const terms = authorizations.terms(asked, client.clientId, tenant)
      const subject = await subjectOf(assertion, client.clientId, tenant, rooms)
      // A workload that is no client is called by its own name.
      const clientId = client.clientId || subject
      const grant = asserted.draft({ ...terms, subject, clientId }, assertion, tenant)
      const issued = await tokens.issueFirst(grant, { grantType, key: client.key?.thumbprint }, tenant)
      await useUp(client, true)
      await asserted.store(grant, assertion, tenant, since)
      const vouched = { issuer: issuer.issuer, assertion: assertion.id }
      return {
        ...issued,
        scopes: terms.scopes,
        event: { type: 'issued', grantType, ...terms, ...vouched, tenantKey: tenant.key, ...contextOf(grant) },
      }
    },
  }
}

/**
 * The API that the token is for: what the assertion names, and of several the one that the request names, as far as the issuer may speak for
 * it. Empty if nobody names one: then it is the company's first.
 *
 * @throws {OAuthError} `invalid_target`.
 */
function resourcesOf(
  { resources: named, issuer: { resources: most } }: Assertion,
  asked: readonly string[],
  tenant: ResolvedTenant,
): string[] {
  if (named.length === 0 && most === undefined) return [...asked]
  const { address } = tenant
  const isWithin = (resource: string) =>
    spelledByTenant(resource, tenant) !== undefined &&
    (most ?? [resource]).some((one) => isSameResource(canonicalResource(one) ?? one, resource, tenant))
  const allowed = (named.length > 0 ? named : address.resources)
    .map((resource) => requestedResource([resource], address) ?? resource)
    .filter(isWithin)
  const wanted = requestedResource(asked, address) ?? allowed[0]
  const resource = allowed.find((one) => wanted !== undefined && isSameResource(one, wanted, tenant))
  if (resource !== undefined) return [resource]
  throw oauthError('invalid_target', 'resource is not one that the assertion is for', {
    reason: 'wrong_resource',
    detail: { asked, accepted: allowed, named },
  })
}
