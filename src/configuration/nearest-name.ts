/**
 * The name that somebody probably meant by a misspelt one, or undefined if none is similar. Capitals, `_` and `-` make no difference.
 *
 * @param options.maxDistance How many letters may differ. At most a quarter of them in any case: a wrong suggestion is worse than none.
 */
export function nearestName(
  misspelt: string,
  names: readonly string[],
  { maxDistance = Number.POSITIVE_INFINITY } = {},
): string | undefined {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = editDistance(lettersOf(misspelt), lettersOf(name))
    if (distance < least && distance <= Math.min(maxDistance, Math.max(misspelt.length, name.length) / 4)) {
      nearest = name
      least = distance
    }
  }
  return nearest
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** How many letters must be added, removed or replaced to turn one text into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  // A secret in place of a name can be long. No name of this library is.
  if (one.length > 64) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, its] of [...other].entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + Number(letter !== its)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
