import { publicDocument } from '../http/public-documents'
import { respondWithDocument } from '../http/responses'
import { OAuthError } from '../protocol/oauth-error'
import type { ProtectedResource } from '../protocol/protected-resource'
import { canonicalResource } from '../protocol/resource'
import { spelledByTenant } from '../tenants/tenants'
import type { Endpoint } from './endpoint'

/** The metadata of a protected resource at a tenant (RFC 9728 section 2). */
export function protectedResourceMetadata({ scopes, urlFor }: ProtectedResource): Endpoint {
  return ({ req, res, tenant, service }) => {
    const url = urlFor(tenant.key, service.baseUrl.current(req))
    const resource = spelledByTenant(canonicalResource(url) ?? url, tenant)
    if (resource === undefined) throw new OAuthError('not_found', 'This tenant does not have this API')
    respondWithDocument(
      req,
      res,
      publicDocument({
        resource,
        authorization_servers: [tenant.issuer],
        scopes_supported: scopes.length > 0 ? scopes : tenant.scopes,
        bearer_methods_supported: ['header'],
        resource_name: tenant.name,
      }),
    )
  }
}
