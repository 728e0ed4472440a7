import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import type { Mutant } from '@stryker-mutator/api/core'
import { sandbox } from './sandbox.mjs'
import type { Job, Message, MutantToRun, TestFile } from './worker.js'

/** A mutant, and what has become of it. */
export interface RunMutant extends Mutant {
  status: 'Pending' | 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored'
  /** The test files that it has survived. */
  survived: Set<string>
  /** Those of them that ran with it alone. */
  survivedAlone: Set<string>
  /** The test files that it has to run in alone, as a test also failed without it, or did not fail again. */
  disturbed: Set<string>
  /** Where it is to be tried next; undefined if that has to be found out. */
  next?: Next | undefined
}

/** The test files of which one is to be run next, and whether the mutant is alone in it. */
interface Next {
  paths: string[]
  isAlone: boolean
}

/** What a test file promises for a mutant. */
interface Prospect {
  path: string
  /** How likely it kills the mutant. */
  chance: number
  /** How long its tests take that reach the mutant, in milliseconds. */
  time: number
  isLikely: boolean
}

/** The tests in `test/unit` for each source folder. */
const testedIn: Record<string, string[]> = {
  protocol: ['protocol/', 'endpoints/authorize', 'endpoints/register', 'endpoints/token'],
  tokens: ['tokens/', 'why-signed-out', 'endpoints/token', 'resource-server/', 'endpoints/jwks'],
  grants: ['endpoints/token', 'grants/', 'endpoints/client-', 'endpoints/revoke', 'endpoints/authorize'],
  authorization: ['endpoints/authorize', 'authorization/', 'arguments', 'endpoints/token', 'conformance/'],
  administration: ['administration/', 'grants/'],
  endpoints: ['endpoints/', 'administration/', 'resource-server/protected-resource-metadata', 'router', 'host/'],
  clients: [
    'clients/',
    'endpoints/register',
    'endpoints/client-',
    'endpoints/token',
    'endpoints/authorize-consent',
    'pages/',
    'telemetry/',
  ],
  assistants: ['assistants/', 'clients/', 'connect/'],
  documents: ['documents/', 'clients/', 'telemetry/'],
  host: ['host/', 'endpoints/token', 'telemetry/'],
  http: ['http/', 'endpoints/register', 'endpoints/authorize-injection', 'router'],
}

/** Tests that start servers, or take long: they run with the mutants of the source folder of that name alone. */
const apart = /^test\/(?:faults|unit)\/(commands|doctor|postgres|redis|store-contract|testing)\b/

/** Tests that start the built command: what its process reaches is not known, so it may be any mutant of their folder. */
const startsCommand = /^test\/unit\/(commands|doctor\/(command|login|tls))/

/** How many test files are tried for a mutant that is known to survive. */
const maxFiles = 16
/** How many are tried for any other one. A mutant that only further files kill counts as a survivor. */
const maxFilesOfUnlisted = 40
/** How many of them are tried in the order of what they promise. After that, mutants wait for files that others wait for too. */
const maxFilesInOrder = 3
/** Files that are not likely to kill a mutant are not tried if their tests take longer than this, in milliseconds. */
const maxTestTime = 1000
/** How many mutants are tried at the same time. */
const atOnce = 1200
/** How many test files a mutant that has survived among others is tried in alone. */
const maxFilesAlone = 2
/** How many test files a mutant is tried in that can only run alone. */
const maxFilesOnlyAlone = 6
const mutantsPerJob = 60
/** A test that fails without a mutant in so many jobs is only run with one mutant alone. */
const maxDisturbances = 3
/** A worker that has been silent for so long hangs. */
const silence = 90_000
/** Jest does not free all memory of the files that it has run. */
const maxMegabytes = 1500

/** Runs the mutants, and tells of each source file as soon as all of its mutants have been run. */
export class MutantRun {
  readonly #mutants: Map<string, RunMutant>
  readonly #isListed: (mutant: RunMutant) => boolean
  readonly #processes: number
  readonly #onResult: (mutant: RunMutant) => void
  readonly #files = new Map<string, TestFile & { onces: Set<string> }>()
  /** How many mutants of a source file have been tried in a test file, and how many of them it has killed. */
  readonly #tries = new Map<string, { all: number; killed: number }>()
  readonly #disturbances = new Map<string, number>()
  readonly #busy = new Set<string>()

  /** @param processes How many run tests at the same time. Tests wait often, for timers and for one another. */
  constructor(
    mutants: readonly RunMutant[],
    isListed: (mutant: RunMutant) => boolean,
    processes: number,
    onResult: (mutant: RunMutant) => void,
  ) {
    this.#mutants = new Map(mutants.map((mutant) => [mutant.id, mutant]))
    this.#isListed = isListed
    this.#processes = processes
    this.#onResult = onResult
  }

  /** Runs the test files without mutants first, those whose path matches. Returns those that fail, which are left out. */
  async findTests(matching: RegExp): Promise<string[]> {
    const mutants = [...this.#mutants.values()]
    const paths = testPaths().filter((path) => matching.test(path) && mutants.some((mutant) => mayKill(path, mutant)))
    const broken: string[] = []
    await this.#inWorkers(
      () => {
        const path = paths.shift()
        return path === undefined ? undefined : { path }
      },
      ({ path }, message) => {
        if (message.kind === 'broken') broken.push(`${path}: ${message.message}`)
        if (message.kind === 'reached') this.#learn(message.file)
      },
    )
    return broken
  }

  #learn(file: TestFile): void {
    const { path, durations, reached, once } = file
    const tests = Object.keys(durations).map((_, number) => number)
    const inProcesses = startsCommand.test(path) ? [...this.#mutants.values()] : []
    for (const mutant of inProcesses) if (mayKill(path, mutant)) reached[mutant.id] ??= { tests, hits: 0 }
    this.#files.set(path, { ...file, onces: new Set(once) })
  }

  async runUntil(endsAt: number): Promise<void> {
    for (const mutant of this.#mutants.values()) {
      if (mutant.status === 'Pending' && this.#reaching(mutant).length === 0) this.#decide(mutant, 'NoCoverage')
    }
    await this.#inWorkers(
      () => (Date.now() > endsAt ? undefined : this.#nextJob(endsAt)),
      (job, message) => this.#hear(job, message),
    )
  }

  #hear(job: Job, message: Message): void {
    const { path, isAlone, mutants = [] } = job
    if (message.kind === 'survived') this.#survived(message.id, path, isAlone)
    if (message.kind === 'killed') {
      const mutant = this.#mutant(message.id)
      this.#countTry(mutant, path, true)
      mutant.statusReason = `${path}: ${message.test}\n${message.message}`
      this.#decide(mutant, message.message === 'hangs' ? 'Timeout' : 'Killed')
    }
    if (message.kind === 'disturbed') {
      this.#mutant(message.id).disturbed.add(path)
      const key = `${path} ${message.test}`
      this.#disturbances.set(key, (this.#disturbances.get(key) ?? 0) + 1)
      if (this.#disturbances.get(key) === maxDisturbances) this.#file(path).unrepeatable.push(message.test)
    }
    // The file could not be loaded this time.
    if (message.kind === 'broken') for (const { id } of mutants) this.#survived(id, path, isAlone)
    if (message.kind !== 'done') return
    for (const { id } of mutants) {
      this.#busy.delete(id)
      const mutant = this.#mutant(id)
      mutant.next = this.#next(mutant)
      if (mutant.status === 'Pending' && !mutant.next) this.#decide(mutant, 'Survived')
    }
  }

  #survived(id: string, path: string, isAlone = false): void {
    const mutant = this.#mutant(id)
    mutant.survived.add(path)
    if (isAlone) mutant.survivedAlone.add(path)
    this.#countTry(mutant, path, false)
  }

  #countTry({ fileName }: RunMutant, path: string, isKilled: boolean): void {
    const key = `${fileName} ${path}`
    const { all, killed } = this.#tries.get(key) ?? { all: 0, killed: 0 }
    this.#tries.set(key, { all: all + 1, killed: killed + Number(isKilled) })
  }

  #decide(mutant: RunMutant, status: RunMutant['status']): void {
    if (mutant.status !== 'Pending') return
    mutant.status = status
    this.#onResult(mutant)
  }

  /** The test file for which most mutants wait, of those that are not decided, in the order of their source files. */
  #nextJob(endsAt: number): Job | undefined {
    const pending = [...this.#mutants.values()].filter(({ status }) => status === 'Pending').slice(0, atOnce)
    const jobs = new Map<string, { path: string; isAlone: boolean; ids: string[] }>()
    for (const mutant of pending) {
      if (this.#busy.has(mutant.id)) continue
      mutant.next ??= this.#next(mutant)
      const { paths, isAlone } = mutant.next ?? { paths: [], isAlone: false }
      for (const path of paths) {
        const key = isAlone ? `${path} ${mutant.id}` : path
        const job = jobs.get(key) ?? { path, isAlone, ids: [] }
        job.ids.push(mutant.id)
        jobs.set(key, job)
      }
    }
    const [job] = [...jobs.values()].sort((one, other) => other.ids.length - one.ids.length)
    if (!job) return
    // The other processes have to have something to do too.
    const isShared = jobs.size < this.#processes
    const most = isShared ? Math.ceil(job.ids.length / this.#processes) : mutantsPerJob
    const mutants = job.ids.slice(0, most).map((id) => this.#toRun(id, job))
    for (const { id } of mutants) this.#busy.add(id)
    return { path: job.path, isAlone: job.isAlone, mutants, durations: this.#file(job.path).durations, endsAt }
  }

  #toRun(id: string, { path, isAlone }: { path: string; isAlone: boolean }): MutantToRun {
    const { reached, durations, unrepeatable } = this.#file(path)
    const { tests: numbers, hits } = reached[id] ?? { tests: [], hits: 0 }
    const names = Object.keys(durations)
    const tests = numbers.map((number) => names[number] ?? '')
    const hitLimit = 1000 + 100 * hits
    return { id, tests: isAlone ? tests : tests.filter((test) => !unrepeatable.includes(test)), hitLimit }
  }

  /**
   * The test file that a mutant is to be tried in next.
   *
   * First those in which many mutants run without loading the file again. What they leave behind in modules, such as a cache, may hide a
   * mutant, so one that survives, and is not a known survivor, runs alone in the likeliest files.
   */
  #next(mutant: RunMutant): Next | undefined {
    const { id, survived, survivedAlone, disturbed } = mutant
    const reaching = this.#reaching(mutant)
    const [disturbedFile] = reaching.filter(({ path }) => disturbed.has(path) && !survivedAlone.has(path))
    if (disturbedFile) return { paths: [disturbedFile.path], isAlone: true }
    const together = reaching.filter(({ onces }) => !onces.has(id))
    const untried = together.filter(({ path }) => !survived.has(path))
    const [quickest] = this.#ranked(mutant, untried, ({ chance, time }) => chance / (200 + time))
    if (quickest && survived.size < maxFilesInOrder) return { paths: [quickest.path], isAlone: false }
    const byChance = ({ chance, time }: Prospect): number => chance - time / 1e6
    const likely = this.#ranked(mutant, untried, byChance).filter(
      ({ isLikely, time }) => isLikely || time < maxTestTime,
    )
    const mostFiles = this.#isListed(mutant) ? maxFiles : maxFilesOfUnlisted
    const paths = likely.slice(0, Math.max(0, mostFiles - survived.size)).map(({ path }) => path)
    if (paths.length > 0) return { paths, isAlone: false }
    const isSure = this.#isListed(mutant) && together.length > 0
    const most = together.length > 0 ? maxFilesAlone : maxFilesOnlyAlone
    const notAlone = reaching.filter(({ path }) => !survivedAlone.has(path))
    const [alone] = this.#ranked(mutant, notAlone, byChance)
    return isSure || survivedAlone.size >= most || !alone ? undefined : { paths: [alone.path], isAlone: true }
  }

  #reaching(mutant: RunMutant): (TestFile & { onces: Set<string> })[] {
    return [...this.#files.values()].filter(({ path, reached }) => reached[mutant.id] && mayKill(path, mutant))
  }

  /** The files with the highest value first. */
  #ranked(mutant: RunMutant, files: TestFile[], worthOf: (prospect: Prospect) => number): Prospect[] {
    const ranked = files.map((file) => {
      const prospect = this.#prospect(mutant, file)
      return { prospect, value: worthOf(prospect) }
    })
    return ranked.sort((one, other) => other.value - one.value).map(({ prospect }) => prospect)
  }

  #prospect({ id, fileName }: RunMutant, file: TestFile): Prospect {
    const { path } = file
    const folder = folderOf(fileName)
    const likely = testedIn[folder] ?? [`${folder}/`]
    const [word = ''] = basename(fileName, '.ts').split('-')
    const isInFolder = likely.some((start) => path.startsWith(`test/unit/${start}`))
    const isNamed = isInFolder && basename(path).startsWith(word)
    // Before any mutant of the source file has been tried in the test file.
    const first = isNamed ? 0.9 : isInFolder ? 0.3 : 0.05
    const { all, killed } = this.#tries.get(`${fileName} ${path}`) ?? { all: 0, killed: 0 }
    const chance = (2 * first + killed) / (2 + all)
    return { path, chance, time: timeOf(file, id), isLikely: isInFolder || apart.test(path) || killed > 0 }
  }

  #file(path: string): TestFile & { onces: Set<string> } {
    const file = this.#files.get(path)
    if (!file) throw new Error(`${path} has not run without a mutant`)
    return file
  }

  #mutant(id: string): RunMutant {
    const mutant = this.#mutants.get(id)
    if (!mutant) throw new Error(`No mutant has the id ${id}`)
    return mutant
  }

  /** Runs the jobs, one in each process, and asks for more after each. */
  async #inWorkers(next: () => Job | undefined, hear: (job: Job, message: Message) => void): Promise<void> {
    const idle = new Array<ChildProcess | undefined>(this.#processes).fill(undefined)
    const running = new Set<Promise<void>>()
    for (;;) {
      for (let job = next(); job; job = idle.length > 0 ? next() : undefined) {
        const child =
          idle.pop() ??
          fork('test/mutation/worker.ts', { cwd: sandbox, execArgv: ['--no-warnings', '--import', 'tsx'] })
        const work = runJob(child, job, hear).then((megabytes) => {
          running.delete(work)
          if (megabytes > maxMegabytes) child.kill('SIGKILL')
          idle.push(megabytes > maxMegabytes ? undefined : child)
        })
        running.add(work)
      }
      if (running.size === 0) break
      await Promise.race(running)
    }
    for (const child of idle) child?.kill('SIGKILL')
  }
}

/** Runs a job until it is done, or until the worker hangs or exits. Returns the memory that the worker takes then. */
async function runJob(child: ChildProcess, job: Job, hear: (job: Job, message: Message) => void): Promise<number> {
  let current: string | undefined
  return new Promise((resolve) => {
    const end = (megabytes: number): void => {
      clearTimeout(timer)
      child.removeAllListeners()
      resolve(megabytes)
    }
    const fail = (): void => {
      if (current !== undefined && job.isAlone)
        hear(job, { kind: 'killed', id: current, test: 'a test', message: 'hangs' })
      else if (current !== undefined) hear(job, { kind: 'disturbed', id: current, test: 'a test' })
      else hear(job, { kind: 'broken', message: 'The worker hangs' })
      hear(job, { kind: 'done', megabytes: 0 })
      end(Number.POSITIVE_INFINITY)
    }
    const timer = setTimeout(fail, silence)
    child.on('exit', fail)
    child.on('message', (message: Message) => {
      timer.refresh()
      if (message.kind === 'started') current = message.id
      hear(job, message)
      if (message.kind === 'done') end(message.megabytes)
    })
    child.send(job)
  })
}

/** The name of the folder in `src`, or that of the file without a folder. */
function folderOf(source: string): string {
  return basename(source.split('/')[1] ?? '', '.ts')
}

function mayKill(testPath: string, { fileName }: RunMutant): boolean {
  const [, folder] = apart.exec(testPath) ?? []
  return folder === undefined || folder === folderOf(fileName)
}

/** How long the tests that reach the mutant take, in milliseconds. */
function timeOf({ reached, durations }: TestFile, id: string): number {
  const times = Object.values(durations)
  return (reached[id]?.tests ?? []).reduce((sum, test) => sum + (times[test] ?? 0), 0)
}

function testPaths(): string[] {
  const { testPathIgnorePatterns } = createRequire(import.meta.url)('./jest.config.js') as {
    testPathIgnorePatterns: string[]
  }
  const leftOut = new RegExp(testPathIgnorePatterns.join('|'))
  const paths = readdirSync(`${sandbox}/test`, { recursive: true, encoding: 'utf8' }).map((path) => `test/${path}`)
  return paths.filter((path) => path.endsWith('.test.ts') && !leftOut.test(`/${path}`))
}
