import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { type FileResult, type Results, rateOf, readResults, sha256Of, tableOf, writeResults } from './results.js'
import { isSame, mutationOf, readSurvivors, type Survivors } from './survivors.js'
import { timeIsUp } from './test-files.mjs'

const folders = ['protocol', 'tokens', 'authorization', 'grants', 'endpoints', 'clients', 'http'].map(
  (name) => `src/${name}`,
)
const lowestRate = 0.9

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '600' },
  },
})

/** Runs the mutants of the files, records the results, and fails if one survives that is not in the list. */
async function main(): Promise<void> {
  const recorded = readResults()
  const named = new Map(sourceFiles().map((file) => [file, readFileSync(file, 'utf8')]))
  // The text that is mutated. If a file is edited during the run, it has to run again.
  const texts = options.changed ? changedSince(recorded, named) : named
  if (texts.size === 0) return print('No file has changed since its mutants were run.')
  print(`Mutants of:\n${[...texts.keys()].join('\n')}`)

  const mutants = await runMutants([...texts.keys()])
  const finished = [...texts.keys()].filter((file) => isFinished(file, mutantsOf(file, mutants)))
  const results = Object.fromEntries(
    finished.map((file) => [file, resultOf(mutantsOf(file, mutants), texts.get(file))]),
  )
  writeResults({ ...recorded, ...results })
  print(tableOf({ ...recorded, ...results }))

  const [survivors, listed] = [survivorsOf(mutants, texts), readSurvivors()]
  const fresh = without(survivors, listed)
  if (Object.keys(fresh).length > 0) fail('These mutants survive and are not in survivors.json:', fresh)
  const killed = without(Object.fromEntries(finished.map((file) => [file, listed[file] ?? []])), survivors)
  if (Object.keys(killed).length > 0)
    print(`These are in survivors.json and were killed:\n${JSON.stringify(killed, null, 2)}`)
  if (rateOf({ ...recorded, ...results }) < lowestRate)
    fail(`Fewer than ${100 * lowestRate} % of all mutants are killed.`)
}

/** The files whose text differs from that of their recorded result. */
function changedSince(recorded: Results, files: ReadonlyMap<string, string>): Map<string, string> {
  const never = [...files.keys()].filter((file) => !recorded[file])
  if (never.length > 0) print(`Never run yet, and not now: ${never.join(', ')}`)
  return new Map([...files].filter(([file, text]) => recorded[file] && recorded[file].sha256 !== sha256Of(text)))
}

function mutantsOf(file: string, mutants: readonly MutantResult[]): MutantResult[] {
  return mutants.filter(({ fileName }) => relative('', fileName) === file)
}

function isFinished(file: string, mutants: readonly MutantResult[]): boolean {
  const left = mutants.filter(({ statusReason }) => statusReason?.includes(timeIsUp)).length
  if (left > 0)
    print(`${file}: the time was up before ${left} of its ${mutants.length} mutants had run; none is recorded`)
  return left === 0
}

function resultOf(mutants: readonly MutantResult[], text = ''): FileResult {
  const survived = mutants.filter(hasSurvived).length
  const killed = mutants.filter(({ status }) => status !== 'Ignored').length - survived
  return { sha256: sha256Of(text), killed, survived }
}

/** The named files and those in the named folders, or all files if none is named. */
function sourceFiles(): string[] {
  const all = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  return paths.length === 0 ? all : all.filter((file) => paths.some((path) => file.startsWith(path)))
}

async function runMutants(files: string[]): Promise<MutantResult[]> {
  // For the plugin, which is TypeScript, in Stryker's processes.
  process.env.NODE_OPTIONS = '--import tsx'
  process.env.MUTATION_ENDS_AT = String(Date.now() + Number(options.minutes) * 60_000)
  const stryker = new Stryker({
    mutate: files,
    plugins: ['./test/mutation/test-files.mts'],
    testRunner: 'test-files',
    ignorers: ['prose'],
    coverageAnalysis: 'perTest',
    concurrency: 2,
    maxTestRunnerReuse: 25,
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 15,
    disableTypeChecks: false,
    // Stryker reads tsconfig.json with the API of an older TypeScript, and Jest does not need it.
    tsconfigFile: 'none',
    ignorePatterns: ['/bench', '/biome.json', '/dist'],
    tempDirName: 'reports/mutation/sandbox',
    reporters: ['progress-append-only', 'told', 'html', 'json'],
  })
  return stryker.runMutationTest()
}

/** The mutants that no test has killed, and those that no test reaches. */
function hasSurvived({ status }: MutantResult): boolean {
  return status === 'Survived' || status === 'NoCoverage'
}

function survivorsOf(mutants: readonly MutantResult[], texts: ReadonlyMap<string, string>): Survivors {
  const survivors: Survivors = {}
  for (const { fileName, location, replacement } of mutants.filter(hasSurvived)) {
    const file = relative('', fileName)
    survivors[file] ??= []
    survivors[file].push({ ...mutationOf(texts.get(file) ?? '', location, replacement), reason: '' })
  }
  return survivors
}

/** Those of the first list that are not in the second. */
function without(survivors: Survivors, others: Survivors): Survivors {
  const left = Object.entries(survivors).map(([file, list]) => {
    const rest = list.filter((survivor) => !others[file]?.some((other) => isSame(survivor, other)))
    return [file, rest] as const
  })
  return Object.fromEntries(left.filter(([, rest]) => rest.length > 0))
}

function fail(text: string, survivors?: Survivors): void {
  print(survivors ? `${text}\n${JSON.stringify(survivors, null, 2)}` : text)
  process.exitCode = 1
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

await main()
