import { type OAuthError, type OAuthErrorOptions, oauthError } from './oauth-error'
import type { ErrorDescription } from './oauth-error-codes'

/** Every way in which a client can authenticate at the token endpoint (RFC 7591 section 2). `none` is that of a public client. */
export const clientAuthenticationMethods = [
  'none',
  'private_key_jwt',
  'client_secret_basic',
  'client_secret_post',
] as const

/** How a client authenticates at the token endpoint: `token_endpoint_auth_method` (RFC 7591 section 2). @useDeclaredType */
export type ClientAuthenticationMethod = (typeof clientAuthenticationMethods)[number]

/** The `client_assertion_type` of a JWT (RFC 7523 section 2.2). */
export const jwtAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** RFC 9110 section 15.5.2 wants a challenge with every 401. */
export const basicChallenge = { 'WWW-Authenticate': 'Basic realm="client_id"' }

/** Whether a text is a method that this library knows. */
export function isClientAuthenticationMethod(text: unknown): text is ClientAuthenticationMethod {
  return clientAuthenticationMethods.includes(text as ClientAuthenticationMethod)
}

/** The error for a client that did not authenticate although it must. */
export function notAuthenticated(clientId: string, options: OAuthErrorOptions = {}): OAuthError {
  return refused('The client must authenticate', clientId, { reason: 'not_authenticated', ...options })
}

/** The error for a client that presented something which does not prove that the request is its own (RFC 6749 section 5.2). */
export function authenticationFailed(
  description: ErrorDescription<'invalid_client'>,
  clientId: string,
  options: OAuthErrorOptions = {},
): OAuthError {
  return refused(description, clientId, { reason: 'authentication_failed', ...options })
}

function refused(
  description: ErrorDescription<'invalid_client'>,
  clientId: string,
  options: OAuthErrorOptions,
): OAuthError {
  return oauthError('invalid_client', description, {
    headers: basicChallenge,
    ...options,
    detail: { clientId, ...options.detail },
  })
}
