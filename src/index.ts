export type { IssueAuthorizationCodeRequest, IssuedAuthorizationCode } from './authorization/issue-authorization-code'
export type { RegisteredClients } from './clients/registered-clients'
export { ConfigurationError } from './configuration/configuration-error'
export { type CustomerSignIn, createCustomerSignIn } from './customer-sign-in'
export type {
  AllowedEvent,
  CustomerEvent,
  CustomerSignInEvent,
  DeclinedEvent,
  DeniedEvent,
  ErrorEvent,
  ExpiredEvent,
  GrantEvent,
  IssuedEvent,
  RefreshedEvent,
  RegisteredEvent,
  RepeatEvent,
  ReplayedEvent,
  RetriedEvent,
  RevokedEvent,
  TimedEvent,
} from './events/events'
export type { ConnectedGrant, CustomerGrants, GrantSelector } from './grants/customer-grants'
export type {
  AccessTokenClaimsHook,
  AccessTokenRequest,
  AuthenticateHook,
  ConsentHook,
  ConsentRequest,
  Customer,
  CustomerSignInOptions,
  DocumentSources,
  SignInRequest,
} from './options'
export type { CredentialKind, GrantType } from './protocol/grant-types'
export { type ErrorContext, OAuthError, type OAuthErrorOptions } from './protocol/oauth-error'
export type { OAuthErrorCode } from './protocol/oauth-error-codes'
export type { DenialReason, FaultReason } from './protocol/reasons'
export type { ProtectedResourceOptions } from './resource-server/protected-resource'
export type {
  AuthorizedRequest,
  Middleware,
  PerRequest,
  RequireAccessTokenOptions,
  TenantRequest,
} from './resource-server/require-access-token'
export type { AccessTokenVerifier, VerifierOptions } from './resource-server/verifier'
export type { AccessTokenInfo, TenantSelector, VerifyAccessTokenOptions } from './resource-server/verify-access-token'
export type { Handler } from './router'
export { MemoryTenantStore } from './stores/memory-tenant-store'
export { MemoryTokenStore, type MemoryTokenStoreOptions } from './stores/memory-token-store'
export type { Client, Tenant, TenantStore } from './stores/tenant-store'
export type {
  ClientUse,
  CreateResult,
  CredentialSwap,
  Grant,
  GrantOwner,
  Late,
  NewClient,
  NewGrant,
  RedeemedCredential,
  RegisteredClient,
  RegistrationLimits,
  ReversalResult,
  ReversedCode,
  ReversedCredential,
  SwapResult,
  SwapReversal,
  TokenStore,
} from './stores/token-store'
export type { SigningAlgorithm, SigningKeyInput } from './tokens/signing-keys'
