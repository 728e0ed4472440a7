/**
 * Why a request was denied: stable words for programs, where an OAuth error code says too little. An error for which none of the first
 * holds has its own code as its reason (docs/events.md).
 */
export const denialReasons = [
  'malformed_credential',
  'unknown_credential',
  'expired',
  'ended_or_lost',
  'replayed',
  'wrong_client',
  'wrong_redirect_uri',
  'wrong_code_verifier',
  'wrong_resource',
  'resource_gone',
  'scopes_gone',
  'client_gone',
  'tenant_gone',
  'claims_refused',
  'login_refused',
  'consent_refused',
  'store_refused',
  'guard_refused',
  'declined',
  'malformed_token',
  'unknown_token',
  'token_expired',
  'wrong_tenant',
  'wrong_issuer',
  'access_denied',
  'consent_required',
  'insufficient_scope',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'method_not_allowed',
  'not_found',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'other',
] as const

export type DenialReason = (typeof denialReasons)[number]

/** What has failed where an operator should look. */
export const faultReasons = [
  'token_store_failed',
  'tenant_store_failed',
  'hook_failed',
  'misconfigured',
  'unexpected',
] as const

export type FaultReason = (typeof faultReasons)[number]

/** The code parts of a host's that can fail or refuse, and what their doing so is called. */
export const blames = {
  tokenStore: { refused: 'store_refused', failed: 'token_store_failed' },
  tenantStore: { refused: 'store_refused', failed: 'tenant_store_failed' },
  accessTokenClaims: { refused: 'claims_refused', failed: 'hook_failed' },
  authenticate: { refused: 'login_refused', failed: 'hook_failed' },
  consent: { refused: 'consent_refused', failed: 'hook_failed' },
  guard: { refused: 'guard_refused', failed: 'hook_failed' },
} as const satisfies Record<string, { refused: DenialReason; failed: FaultReason }>

export type PartOfHost = keyof typeof blames
