import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Folders and files of `src`. A file that is named itself is not part of its folder. */
type Places = readonly string[]

/** The part of `limits.json` that says where everything stands. */
interface House {
  /** From the top down. Each layer imports only from itself and from those below it. */
  layers: readonly Places[]
  /** What stands beside the house: it imports the house, and only `visitors` import it. */
  beside: Places
  withoutHttp: Places
  /** For a kind of request, the files that one reads to follow it. */
  read: Readonly<Record<string, Places>>
}

const visitors = ['index', 'customer-sign-in', 'options']

export const root = join(__dirname, '../..')
/** The folder of the sources. A test has them counted in a copy. */
const src = process.env.LIMITS_SRC ?? join(root, 'src')
export const { layers, beside, withoutHttp, read }: House = JSON.parse(readFileSync(join(root, 'limits.json'), 'utf8'))
export const places = [...layers.flat(), ...beside]

/** The files of `src`, without `.ts`. */
export const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/').replace(/\.ts$/, ''))

/** The number of a file's layer, 1 at the top, or `beside`. Undefined if `limits.json` has no place for the file. */
export function layerOf(file: string): number | 'beside' | undefined {
  const [place] = places.filter((each) => isIn(each, file)).sort((one, other) => other.length - one.length)
  if (place === undefined) return undefined
  return beside.includes(place) ? 'beside' : layers.findIndex((layer) => layer.includes(place)) + 1
}

export function isIn(place: string, file: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}

/** The imports that lead up, and those from the house to what stands beside it; types included. */
export function arrowsUp(): string[] {
  return files.flatMap((file) =>
    ownImportsOf(file)
      .filter((imported) => !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  )
}

function mayImport(file: string, imported: string): boolean {
  const [from, to] = [layerOf(file), layerOf(imported)]
  if (from === 'beside') return true
  if (to === 'beside') return visitors.includes(file)
  return from !== undefined && to !== undefined && from <= to
}

/** The files of `src` that a file imports. */
export function ownImportsOf(file: string): string[] {
  return importsOf(file).flatMap((specifier) => {
    if (!specifier.startsWith('.')) return []
    const path = posix.join(file, '..', specifier)
    return files.includes(path) ? path : `${path}/index`
  })
}

/** What a file imports, as it is written there. */
export function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
}

export function textOf(file: string): string {
  return readFileSync(join(src, `${file}.ts`), 'utf8')
}
