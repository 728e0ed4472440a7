import { files, ownImportsOf } from './house'

type Imports = ReadonlyMap<string, string[]>

/** How circles and floors are counted. */
export const definition = `Circles and floors are counted from the imports of src, types included. A folder counts without the folders below it,
which count for themselves, as a file directly in src does. Two folders stand in a circle if each of them imports the other,
directly or through others. The floors are the most folders on one way down along the imports, each circle counted as one.`

/**
 * The circles of folders, the pairs of folders in them, and the number of floors, by the definition above. Pairs become more with each new
 * circle, with each folder that joins one, and with two that become one.
 */
export function circlesAndFloors(imports: Imports = importsOfFolders()) {
  const below = new Map([...imports.keys()].map((folder) => [folder, importedBy(folder, imports).add(folder)]))
  const circles = new Set<string>()
  const floors = new Map<string, number>()
  let pairs = 0
  // A folder leads to all that those below it lead to, and to itself: it comes after them.
  for (const [folder, others] of [...below].sort(([, one], [, other]) => one.size - other.size)) {
    const circle = [...others].filter((other) => below.get(other)?.has(folder))
    pairs += (circle.length - 1) / 2
    if (circle.length > 1) circles.add(circle.sort().join(', '))
    const lower = [...others].filter((other) => !circle.includes(other))
    floors.set(folder, 1 + Math.max(0, ...lower.map((other) => floors.get(other) ?? 0)))
  }
  return { circles: [...circles], pairs, floors: Math.max(...floors.values()) }
}

function importsOfFolders(): Imports {
  const imports = new Map<string, string[]>()
  const folderOf = (file: string) => file.replace(/\/[^/]*$/, '')
  for (const file of files) {
    const others = imports.get(folderOf(file)) ?? []
    imports.set(folderOf(file), [...others, ...ownImportsOf(file).map(folderOf)])
  }
  return imports
}

/** What imports lead to, directly or through others: a file or folder leads to itself if it stands in a circle. */
export function importedBy(from: string, imports: Imports, seen = new Set<string>()): Set<string> {
  for (const next of imports.get(from) ?? []) if (!seen.has(next)) importedBy(next, imports, seen.add(next))
  return seen
}
