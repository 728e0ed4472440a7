import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import { join } from 'node:path'
import { readConfig } from 'jest-config'
import JestRunner from 'jest-runner'
import Runtime from 'jest-runtime'
import { TestWatcher } from 'jest-watcher'
import { type Outcome, type Round, runState } from './run-state'

/** A test file to run: without mutants, to see which ones its tests reach, or with each of the mutants in turn. */
export interface Job {
  path: string
  mutants?: MutantToRun[]
  /** Whether the one mutant is active while the file is loaded. */
  isAlone?: boolean
  /** How long each test takes, in milliseconds. */
  durations?: Record<string, number>
  /** When the run ends, whether all mutants have had their turn or not. */
  endsAt?: number
}

export interface MutantToRun {
  id: string
  tests: string[]
  hitLimit: number
}

/** What the tests of a file reach. */
export interface TestFile {
  path: string
  /** How long each test takes, in milliseconds. */
  durations: Record<string, number>
  /** The mutants that are reached while the file is loaded, or never again, by a test that passes, when its tests are run once more. */
  once: string[]
  /** The numbers of the tests that reach a mutant, and how often they do, by the mutant's id. */
  reached: Record<string, { tests: number[]; hits: number }>
  /** The tests that fail when they are run once more. */
  unrepeatable: string[]
}

export type Message =
  | { kind: 'alive' }
  | { kind: 'started'; id: string }
  | { kind: 'killed'; id: string; test: string; message: string }
  | { kind: 'survived'; id: string }
  /** The test fails without the mutant too, after the mutant was active, or passes the next time with it. So the mutant has to run alone. */
  | { kind: 'disturbed'; id: string; test: string }
  | { kind: 'reached'; file: TestFile }
  | { kind: 'broken'; message: string }
  | { kind: 'done'; megabytes: number }

const send = (message: Message): void => void process.send?.(message)

process.env.NODE_ENV = 'test'
const beginKeys = reuseKeys()
const endStorages = trackStorages()
const jest = startJest()
process.on('message', (job: Job) => void run(job))

async function startJest() {
  const argv = { $0: 'jest', _: [], config: 'test/mutation/jest.config.js', runInBand: true, silent: true, ci: true }
  const { globalConfig, projectConfig } = await readConfig(argv, process.cwd())
  const context = await Runtime.createContext(projectConfig, { maxWorkers: 1, watchman: false })
  return { runner: () => new JestRunner(globalConfig, {}), context }
}

async function run(job: Job): Promise<void> {
  const { path, mutants, isAlone } = job
  beginKeys()
  runState.loadedWith = isAlone ? mutants?.[0]?.id : undefined
  const outcomes: Outcome[] = []
  runState.rounds = mutants ? roundsWith(job) : roundsWithout(outcomes)
  let told = 0
  let hasBegun = false
  runState.onTest = () => {
    hasBegun = true
    if (Date.now() - told < 1000) return
    told = Date.now()
    send({ kind: 'alive' })
  }
  const fault = await runFile(join(process.cwd(), path))
  const [first, again] = outcomes
  const message =
    fault ?? (first && first.failed.length > 0 ? `${first.failed.join(', ')}: ${first.message}` : undefined)
  const [only] = isAlone && mutants ? mutants : []
  if (only && message !== undefined) send({ kind: 'killed', id: only.id, test: 'the file', message })
  else if (message !== undefined && !(mutants && hasBegun)) send({ kind: 'broken', message })
  else if (again) send({ kind: 'reached', file: reachedBy(path, again) })
  send({ kind: 'done', megabytes: process.memoryUsage.rss() / 2 ** 20 })
}

/** Returns why the file failed as a whole, if it did: it could not be loaded, or something outside of its tests failed. */
async function runFile(path: string): Promise<string | undefined> {
  let message: string | undefined
  const { runner: createRunner, context } = await jest
  const runner = createRunner()
  runner.on('test-file-failure', ([, error]) => {
    message = String(error.message)
  })
  runner.on('test-file-success', ([, { testExecError }]) => {
    if (testExecError) message = String(testExecError.message)
  })
  await runner.runTests([{ context, path }], new TestWatcher({ isWatchMode: false }), { serial: true })
  endStorages()
  return message
}

/** The tests run twice, to see which mutants and failures belong to the first time only. */
function* roundsWithout(outcomes: Outcome[]): Generator<Round, void, Outcome> {
  outcomes.push(yield { isComplete: true })
  outcomes.push(yield { isComplete: true, countsAs: 'again' })
}

function reachedBy(path: string, { durations, failed }: Outcome): TestFile {
  const { static: atLoad, perTest } = runState.reached
  const { again = {}, ...first } = perTest
  const names = Object.keys(durations)
  const all = names.map((_, number) => number)
  const reached: TestFile['reached'] = {}
  for (const [test, counts] of Object.entries(first)) {
    const number = names.indexOf(test)
    for (const [id, hits] of Object.entries(counts)) {
      reached[id] ??= { tests: [], hits: 0 }
      reached[id].tests.push(number)
      reached[id].hits += hits
    }
  }
  // Any test may be the one that fails if a mutant is in a hook.
  for (const [id, hits] of Object.entries({ ...atLoad, ...first.hooks })) reached[id] = { tests: all, hits }
  const isOnce = (id: string): boolean =>
    !!atLoad[id] || !again[id] || !reached[id]?.tests.some((test) => !failed.includes(names[test] ?? ''))
  const once = Object.keys(reached).filter(isOnce)
  return { path, durations, once, reached, unrepeatable: failed }
}

// In milliseconds. Tests that take longer come last: most mutants are killed before.
const slow = 500

function* roundsWith({
  mutants = [],
  isAlone = false,
  durations = {},
  endsAt = Number.POSITIVE_INFINITY,
}: Job): Generator<Round, void, Outcome> {
  // Those that have killed a mutant often kill the next one too.
  const killers = new Set<string>()
  const timeLimit = (test: string): number => 2000 + 4 * (durations[test] ?? 0)
  eachMutant: for (const { id, tests, hitLimit } of mutants) {
    if (Date.now() > endsAt) return
    send({ kind: 'started', id })
    const likely = isAlone ? [] : tests.filter((test) => killers.has(test))
    const isQuick = (test: string): boolean => (durations[test] ?? 0) < slow
    const others = tests.filter((test) => !likely.includes(test))
    let isKilled = false
    for (const some of [likely, others.filter(isQuick), others.filter((test) => !isQuick(test))]) {
      if (some.length === 0 || isKilled) continue
      const { failed, message, isEndless } = yield { mutant: id, tests: new Set(some), hitLimit, timeLimit }
      const [test] = failed
      if (test === undefined) continue
      if (!isAlone) {
        const only = new Set([test])
        const without = yield { tests: only, timeLimit }
        if (without.failed.length > 0) return send({ kind: 'disturbed', id, test })
        const again = yield { mutant: id, tests: only, hitLimit, timeLimit }
        if (again.failed.length === 0) {
          send({ kind: 'disturbed', id, test })
          continue eachMutant
        }
      }
      isKilled = true
      killers.add(test)
      send({ kind: 'killed', id, test, message: isEndless ? 'A loop without end' : message })
    }
    if (!isKilled) send({ kind: 'survived', id })
  }
}

/** Gives every round the same keys, because most of its time would go into making them. No key is given twice in one round. */
function reuseKeys(): () => void {
  const { generateKeyPairSync } = crypto
  const kept = new Map<string, unknown[]>()
  let [loaded, used] = [new Map<string, number>(), new Map<string, number>()]
  const generate = (...options: unknown[]): unknown => {
    const key = JSON.stringify(options)
    const pairs = kept.get(key) ?? []
    const number = used.get(key) ?? 0
    pairs[number] ??= Reflect.apply(generateKeyPairSync, undefined, options)
    kept.set(key, pairs)
    used.set(key, number + 1)
    return pairs[number]
  }
  Object.assign(crypto, { generateKeyPairSync: generate })
  runState.onLoad = () => {
    loaded = used
  }
  runState.onRound = () => {
    used = new Map(loaded)
  }
  return () => {
    used = new Map()
  }
}

/** Jest makes an `AsyncLocalStorage` for each file and keeps it enabled, which makes every promise of the later files slower. */
function trackStorages(): () => void {
  const storages: AsyncLocalStorage<unknown>[] = []
  class Tracked<Store> extends AsyncLocalStorage<Store> {
    constructor() {
      super()
      storages.push(this as AsyncLocalStorage<unknown>)
    }
  }
  // From Node 24.22 on it is a getter.
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: Tracked, configurable: true, writable: true })
  return () => {
    for (const storage of storages.splice(0)) storage.disable()
  }
}
