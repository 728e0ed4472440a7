import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Mutant } from '@stryker-mutator/api/core'
import { readReached, takeOver, writeReached, writeReport } from './report.mjs'
import {
  byFolder,
  type FileResult,
  type Results,
  rateOf,
  readResults,
  sha256Of,
  tableOf,
  writeResults,
} from './results.js'
import { MutantRun, type RunMutant } from './run-mutants.mjs'
import { fillSandbox } from './sandbox.mjs'
import { isSame, mutationOf, readSurvivors, type Survivor, type Survivors } from './survivors.js'

/** Of the recorded mutants of each folder, this share has to be killed. */
const lowestRate = 0.95

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    /** Tries all mutants of a line, not one. Nothing is recorded. */
    every: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '600' },
    tests: { type: 'string', default: '' },
    processes: { type: 'string', default: `${availableParallelism() + 1}` },
  },
})

/** Runs the mutants of the files, records the results, and fails if one survives that is not in the list. */
async function main(): Promise<void> {
  const [beganAt, time] = [Date.now(), Number(options.minutes) * 60_000]
  const recorded = readResults()
  const named = new Map(sourceFiles().map((file) => [file, readFileSync(file, 'utf8')]))
  // The text that is mutated. If a file is edited during the run, it has to run again.
  const texts = options.changed ? changedSince(recorded, named) : named
  if (texts.size === 0) return print('No file has changed since its mutants were run.')
  print(`Mutants of:\n${[...texts.keys()].join('\n')}`)

  const listed = readSurvivors()
  const all = (await fillSandbox(texts)).map(toRun)
  const inList = (mutant: RunMutant): Omit<Survivor, 'reason'> =>
    mutationOf(texts.get(mutant.fileName) ?? '', mutant.location, mutant.replacement)
  const mutants = options.every ? all : oneOfEachLine(all, inList)
  const known = options.resume ? readReached(texts) : []
  if (options.resume) takeOver(mutants, texts, known)
  const isListed = (mutant: RunMutant): boolean =>
    listed[mutant.fileName]?.some((survivor) => isSame(survivor, inList(mutant))) ?? false
  const run = new MutantRun(mutants, isListed, Number(options.processes), (mutant) => {
    if (hasSurvived(mutant) && !isListed(mutant)) printSurvivor(mutant)
    recordIfFinished(mutant.fileName, mutants, texts)
  })
  const broken = await run.findTests(new RegExp(options.tests), known, beganAt + time / 2)
  writeReached(texts, run.testFiles)
  if (broken.length > 0) print(`Left out, as they fail without a mutant:\n${broken.join('\n')}`)
  print(`${new Date().toTimeString().slice(0, 8)} The tests have run without a mutant.`)
  for (const file of texts.keys()) recordIfFinished(file, mutants, texts)
  await run.runUntil(beganAt + time)
  for (const file of texts.keys()) printUnfinished(file, mutantsOf(file, mutants))
  writeReport(mutants, texts)

  const results = readResults()
  print(tableOf(results))
  const survivors = survivorsOf(mutants.filter(hasSurvived), inList)
  const fresh = without(survivors, listed)
  if (Object.keys(fresh).length > 0) fail('These mutants survive and are not in survivors.json:', fresh)
  const killed = survivorsOf(
    mutants.filter((mutant) => isListed(mutant) && !isPending(mutant) && !hasSurvived(mutant)),
    inList,
  )
  if (Object.keys(killed).length > 0)
    print(`These are in survivors.json and were killed:\n${JSON.stringify(killed, null, 2)}`)
  for (const [folder, own] of byFolder(results)) {
    if (rateOf(own) < lowestRate) fail(`Fewer than ${100 * lowestRate} % of the mutants in ${folder} are killed.`)
  }
}

/** The recorded files whose code differs from what was recorded. */
function changedSince(recorded: Results, files: ReadonlyMap<string, string>): Map<string, string> {
  const known = new Set(Object.values(recorded).map(({ file }) => file))
  const changed = [...files].filter(([, text]) => !recorded[sha256Of(text)])
  const never = changed.map(([file]) => file).filter((file) => !known.has(file))
  if (never.length > 0) print(`Never run yet, and not now: ${never.join(', ')}`)
  return new Map(changed.filter(([file]) => known.has(file)))
}

/** A mutant of each line. Its own text alone decides which one it is, so it stays the same as long as the line does. */
function oneOfEachLine(mutants: readonly RunMutant[], inList: (mutant: RunMutant) => object): RunMutant[] {
  const chosen = new Map<string, { mutant: RunMutant; digest: string }>()
  for (const mutant of mutants.filter(({ status }) => status !== 'Ignored')) {
    const line = `${mutant.fileName}:${mutant.location.start.line}`
    const digest = createHash('sha256')
      .update(JSON.stringify(inList(mutant)))
      .digest('hex')
    const other = chosen.get(line)
    if (!other || digest < other.digest) chosen.set(line, { mutant, digest })
  }
  return [...chosen.values()].map(({ mutant }) => mutant)
}

/** The lines and columns of the instrumenter are counted from 0. */
function toRun({ location: { start, end }, ...mutant }: Mutant): RunMutant {
  return {
    ...mutant,
    location: {
      start: { line: start.line + 1, column: start.column + 1 },
      end: { line: end.line + 1, column: end.column + 1 },
    },
    status: mutant.status === 'Ignored' ? 'Ignored' : 'Pending',
    survived: new Set(),
    survivedAlone: new Set(),
    disturbed: new Set(),
  }
}

function mutantsOf(file: string, mutants: readonly RunMutant[]): RunMutant[] {
  return mutants.filter(({ fileName }) => fileName === file)
}

function isPending({ status }: RunMutant): boolean {
  return status === 'Pending'
}

/** Records a source file as soon as all of its mutants have been run. */
function recordIfFinished(file: string, mutants: readonly RunMutant[], texts: ReadonlyMap<string, string>): void {
  const own = mutantsOf(file, mutants)
  if (options.every || own.length === 0 || own.some(isPending)) return
  const result = resultOf(file, own)
  const others = Object.entries(readResults()).filter(([, { file: other }]) => other !== file)
  writeResults(Object.fromEntries([...others, [sha256Of(texts.get(file) ?? ''), result]]))
  const decided = mutants.filter((mutant) => !isPending(mutant)).length
  const time = new Date().toTimeString().slice(0, 8)
  print(`${time} ${decided}/${mutants.length} ${file}: ${result.killed} killed, ${result.survived} survived`)
}

function printUnfinished(file: string, mutants: readonly RunMutant[]): void {
  const left = mutants.filter(isPending).length
  if (left > 0)
    print(`${file}: the time was up before ${left} of its ${mutants.length} mutants had run; none is recorded`)
}

function printSurvivor({ status, fileName, location: { start }, mutatorName, replacement }: RunMutant): void {
  const shown = replacement.replaceAll(/\s+/g, ' ').slice(0, 100)
  print(`${status}: ${fileName}:${start.line}:${start.column} ${mutatorName} ${shown}`)
}

function resultOf(file: string, mutants: readonly RunMutant[]): FileResult {
  const survived = mutants.filter(hasSurvived).length
  const killed = mutants.filter(({ status }) => status !== 'Ignored').length - survived
  return { file, killed, survived }
}

/** The named files and those in the named folders, in this order, or all files if none is named: all of the sources but the words of pages. */
function sourceFiles(): string[] {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const all = names.filter((name) => !name.startsWith('pages/words')).map((name) => `src/${name}`)
  return paths.length === 0 ? all : paths.flatMap((path) => all.filter((file) => file.startsWith(path)))
}

/** The mutants that no test has killed, and those that no test reaches. */
function hasSurvived({ status }: RunMutant): boolean {
  return status === 'Survived' || status === 'NoCoverage'
}

function survivorsOf(
  mutants: readonly RunMutant[],
  inList: (mutant: RunMutant) => Omit<Survivor, 'reason'>,
): Survivors {
  const survivors: Survivors = {}
  for (const mutant of mutants) {
    survivors[mutant.fileName] ??= []
    survivors[mutant.fileName]?.push({ ...inList(mutant), reason: '' })
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
