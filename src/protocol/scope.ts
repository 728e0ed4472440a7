import { oauthError } from './oauth-error'

/** Whether a text is one scope token (RFC 6749 section 3.3). */
export function isScopeToken(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text)
}

/** Scope tokens without repetitions, in the order given. A text has a space between every two, as the parameter `scope` does. */
export function scopesOf(scopes: string | readonly string[]): string[] {
  const tokens = typeof scopes === 'string' ? scopes.split(' ').filter((token) => token !== '') : scopes
  return [...new Set(tokens)]
}

/**
 * The scopes that a request gets out of those that are offered (RFC 6749 sections 3.3 and 6).
 *
 * `offline_access` is accepted and changes nothing, because every grant can be refreshed.
 *
 * @returns The requested scopes, or all that are offered if the request names none.
 * @throws {OAuthError} `invalid_scope` if a requested scope is not offered.
 */
export function grantedScopes(requested: string | readonly string[] = [], offered: readonly string[]): string[] {
  const scopes = scopesOf(requested).filter((scope) => scope !== 'offline_access' || offered.includes(scope))
  // The error names one scope only. With several, a request could write a sentence onto the page that shows the error.
  const excess = scopes.find((scope) => !offered.includes(scope))
  if (excess !== undefined) throw oauthError('invalid_scope', `scope names a scope that cannot be granted: ${excess}`)
  return scopes.length > 0 ? scopes : [...offered]
}
