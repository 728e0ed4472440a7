// A host can tell every OAuth error by its code, and can throw no other.
import { OAuthError, type OAuthErrorCode } from 'customer-sign-in'
import type { DeniedEvent } from 'customer-sign-in/telemetry'

export function whatToDo(error: OAuthError): string {
  switch (error.code) {
    case 'invalid_grant':
    case 'invalid_token':
    case 'expired_token':
      return 'sign in again'
    case 'login_required':
    case 'consent_required':
    case 'interaction_required':
    case 'account_selection_required':
    case 'insufficient_user_authentication':
      return 'show the page'
    case 'access_denied':
    case 'insufficient_scope':
    case 'unauthorized_client':
      return 'say that it is not allowed'
    case 'invalid_client':
    case 'invalid_client_metadata':
    case 'invalid_redirect_uri':
    case 'invalid_software_statement':
    case 'unapproved_software_statement':
      return 'register again'
    case 'server_error':
    case 'temporarily_unavailable':
    case 'too_many_requests':
    case 'slow_down':
    case 'authorization_pending':
      return 'try again later'
    case 'invalid_dpop_proof':
    case 'use_dpop_nonce':
      return 'make another proof'
    case 'invalid_request':
    case 'invalid_request_object':
    case 'invalid_request_uri':
    case 'invalid_scope':
    case 'invalid_target':
    case 'method_not_allowed':
    case 'not_found':
    case 'registration_not_supported':
    case 'request_not_supported':
    case 'request_uri_not_supported':
    case 'unsupported_grant_type':
    case 'unsupported_response_type':
    case 'unsupported_token_type':
      return 'mend the request'
    default:
      return error.code satisfies never
  }
}

export function codeOf(event: DeniedEvent): OAuthErrorCode {
  // @ts-expect-error There is no such code.
  if (event.error === 'invalid_grnt') return 'invalid_grant'
  return event.error
}

export function refused(code: string): OAuthError {
  // @ts-expect-error There is no such code.
  new OAuthError('invalid_grnt', 'The customer has been deactivated')

  // @ts-expect-error Not every text is a code.
  return new OAuthError(code, 'The customer has been deactivated')
}
