import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const src = join(__dirname, '../../src')

// From the top down. Each floor imports only from itself and from those below it.
const floors = [
  'index',
  'redis',
  'postgres',
  'opentelemetry',
  'cli',
  'testing',
  'customer-sign-in',
  'options',
  'debug',
  'router',
  'endpoints',
  'resource-server',
  'connect',
  'authorization',
  'grants',
  'tokens',
  'clients',
  'tenants',
  'events',
  'stores',
  'pages',
  'http',
  'configuration',
  'collections',
  'telemetry',
  'protocol',
]

const withoutHttp = [
  'connect',
  'authorization',
  'grants',
  'tokens',
  'clients',
  'tenants',
  'events',
  'stores',
  'protocol',
]

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/').replace(/\.ts$/, ''))

describe('the source', () => {
  it('has a floor for every file', () => {
    expect(files.filter((file) => !floors.includes(floorOf(file)))).toEqual([])
  })

  it('has no floor without files', () => {
    expect(floors.filter((floor) => !files.some((file) => floorOf(file) === floor))).toEqual([])
  })

  it('imports only from the same floor and those below, types included', () => {
    const up = files.flatMap((file) =>
      importsOf(file)
        .map((specifier) => ownFile(specifier, file))
        .filter(
          (imported) => imported !== undefined && floors.indexOf(floorOf(imported)) < floors.indexOf(floorOf(file)),
        )
        .map((imported) => `${file} imports ${imported}`),
    )
    expect(up).toEqual([])
  })

  it('has no circular imports', () => {
    const imports = new Map(files.map((file) => [file, importsOf(file).flatMap((name) => ownFile(name, file) ?? [])]))
    const reached = (file: string, seen = new Set<string>()): Set<string> => {
      for (const next of imports.get(file) ?? []) if (!seen.has(next)) reached(next, seen.add(next))
      return seen
    }
    expect(files.filter((file) => reached(file).has(file))).toEqual([])
  })

  it('keeps HTTP out of the rooms, and out of the files below them that do not use it', () => {
    const outside = files.filter((file) => withoutHttp.includes(floorOf(file)))
    expect(outside.filter((file) => importsOf(file).includes('node:http'))).toEqual([])
  })
})

/** A folder of `src`, or a file that lies in none. */
function floorOf(file: string): string {
  return file.split('/', 1)[0] ?? ''
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, `${file}.ts`), 'utf8')
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
}

/** The file of this library that a relative import names. */
function ownFile(specifier: string, importer: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = posix.join(importer, '..', specifier)
  return files.includes(path) ? path : `${path}/index`
}
