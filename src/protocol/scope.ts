import { oauthError } from './oauth-error'
import type { ErrorDescription } from './oauth-error-codes'

/**
 * Asks for refresh tokens (OpenID Connect Core section 11). Every grant has them here, so this scope changes nothing: every request may name
 * it, the server's metadata does, and no company offers it, so that no API and no customer is asked for it.
 */
export const offlineAccess = 'offline_access'

/** What OpenID Connect Core calls scopes (sections 5.4 and 11). Assistants ask for these by habit. A company can offer them, except the first. */
const openIdWords = [offlineAccess, 'openid', 'profile', 'email', 'address', 'phone']

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
 * The scopes that the `scope` of a request names (RFC 6749 section 3.3), without the words of OpenID Connect that the company does not offer. It
 * is only for that parameter: a scope that is a limit or a requirement keeps every word.
 */
export function namedScopes(requested: string | undefined, offered: readonly string[]): string[] {
  return scopesOf(requested ?? '').filter((scope) => offered.includes(scope) || !openIdWords.includes(scope))
}

/**
 * The scopes that the `scope` of an authorization request gets (RFC 6749 section 3.3). Those that are not offered are left out, because
 * assistants ask for what they know from other servers.
 *
 * @param byDefault What a request gets that names no scope.
 * @param ofCompany What the company offers to any client.
 * @throws {OAuthError} `invalid_scope` if the request names scopes, and none of them is offered.
 */
export function grantedScopes(
  requested: string | undefined,
  offered: readonly string[],
  byDefault = offered,
  ofCompany = offered,
): string[] {
  const isNone = namedScopes(requested, ofCompany).length === 0
  return isNone ? [...byDefault] : offeredOf(scopesOf(requested ?? ''), offered)
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
 * @param offered What the company offers.
 * @returns The permitted scopes that the request names, or all that were granted if it names none.
 * @throws {OAuthError} `invalid_scope` if the request names scopes, and none of them was granted.
 */
export function narrowedScopes(
  requested: string | undefined,
  granted: readonly string[],
  permitted = granted,
  offered: readonly string[] = [],
): string[] {
  const named = namedScopes(requested, [...permitted, ...offered])
  if (named.length === 0) return [...granted]
  const narrowed = permitted.filter((scope) => named.includes(scope))
  if (narrowed.length > 0) return narrowed
  throw notOffered('scope names no scope that can be granted', scopesOf(requested ?? ''), granted)
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
