import { nearestName } from '../configuration/configuration-error'
import { warn } from '../configuration/warnings'

// A host may make up the names that it passes to `requireScopes`.
const maxWarnings = 20

/** Tells the operator of scopes that the host requires although nobody may be able to grant them. */
export type WarnOfScopes = (guard: string, required: readonly string[]) => void

/**
 * Warns once of each scope that is required and that the option `scopes` does not have, as a misspelt one. It is no error: a company's own
 * record may have it, and nobody can list the companies.
 *
 * @param offered The option `scopes`. Undefined if the host has not set it, so that the companies' records have them all.
 */
export function warnOfUnknownScopes(offered: readonly string[] | undefined): WarnOfScopes {
  const told = new Set<string>()
  return (guard, required) => {
    for (const scope of required) {
      if (!offered || offered.includes(scope) || told.has(scope) || told.size === maxWarnings) continue
      told.add(scope)
      const nearest = nearestName(scope, offered)
      const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`
      warn(
        'SCOPES',
        `${guard} requires ${JSON.stringify(scope)}, which the option scopes does not have.${suggestion} Customers can grant it only at a company whose record has it`,
      )
    }
  }
}
