export type { ConnectedGrant, GrantedScope } from './administration/connected-grants'
export type {
  CustomerGrants,
  ExportedGrant,
  GrantSelector,
  GrantsPage,
  GrantsRequest,
  PageRequest,
} from './administration/customer-grants'
export type { TenantCall, TenantData, TenantSelector } from './administration/tenant-data'
export { knownAssistants } from './assistants/assistants'
export type { AuthorizationResponse } from './authorization/authorizations'
export type { Customer } from './authorization/customer'
export type { IssueAuthorizationCodeRequest } from './authorization/issue-authorization-code'
export type { RefuseAuthorizationRequest } from './authorization/refuse-authorization'
export { type ClientSecret, newClientSecret } from './client-authentication/client-secret-basic'
export type { ClientAuthenticationMethod } from './client-authentication/method'
export { ConfigurationError } from './configuration/configuration-error'
export type { AssistantGuide, ConnectGuide, ConnectRequest } from './connect/connect'
export type { CustomerSignInEvent } from './contract/customer-sign-in-event'
export type {
  AskConsent,
  Client,
  ClientCredentials,
  ClientMetadata,
  ClientRule,
  KnownAssistant,
  Links,
  Logo,
  NullableMembers,
  Tenant,
  TenantStore,
  Theme,
  ThemeColors,
  TrustedIssuer,
} from './contract/tenant-store'
export { type CustomerSignIn, createCustomerSignIn, type MountablePages } from './customer-sign-in'
export type { DocumentSources } from './documents/document-sources'
export type { FetchMetadataDocumentHook, MetadataDocumentResponse } from './documents/guarded-fetch'
export type { ConsentHook, ConsentRequest } from './endpoints/consents'
export type { AuthenticateHook, SignInRequest } from './endpoints/customer-sessions'
export type { ErrorPageHook, ShownError } from './endpoints/error-pages'
export type {
  DocumentCounts,
  Health,
  HealthProblem,
  HealthRequest,
  KeysHealth,
  TokenStoreHealth,
} from './health/health-checks'
export type { HookAnswer } from './host/call-host'
export type { NodeRequest, NodeResponse } from './http/node-messages'
export type { ClientOptions, CustomerSignInOptions, GrantOptions, LifetimeOptions, PageOptions } from './options'
export type { ScopeWords } from './pages/scope-words'
export type { ReplacedWords, Words } from './pages/words'
export type { AdministrationOptions, SavedRules, StaffOfPage } from './pages-to-mount/administration'
export type { ConnectAssistantOptions, ReaderOfPage } from './pages-to-mount/connect-assistant'
export type { ConnectedAppsOptions, CustomerOfPage } from './pages-to-mount/connected-apps'
export type { WhoHook } from './pages-to-mount/mounted-page'
export type { GrantTypeName } from './protocol/grant-types'
export type { JsonWebKey, JsonWebKeySet } from './protocol/json-web-keys'
export { type ErrorContext, OAuthError, type OAuthErrorOptions } from './protocol/oauth-error'
export type { OAuthErrorCode } from './protocol/oauth-error-codes'
export type { SubjectKind } from './protocol/subject'
export type {
  Middleware,
  ProtectedResourceOptions,
  RequireAccessTokenOptions,
  RouteRequest,
} from './resource-server/guards'
export type { AccessTokenVerifier, VerifierOptions } from './resource-server/verifier'
export type {
  AccessTokenInfo,
  AccessTokenRequirements,
  ClientTokenInfo,
  CustomerTokenInfo,
  VerifyAccessTokenOptions,
  WorkloadTokenInfo,
} from './resource-server/verify-access-token'
export type { Handler } from './router'
export { MemoryTenantStore } from './stores/memory-tenant-store'
export { MemoryTokenStore, type MemoryTokenStoreOptions } from './stores/memory-token-store'
export { checkTenant, type TenantProblem } from './tenants/tenant-record'
export type { AccessTokenClaimsHook, AccessTokenRequest } from './tokens/access-tokens'
export type { KeyOptions } from './tokens/keyring'
export type { ExternalSigningKey, SigningAlgorithm, SigningKeyInput } from './tokens/signing-keys'
export type { AssertedCustomer, CustomerOfHook } from './trusted-issuers/asserted-customers'
export type { IssuerCheck, IssuerReport } from './trusted-issuers/check-issuer'
