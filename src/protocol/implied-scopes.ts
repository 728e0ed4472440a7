/** For each scope that implies others: all that it implies, also by way of others. */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>

/** Follows what each scope is declared to imply to the end. */
export function impliedScopesOf(declared: Readonly<Record<string, readonly string[]>>): ImpliedScopes {
  const direct = new Map(Object.entries(declared))
  return new Map([...direct.keys()].map((scope) => [scope, reachedFrom(scope, direct)]))
}

/** The scopes, and after them all that they imply. Each is there once. */
export function withImplied(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  if (!scopes.some((scope) => implied.has(scope))) return scopes
  return [...new Set([...scopes, ...scopes.flatMap((scope) => implied.get(scope) ?? [])])]
}

function reachedFrom(scope: string, direct: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Set(direct.get(scope))
  // A set also goes through the members that are added on the way.
  for (const next of reached) for (const further of direct.get(next) ?? []) reached.add(further)
  return [...reached]
}
