import { OAuthError } from './oauth-error'

/** Whether a text is one scope token (RFC 6749 section 3.3). */
export function isScopeToken(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text)
}

/** The scope tokens of a `scope` parameter, each once, in the order given. */
export function scopesOf(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((token) => token !== ''))]
}

/**
 * The scope that a request is given out of what is on offer (RFC 6749 sections 3.3 and 6).
 *
 * `offline_access` is accepted and changes nothing: every grant can be refreshed.
 *
 * @returns The requested scope, or all of the offer where none was requested.
 * @throws {OAuthError} `invalid_scope` where more is requested than offered.
 */
export function grantedScope(requested: string | undefined, offered: readonly string[]): string {
  const scopes = scopesOf(requested ?? '').filter((scope) => scope !== 'offline_access' || offered.includes(scope))
  // One alone: a request must not put a sentence of its own on the page that its error is read on.
  const excess = scopes.find((scope) => !offered.includes(scope))
  if (excess !== undefined) throw new OAuthError('invalid_scope', `scope asks for more than is granted: ${excess}`)
  return (scopes.length > 0 ? scopes : offered).join(' ')
}
