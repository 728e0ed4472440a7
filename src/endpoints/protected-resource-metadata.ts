import { publicDocument, respondWithDocument } from '../http/responses'
import { proofAlgorithms } from '../protocol/dpop-proof'
import { oauthError } from '../protocol/oauth-error'
import { canonicalResource, type ProtectedResource } from '../protocol/resource'
import { spelledByTenant } from '../tenants/resolved-tenant'
import type { Endpoint } from './endpoint'

/** The metadata of a protected resource at a tenant (RFC 9728 section 2). */
export function protectedResourceMetadata(resource: ProtectedResource): Endpoint {
  return ({ req, res, tenant }) => {
    const { address, policy, look } = tenant
    const url = resource.urlFor(address)
    const spelling = spelledByTenant(canonicalResource(url) ?? url, tenant)
    if (spelling === undefined) throw oauthError('not_found', 'This tenant does not have this API')
    const document = publicDocument({
      resource: spelling,
      authorization_servers: [address.issuer],
      scopes_supported: scopesOf(resource, policy.scopes),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: proofAlgorithms,
      dpop_bound_access_tokens_required: policy.requireDpop || undefined,
      resource_name: look.name,
      resource_documentation: look.links.documentation,
      resource_policy_uri: look.links.privacy,
      resource_tos_uri: look.links.terms,
    })
    respondWithDocument(req, res, document)
  }
}

/** What a client can ask for: what every request needs, and what some requests need, as far as the tenant offers it. By default all. */
function scopesOf({ scopes, scopesSupported }: ProtectedResource, offered: readonly string[]): readonly string[] {
  const own = new Set([...scopes, ...scopesSupported.filter((scope) => offered.includes(scope))])
  return own.size > 0 ? [...own] : offered
}
