import { oauthError } from './oauth-error'
import type { ErrorDescription } from './oauth-error-codes'

/**
 * Asks for refresh tokens (OpenID Connect Core section 11). Every grant has them here, so this scope changes nothing: every request may name
 * it, and no challenge and no resource's metadata does.
 */
const offlineAccess = 'offline_access'

/** Whether a text is one scope token (RFC 6749 section 3.3). */
export function isScopeToken(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text)
}

/** Scope tokens without repetitions, in the order given. A text has a space between every two, as the parameter `scope` does. */
export function scopesOf(scopes: string | readonly string[]): string[] {
  const tokens = typeof scopes === 'string' ? scopes.split(' ').filter((token) => token !== '') : scopes
  return [...new Set(tokens)]
}

/** The scopes that say what a token is good for: all but `offline_access`. */
export function withoutOfflineAccess(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== offlineAccess)
}

/**
 * The scopes that the `scope` of an authorization request gets (RFC 6749 section 3.3). Those that are not offered are left out: assistants ask
 * for what they know from other servers, such as `openid`.
 *
 * @param byDefault What a request gets that names no scope.
 * @throws {OAuthError} `invalid_scope` if the request names scopes, and none of them is offered.
 */
export function grantedScopes(requested: string | undefined, offered: readonly string[], byDefault = offered) {
  const named = scopesOf(requested ?? '')
  return withoutOfflineAccess(named).length === 0 ? [...byDefault] : offeredOf(named, offered)
}

/**
 * The scopes that a host has chosen for a grant. Nothing is left out: a choice that cannot be granted as it is may be a mistake.
 *
 * @throws {OAuthError} `invalid_scope` if one of them is not offered, or if there is none.
 */
export function chosenScopes(chosen: readonly string[], offered: readonly string[]): string[] {
  const named = scopesOf(chosen)
  const excess = withoutOfflineAccess(named).find((scope) => !offered.includes(scope))
  if (excess === undefined) return offeredOf(named, offered)
  throw notOffered(`scope names a scope that cannot be granted: ${excess}`, named, offered)
}

function offeredOf(named: readonly string[], offered: readonly string[]): string[] {
  const granted = named.filter((scope) => offered.includes(scope))
  if (withoutOfflineAccess(granted).length > 0) return granted
  throw notOffered('scope names no scope that can be granted', named, offered)
}

/**
 * The scopes that the `scope` of a refresh gets (RFC 6749 sections 3.3 and 6): no more than were granted. All others are left out, because
 * some clients name all scopes of the server in every refresh, and the host may have added some since the customer agreed.
 *
 * @param permitted The granted scopes, and those that they imply.
 * @returns The permitted scopes that the request names, or all that were granted if it names none.
 * @throws {OAuthError} `invalid_scope` if the request names scopes, and none of them was granted.
 */
export function narrowedScopes(requested: string | undefined, granted: readonly string[], permitted = granted) {
  const named = withoutOfflineAccess(scopesOf(requested ?? ''))
  if (named.length === 0) return [...granted]
  const narrowed = permitted.filter((scope) => named.includes(scope))
  if (narrowed.length > 0) return narrowed
  throw notOffered('scope names no scope that can be granted', named, granted)
}

function notOffered(why: ErrorDescription<'invalid_scope'>, asked: readonly string[], accepted: readonly string[]) {
  return oauthError('invalid_scope', why, { reason: 'scope_not_offered', detail: { asked, accepted } })
}

/** For each scope that implies others: all that it implies, also by way of others. */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>

/** Follows what each scope is declared to imply to the end. */
export function impliedScopesOf(scopes: Readonly<Record<string, { implies: readonly string[] }>>): ImpliedScopes {
  const implied = new Map<string, readonly string[]>()
  for (const [scope, { implies }] of Object.entries(scopes)) {
    const reached = new Set(implies)
    // A set also goes through the members that are added on the way.
    for (const next of reached) for (const further of scopes[next]?.implies ?? []) reached.add(further)
    if (reached.size > 0) implied.set(scope, [...reached])
  }
  return implied
}

/** The scopes, and after them all that they imply. Each is there once. */
export function withImplied(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  if (!scopes.some((scope) => implied.has(scope))) return scopes
  return [...new Set([...scopes, ...scopes.flatMap((scope) => implied.get(scope) ?? [])])]
}
