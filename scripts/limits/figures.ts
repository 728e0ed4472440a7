import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byHand } from '../docs-tables/page'
import { arrowsUp, files, floorOf, floors, read, root, textOf } from './house'
import { walkedFiles } from './walked-files'

/** What is limited, measured on the sources and on the build. @param report The JSON report of a run of all tests, for its seconds. */
export async function figuresOf(report: string | undefined): Promise<Record<string, number>> {
  const house = files.filter((file) => floorOf(file) !== 'beside')
  const cost = costOfRefresh()
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const written = pages.filter((name) => name.endsWith('.md') && !/^api\b/.test(name))
  const packed = packedPackage()
  return {
    floors: floors.length,
    'arrows up': arrowsUp().length,
    'files of src': files.length,
    'lines of src': linesOf(files.map(textOf)),
    'files of more than 300 lines without a reason': files.map(textOf).filter(isLongWithoutReason).length,
    'files of the house': house.length,
    'lines of the house': linesOf(house.map(textOf)),
    ...(await walksOf({ 'a refresh': 'refresh', 'an authorization': 'authorize', 'a guard': 'guard' })),
    'promises of a refresh': cost.promises,
    'kB allocated by a refresh': cost.kB,
    'options at the top level': membersOf('CustomerSignInOptions').length,
    'levels of options': levelsOf('CustomerSignInOptions'),
    ...exportsOfEntryPoints(),
    'lines of README.md': linesOf([readme]),
    'kB of README.md': kB(Buffer.byteLength(readme)),
    'lines of docs written by hand': linesOf(
      written.map((name) => byHand(readFileSync(join(root, 'docs', name), 'utf8'))),
    ),
    'files of the package': packed.entryCount,
    'kB of the package': kB(packed.size),
    ...(report === undefined ? {} : { 'seconds of npm test': secondsOf(report) }),
  }
}

async function walksOf(samples: Record<string, string>): Promise<Record<string, number>> {
  const walks: Record<string, number> = {}
  for (const [label, name] of Object.entries(samples)) {
    const walked = await walkedFiles(name)
    const toRead = read[name] ?? []
    const unwalked = toRead.filter((file) => !walked.includes(file))
    if (unwalked.length > 0) throw new Error(`limits.json: ${label} does not run through ${unwalked.join(', ')}`)
    walks[`files that ${label} runs through`] = walked.length
    walks[`files to read for ${label}`] = toRead.length
  }
  return walks
}

/**
 * Measured in processes of their own, whose young generation holds a whole round, so that nothing is collected meanwhile. Of the kB, the least
 * of four counts, because the compiler decides differently in each process.
 */
function costOfRefresh(): { promises: number; kB: number } {
  const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256', '--import', 'tsx']
  const measure = (): { promises: number; kB: number } =>
    JSON.parse(execFileSync(process.execPath, [...flags, join(__dirname, 'refresh-cost.ts')], { encoding: 'utf8' }))
  const costs = Array.from({ length: 4 }, measure)
  return {
    promises: Math.max(...costs.map(({ promises }) => promises)),
    kB: Math.min(...costs.map(({ kB }) => kB)),
  }
}

/** The values and the types that each entry point of the package exports. */
function exportsOfEntryPoints(): Record<string, number> {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const counts: Record<string, number> = {}
  for (const [path, { types }] of Object.entries<{ types?: string }>(exports)) {
    if (types === undefined) continue
    const isType = typesExportedBy(textOf(types.replace(/^\.\/dist\/|\.d\.ts$/g, '')))
    const entry = path.replace('.', name)
    counts[`values exported by ${entry}`] = isType.filter((is) => !is).length
    counts[`types exported by ${entry}`] = isType.filter((is) => is).length
  }
  return counts
}

/** For each export of a file, whether it is a type. */
function typesExportedBy(text: string): boolean[] {
  if (text.includes('export *')) throw new Error('Name what an entry point exports, in place of export *')
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, names = '']) =>
    [...names.matchAll(/(type )?\w+( as \w+)?/g)].map(([, ownType]) => (type ?? ownType) !== undefined),
  )
  return [...lists, ...[...text.matchAll(/^export (\w+) \w/gm)].map(([, kind = '']) => /^(interface|type)$/.test(kind))]
}

/** The declarations of the members of an interface. */
function membersOf(name: string): string[] {
  const declaration = new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, 'ms')
  const [, members] = files.map((file) => declaration.exec(textOf(file))).find((found) => found !== null) ?? []
  if (members === undefined) throw new Error(`There is no interface ${name}`)
  return [...members.matchAll(/^ {2}\w+\??[:(].*/gm)].map(([member]) => member)
}

/** How deep options are: a member whose type is called so has another level below it. */
function levelsOf(name: string): number {
  const below = membersOf(name).flatMap((member) => /: (\w+Options)\b/.exec(member)?.[1] ?? [])
  return 1 + Math.max(0, ...below.map(levelsOf))
}

/** What `npm publish` would upload, of the build that is there. */
function packedPackage(): { entryCount: number; size: number } {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent']
  return JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }))[0]
}

/** From the start of Jest to the end of its last test file. */
function secondsOf(report: string): number {
  const { startTime, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return Math.ceil((Math.max(...testResults.map(({ endTime }: { endTime: number }) => endTime)) - startTime) / 1000)
}

/** Whether a file is long, and does not begin with why. */
function isLongWithoutReason(text: string): boolean {
  return linesOf([text]) > 300 && !text.startsWith('// More than 300 lines: ')
}

function linesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
}

function kB(bytes: number): number {
  return Math.ceil(bytes / 1000)
}
