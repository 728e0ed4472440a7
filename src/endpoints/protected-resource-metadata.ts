import { publicDocument, respondWithDocument } from '../http/responses'
import { proofAlgorithms } from '../protocol/dpop-proof'
import { oauthError } from '../protocol/oauth-error'
import { canonicalResource, type ProtectedResource } from '../protocol/resource'
import { withoutOfflineAccess } from '../protocol/scope'
import { type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { Context } from './endpoint'

/** The metadata of a protected resource at a tenant (RFC 9728 section 2). */
export function protectedResourceMetadata({ req, res, tenant }: Context, resource: ProtectedResource): void {
  const url = resource.urlFor(tenant.address)
  const spelling = spelledByTenant(canonicalResource(url) ?? url, tenant)
  if (spelling === undefined) throw oauthError('not_found', 'This tenant does not have this API')
  respondWithDocument(
    req,
    res,
    publicDocument({
      resource: spelling,
      authorization_servers: [tenant.address.issuer],
      scopes_supported: scopesOf(resource, tenant),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: proofAlgorithms,
      dpop_bound_access_tokens_required: tenant.policy.requireDpop || undefined,
      resource_name: tenant.look.name,
      resource_documentation: tenant.look.links.documentation,
      resource_policy_uri: tenant.look.links.privacy,
      resource_tos_uri: tenant.look.links.terms,
    }),
  )
}

/** What a client can ask for: what every request needs, and what some requests need, as far as the tenant offers it. By default all. */
function scopesOf({ scopes, scopesSupported }: ProtectedResource, tenant: ResolvedTenant): readonly string[] {
  const supported = scopesSupported.filter((scope) => tenant.policy.scopes.includes(scope))
  const own = [...new Set([...scopes, ...supported])]
  return own.length > 0 ? own : withoutOfflineAccess(tenant.policy.scopes)
}
