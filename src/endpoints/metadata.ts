import type { ClientAuthenticationMethod } from '../client-authentication/method'
import { algorithmsOf } from '../client-authentication/methods'
import type { GrantTypes } from '../grant-types/grant-type'
import { PublicDocuments, respondWithDocument } from '../http/responses'
import { proofAlgorithms } from '../protocol/dpop-proof'
import { grantTypes } from '../protocol/grant-types'
import { offlineAccess } from '../protocol/scope'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Endpoint } from './endpoint'

/** What is the same at all tenants. */
interface ServerMetadata {
  externalEndpoints: { readonly [endpoint in 'authorization' | 'registration' | 'revocation']?: string | undefined }
  grantTypes: GrantTypes
  /** The methods of client authentication that are on. */
  methods: readonly ClientAuthenticationMethod[]
  /** Of the library's pages. */
  languageTags: readonly string[]
}

/** The authorization server metadata of a tenant (RFC 8414 section 2). */
export function metadata(server: ServerMetadata): Endpoint {
  const documents = new PublicDocuments()
  return ({ req, res, tenant }) => {
    // All that is known of a tenant is resolved at once.
    const document = documents.get(tenant.address, () => members(tenant, server))
    respondWithDocument(req, res, document)
  }
}

function members(tenant: ResolvedTenant, server: ServerMetadata): object {
  const { address, policy, look } = tenant
  const { issuer, endpoints } = address
  const { externalEndpoints, methods, languageTags } = server
  const algorithms = algorithmsOf(methods)
  const offered = grantTypes.filter((name) => server.grantTypes[name].isOffered(tenant))
  const profiles = offered.flatMap((name) => server.grantTypes[name].profilesOf?.(tenant) ?? [])
  return {
    issuer,
    authorization_endpoint: externalEndpoints.authorization ?? `${endpoints}/authorize`,
    token_endpoint: `${endpoints}/token`,
    registration_endpoint:
      externalEndpoints.registration ?? (policy.registration ? `${endpoints}/register` : undefined),
    revocation_endpoint: externalEndpoints.revocation ?? `${endpoints}/revoke`,
    jwks_uri: `${endpoints}/jwks`,
    response_types_supported: ['code'],
    // `refresh_token` too: clients such as the MCP TypeScript SDK 1.17 do not refresh if it is not listed.
    grant_types_supported: offered,
    authorization_grant_profiles_supported: profiles.length > 0 ? profiles : undefined,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    dpop_signing_alg_values_supported: proofAlgorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    // Assistants ask for refresh tokens only where it is listed (SEP-2207 of MCP).
    scopes_supported: offered.includes('refresh_token') ? [...policy.scopes, offlineAccess] : policy.scopes,
    service_documentation: look.links.documentation,
    // The library's pages may not be those of the host's own endpoint.
    ui_locales_supported: externalEndpoints.authorization ? undefined : languageTags,
    op_policy_uri: look.links.privacy,
    op_tos_uri: look.links.terms,
    // Those of the host's own page too, by `issueAuthorizationCode` and `refuseAuthorization` (RFC 9207).
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: policy.metadataDocuments || undefined,
  }
}
