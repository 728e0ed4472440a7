import { distinct, isObject, listOf, optional, record, scopeToken } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { packagedWords } from '../pages/languages'
import { type ScopeWords, scopeWords } from '../pages/scope-words'
import { impliedScopesOf, offlineAccess, withoutOfflineAccess } from '../protocol/scope'

/** A scope that customers can grant. */
export interface OfferedScope {
  words: ScopeWords
  /** The scopes that it is declared to imply. */
  implies: readonly string[]
}

/** The default of the option `scopes`: `profile`, in all languages of this package. */
export const defaultScopes: Readonly<Record<string, OfferedScope>> = {
  profile: {
    words: Object.fromEntries(Object.entries(packagedWords).map(([tag, { scopes }]) => [tag, scopes.profile])),
    implies: [],
  },
}

const members = record({ words: optional(scopeWords), implies: optional(distinct(scopeToken), []) })

/**
 * Checks the option `scopes`. The words for a scope without any, as in a list, are the scope itself. `offline_access` is left out: it is no
 * permission, and every client has it.
 */
export function offeredScopes(given: unknown, name: string): Readonly<Record<string, OfferedScope>> {
  if (given === undefined) return defaultScopes
  if (Array.isArray(given)) {
    const listed = withoutOfflineAccess(listOf(scopeToken)(given, name))
    return Object.fromEntries(listed.map((scope) => [scope, { words: scope, implies: [] }]))
  }
  if (!isObject(given)) throw new ConfigurationError(name, given, 'an array or an object', { quotes: true })
  const entries = Object.entries(given).map(([scope, says]): [string, OfferedScope] => {
    const path = `${name}.${scopeToken(scope, name)}`
    const { words = scope, implies } = members(isObject(says) ? says : { words: scopeWords(says, path) }, path)
    return [scope, { words, implies: withoutOfflineAccess(implies) }]
  })
  const scopes = Object.fromEntries(entries.filter(([scope]) => scope !== offlineAccess))
  checkImplied(scopes, name)
  return scopes
}

/** Checks that the scopes which others imply exist, and that none implies itself. */
function checkImplied(scopes: Readonly<Record<string, OfferedScope>>, name: string): void {
  const implied = impliedScopesOf(scopes)
  for (const [scope, { implies }] of Object.entries(scopes)) {
    const path = `${name}.${scope}.implies`
    const unknown = implies.find((other) => !Object.hasOwn(scopes, other))
    if (unknown !== undefined) {
      throw new ConfigurationError(path, unknown, 'made of scopes that the option scopes has', {
        says: `has ${JSON.stringify(unknown)}, which the option scopes does not have`,
      })
    }
    if (implied.get(scope)?.includes(scope)) {
      throw new ConfigurationError(path, implies, 'scopes that do not imply it in turn', {
        says: `leads back to ${scope}, directly or by way of others`,
      })
    }
  }
}
