/**
 * The name that a misspelt one was most likely meant to be, or undefined where none is near. Capitals and what stands between words
 * make no difference.
 *
 * @param options.most How many letters may differ. By default a quarter, as a suggestion that was not meant is worse than none.
 */
export function nearestName(
  misspelt: string,
  names: readonly string[],
  { most = Number.POSITIVE_INFINITY } = {},
): string | undefined {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = editDistance(lettersOf(misspelt), lettersOf(name))
    if (distance < least && distance <= Math.min(most, Math.max(misspelt.length, name.length) / 4)) {
      nearest = name
      least = distance
    }
  }
  return nearest
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** How many letters must be added, removed or replaced to make one text of the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  // A secret in place of a name can be long; no name of ours is.
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
