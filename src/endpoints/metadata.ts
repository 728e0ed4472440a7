import type { ClientAuthenticationMethod } from '../client-authentication/method'
import { algorithmsOf } from '../client-authentication/methods'
import type { GrantTypes } from '../grant-types/grant-type'
import { PublicDocuments, respondWithDocument } from '../http/responses'
import { proofAlgorithms } from '../protocol/dpop-proof'
import { grantTypes } from '../protocol/grant-types'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Endpoint } from './endpoint'

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
// The Identity Assertion JWT Authorization Grant. Which issuers a company trusts is said to nobody.
const idJag = 'urn:ietf:params:oauth:grant-profile:id-jag'

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
    authorization_grant_profiles_supported: offered.includes(jwtBearer) ? [idJag] : undefined,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    dpop_signing_alg_values_supported: proofAlgorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    scopes_supported: policy.scopes,
    service_documentation: look.links.documentation,
    // The library's pages may not be those of the host's own endpoint.
    ui_locales_supported: externalEndpoints.authorization ? undefined : languageTags,
    op_policy_uri: look.links.privacy,
    op_tos_uri: look.links.terms,
    // Responses of this server have `iss` (RFC 9207). Whether those of the host's own endpoint do is not known.
    authorization_response_iss_parameter_supported: externalEndpoints.authorization ? undefined : true,
    client_id_metadata_document_supported: policy.metadataDocuments || undefined,
  }
}
