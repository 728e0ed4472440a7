import { OAuthError } from './oauth-error'

/** Whether a text is one scope token (RFC 6749 section 3.3). */
export function isScopeToken(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text)
}

/** Scope tokens, each once, in the order given: of a list, or of a text that has them as a `scope` parameter does. */
export function scopesOf(scopes: string | readonly string[]): string[] {
  const tokens = typeof scopes === 'string' ? scopes.split(' ').filter((token) => token !== '') : scopes
  return [...new Set(tokens)]
}

/**
 * The scopes that a request is given out of those on offer (RFC 6749 sections 3.3 and 6).
 *
 * `offline_access` is accepted and changes nothing: every grant can be refreshed.
 *
 * @returns The requested scopes, or all that are on offer where none was requested.
 * @throws {OAuthError} `invalid_scope` where more is requested than offered.
 */
export function grantedScopes(requested: string | readonly string[] = [], offered: readonly string[]): string[] {
  const scopes = scopesOf(requested).filter((scope) => scope !== 'offline_access' || offered.includes(scope))
  // One alone: a request must not put a sentence of its own on the page that its error is read on.
  const excess = scopes.find((scope) => !offered.includes(scope))
  if (excess !== undefined) throw new OAuthError('invalid_scope', `scope asks for more than is granted: ${excess}`)
  return scopes.length > 0 ? scopes : [...offered]
}
