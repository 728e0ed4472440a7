import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { INSTRUMENTER_CONSTANTS, type MutantCoverage, type MutantResult } from '@stryker-mutator/api/core'
import type { Ignorer } from '@stryker-mutator/api/ignore'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import type { Reporter } from '@stryker-mutator/api/report'
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from '@stryker-mutator/api/test-runner'
import { runCLI } from 'jest'
import { type Reached, runState } from './run-state.js'

/** Why a mutant was not run. */
export const timeIsUp = 'The time is up'

const endsAt = Number(process.env.MUTATION_ENDS_AT)

/** What the first run found out about a test file: the tests in it that reach each mutant, by the mutant's id, or that all of them do. */
interface TestFile {
  path: string
  reachedBy: Record<string, string[] | 'all'>
}

// In the sandbox, which is the working directory of all processes that run tests. The fastest file comes first.
const testFilesPath = 'test-files.json'

/** The test folders for each source folder, the likeliest first. */
const testedIn: Record<string, string[]> = {
  protocol: ['protocol/', 'endpoints/authorize', 'endpoints/register', 'endpoints/token'],
  tokens: ['tokens/', 'why-signed-out', 'endpoints/token', 'resource-server/', 'endpoints/jwks'],
  grants: ['endpoints/token', 'grants/', 'endpoints/revoke', 'faults/', 'endpoints/authorize'],
  authorization: ['endpoints/authorize', 'authorization/', 'arguments', 'endpoints/token', 'conformance/'],
  endpoints: ['endpoints/', 'resource-server/protected-resource-metadata', 'router', 'events/'],
  clients: ['clients/', 'endpoints/register', 'endpoints/token', 'endpoints/authorize-consent', 'pages/'],
  http: [
    'http/',
    'clients/metadata-documents',
    'endpoints/register',
    'endpoints/authorize-injection',
    'hosts/',
    'router',
  ],
}

/** How many files are tried for one mutant. A mutant that only further files kill counts as a survivor. */
const maxFiles = 16

/**
 * Runs the test files that reach a mutant one after the other until one fails. For Stryker, a file is a test.
 *
 * Stryker's own runner for Jest loads every test file for each mutant and goes on after a failure. Here that takes a minute or more for each
 * mutant.
 */
class TestFiles implements TestRunner {
  /** How many mutants of a source file each test file has killed. Such a file often kills the next one too. */
  readonly #kills = new Map<string, Map<string, number>>()
  #testFiles: readonly TestFile[] | undefined

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true }
  }

  /** Runs all files once, and records which tests reach which mutants. */
  async dryRun(): Promise<DryRunResult> {
    const results = await run()
    const unloadable = results.filter(({ isLoaded }) => !isLoaded)
    if (unloadable.length > 0) {
      const errors = unloadable.map(({ id, failureMessage }) => `${id}: ${failureMessage}`)
      return { status: DryRunStatus.Error, errorMessage: `These test files cannot be loaded:\n${errors.join('\n')}` }
    }
    const failed = results.filter(({ status }) => status === TestStatus.Failed)
    if (failed.length > 0)
      process.stderr.write(`Left out, as they fail without a mutant: ${failed.map(({ id }) => id).join(', ')}\n`)
    const tests = results.filter((test) => !failed.includes(test))
    const mutantCoverage: MutantCoverage = { static: {}, perTest: {} }
    const testFiles: TestFile[] = []
    for (const { id } of tests.toSorted((one, other) => one.timeSpentMs - other.timeSpentMs)) {
      const reached = runState.reached.get(`${process.cwd()}/${id}`) ?? { static: {}, perTest: {} }
      mutantCoverage.perTest[id] = hitsOf(reached)
      testFiles.push({ path: id, reachedBy: reachedByOf(reached) })
    }
    writeFileSync(testFilesPath, JSON.stringify(testFiles))
    return { status: DryRunStatus.Complete, tests, mutantCoverage }
  }

  async mutantRun({ activeMutant: { id, fileName }, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    const files = this.#filesFor(id, fileName)
    for (const [tried, { path, reachedBy }] of files.entries()) {
      if (Date.now() > endsAt) return { status: MutantRunStatus.Error, errorMessage: timeIsUp }
      const [result] = await run(path, { mutant: id, tests: reachedBy[id], hitLimit })
      if (runState.endless) return { status: MutantRunStatus.Timeout, reason: 'A loop without end' }
      if (result?.status !== TestStatus.Failed) continue
      this.#killsOf(fileName).set(path, (this.#killsOf(fileName).get(path) ?? 0) + 1)
      const { failureMessage } = result
      return { status: MutantRunStatus.Killed, killedBy: [path], failureMessage, nrOfTests: tried + 1 }
    }
    return { status: MutantRunStatus.Survived, nrOfTests: files.length }
  }

  /** The files to try, the likeliest first: those with the name of the source file, those that have killed, those of the folder, the fastest. */
  #filesFor(mutant: string, sourceFile: string): TestFile[] {
    this.#testFiles ??= JSON.parse(readFileSync(testFilesPath, 'utf8')) as TestFile[]
    const likely = testedIn[basename(dirname(sourceFile))] ?? []
    const [word = ''] = basename(sourceFile, '.ts').split('-')
    const kills = this.#killsOf(sourceFile)
    const rank = ({ path }: TestFile): number => {
      const place = likely.findIndex((start) => path.startsWith(`test/${start}`))
      const named = place !== -1 && basename(path).startsWith(word)
      return named ? -1e9 : -100 * (kills.get(path) ?? 0) + (place === -1 ? likely.length : place)
    }
    return this.#testFiles
      .filter(({ reachedBy }) => reachedBy[mutant] !== undefined)
      .sort((one, other) => rank(one) - rank(other))
      .slice(0, maxFiles)
  }

  #killsOf(sourceFile: string): Map<string, number> {
    const kills = this.#kills.get(sourceFile) ?? new Map<string, number>()
    this.#kills.set(sourceFile, kills)
    return kills
  }
}

function hitsOf({ static: loading, perTest }: Reached): Record<string, number> {
  const hits = { ...loading }
  for (const counts of Object.values(perTest)) {
    for (const [mutant, count] of Object.entries(counts)) hits[mutant] = (hits[mutant] ?? 0) + count
  }
  return hits
}

function reachedByOf({ static: loading, perTest }: Reached): TestFile['reachedBy'] {
  const reachedBy: Record<string, string[] | 'all'> = {}
  for (const [test, counts] of Object.entries(perTest)) {
    for (const mutant of Object.keys(counts)) reachedBy[mutant] = [...(reachedBy[mutant] ?? []), test]
  }
  for (const mutant of Object.keys(loading)) reachedBy[mutant] = 'all'
  return reachedBy
}

/** The result of a test file, and whether it could be loaded. */
type Ran = TestResult & { isLoaded: boolean; failureMessage?: string }

/** Runs one test file with a mutant, or all files without one. */
async function run(
  file?: string,
  { mutant, tests, hitLimit }: { mutant?: string; tests?: string[] | 'all'; hitLimit?: number | undefined } = {},
): Promise<Ran[]> {
  process.env.NODE_ENV = 'test'
  process.env[INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT_ENV_VARIABLE] = mutant ?? ''
  Object.assign(runState, { hitLimit, only: Array.isArray(tests) ? new Set(tests) : undefined })
  const { results } = await runCLI(
    {
      $0: 'jest',
      _: file ? [file] : [],
      config: 'test/mutation/jest.config.js',
      runTestsByPath: file !== undefined,
      runInBand: true,
      silent: true,
      reporters: [],
    },
    [process.cwd()],
  )
  return results.testResults.map(({ testFilePath, testExecError, testResults, perfStats }) => {
    const id = relative(process.cwd(), testFilePath)
    const about = {
      id,
      name: id,
      fileName: testFilePath,
      timeSpentMs: perfStats.runtime ?? 0,
      isLoaded: !testExecError,
    }
    const failed = testResults.find(({ status }) => status === 'failed')
    if (!failed && !testExecError) return { ...about, status: TestStatus.Success }
    const failureMessage = failed
      ? `${failed.fullName}\n${failed.failureMessages.join('\n')}`
      : (testExecError?.message ?? '')
    return { ...about, status: TestStatus.Failed, failureMessage }
  })
}

/** Leaves out texts of several words, which are written for people. */
class Prose implements Ignorer {
  shouldIgnore(path: {
    node?: { type?: string; value?: unknown; quasis?: { value: { raw: string } }[] }
  }): string | undefined {
    const { type, value, quasis = [] } = path.node ?? {}
    const text = type === 'StringLiteral' ? String(value) : quasis.map(({ value: { raw } }) => raw).join('…')
    return /\w,? \w/.test(text) ? 'A text for people' : undefined
  }
}

/** Prints each survivor as soon as it is known. */
class Told implements Reporter {
  onMutantTested({ status, fileName, location: { start }, mutatorName, replacement }: MutantResult): void {
    if (status !== 'Survived' && status !== 'NoCoverage') return
    const shown = replacement.replaceAll(/\s+/g, ' ').slice(0, 100)
    process.stdout.write(`${status}: ${relative('', fileName)}:${start.line}:${start.column} ${mutatorName} ${shown}\n`)
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, 'told', Told),
  declareClassPlugin(PluginKind.TestRunner, 'test-files', TestFiles),
  declareClassPlugin(PluginKind.Ignore, 'prose', Prose),
]
