import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byHand } from '../docs-tables/page'
import { circlesAndFloors } from './circles'
import { arrowsUp, files, layerOf, read, root, textOf } from './house'
import { walkedFiles } from './walked-files'

export type Figures = Record<string, number>

/** What is counted in the sources, the docs and the tests. @param report The JSON report of a run of all tests, for its seconds. */
export function figuresOfSources(report?: string): Figures {
  const house = files.filter((file) => layerOf(file) !== 'beside')
  const { pairs, floors } = circlesAndFloors()
  const [readme = ''] = textsOf(/^README\.md$/)
  const tests = textsOf(/^test\/.*\.[cm]?[jt]s$/)
  return {
    'arrows up': arrowsUp().length,
    'pairs of folders in a circle': pairs,
    floors,
    'files of src': files.length,
    'lines of src': linesOf(files.map(textOf)),
    'files of more than 300 lines without a reason': files.map(textOf).filter(isLongWithoutReason).length,
    'files of the house': house.length,
    'lines of the house': linesOf(house.map(textOf)),
    'options at the top level': membersOf('CustomerSignInOptions').length,
    'levels of options': levelsOf('CustomerSignInOptions'),
    ...exportsOfEntryPoints(),
    'lines of README.md': linesOf([readme]),
    'kB of README.md': kB(Buffer.byteLength(readme)),
    'lines of docs written by hand': linesOf(textsOf(/^docs\/(?!api\b).*\.md$/).map(byHand)),
    'files of test': tests.length,
    'lines of test': linesOf(tests),
    ...(report === undefined ? {} : { 'seconds of npm test': secondsOf(report) }),
  }
}

/** What is measured on the build. @param tarball The packed package. Otherwise it is packed of the build. */
export async function figuresOfBuild(tarball?: string): Promise<Figures> {
  const cost = costOfRefresh()
  const packed = packedPackage(tarball)
  return {
    ...(await walksOf({ 'a refresh': 'refresh', 'an authorization': 'authorize', 'a guard': 'guard' })),
    'promises of a refresh': cost.promises,
    'kB allocated by a refresh': cost.kB,
    'files of the package': packed.entryCount,
    'kB of the package': kB(packed.size),
  }
}

/** The texts of our own files that are named so: those in Git, and those that are not there yet, but would not be ignored. */
function textsOf(name: RegExp): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const names = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  const paths = names.filter((each) => name.test(each)).map((each) => join(root, each))
  return paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'))
}

async function walksOf(samples: Record<string, string>): Promise<Figures> {
  const walks: Figures = {}
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

/** Measured in a process of its own, whose young generation holds a whole round, so that nothing is collected meanwhile. */
function costOfRefresh(): { promises: number; kB: number } {
  const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256', '--import', 'tsx']
  return JSON.parse(
    execFileSync(process.execPath, [...flags, join(__dirname, 'refresh-cost.ts')], { encoding: 'utf8' }),
  )
}

/** The values and the types that each entry point of the package exports. */
function exportsOfEntryPoints(): Figures {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const counts: Figures = {}
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

/** What `npm publish` would upload, of a tarball or a folder. */
function packedPackage(packed = '.'): { entryCount: number; size: number } {
  const args = ['pack', packed, '--dry-run', '--json', '--ignore-scripts', '--silent']
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
