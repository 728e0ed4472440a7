import { isOAuthErrorCode, type OAuthErrorCode } from './oauth-error-codes'

/** Words for why a request was denied that say more than the OAuth error code. docs/events.md explains each. */
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
  'unknown_resource',
  'resource_gone',
  'scopes_gone',
  'scope_not_offered',
  'no_code_challenge',
  'redirect_uris_refused',
  'registration_off',
  'documents_off',
  'client_not_allowed',
  'client_gone',
  'not_authenticated',
  'authentication_failed',
  'method_off',
  'document_unavailable',
  'document_unusable',
  'tenant_gone',
  'claims_refused',
  'login_refused',
  'consent_refused',
  'store_refused',
  'guard_refused',
  'signer_refused',
  'declined',
  'malformed_token',
  'unknown_token',
  'token_expired',
  'wrong_tenant',
  'wrong_issuer',
  'subject_not_accepted',
] as const

/**
 * Why a request was denied, in a stable word for programs: one that says more than the OAuth error code, or else that code (docs/events.md).
 *
 * @useDeclaredType
 */
export type DenialReason = [...typeof denialReasons, OAuthErrorCode][number]

/** Whether a word is a reason of denials. */
export function isDenialReason(word: string | undefined): word is DenialReason {
  return denialReasons.some((known) => known === word) || isOAuthErrorCode(word)
}

/** Words of `error` events for what has failed. docs/events.md explains each. */
export const faultReasons = [
  'token_store_failed',
  'tenant_store_failed',
  'hook_failed',
  'signer_failed',
  'misconfigured',
  'unexpected',
] as const

/** What has failed, as an `error` event says it, in a stable word for programs (docs/events.md). @useDeclaredType */
export type FaultReason = (typeof faultReasons)[number]

/** The parts of a host's code that can refuse or fail, with the reason of the event for each. */
export const blames = {
  tokenStore: { refused: 'store_refused', failed: 'token_store_failed' },
  tenantStore: { refused: 'store_refused', failed: 'tenant_store_failed' },
  accessTokenClaims: { refused: 'claims_refused', failed: 'hook_failed' },
  authenticate: { refused: 'login_refused', failed: 'hook_failed' },
  pages: { refused: 'consent_refused', failed: 'hook_failed' },
  keys: { refused: 'signer_refused', failed: 'signer_failed' },
  guard: { refused: 'guard_refused', failed: 'hook_failed' },
} as const satisfies Record<string, { refused: DenialReason; failed: FaultReason }>

/** A part of a host's code that can refuse or fail. */
export type PartOfHost = keyof typeof blames
