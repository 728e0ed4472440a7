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
}

/** The test files of which one is to be run next, and whether the mutant is alone in it. */
interface Next {
  prospects: Prospect[]
  isAlone: boolean
}

interface Learned {
  /** The ids of the mutants that can only run alone in the test file. */
  onces: Set<string>
  /** How long the tests take that reach a mutant, in milliseconds, by its id. */
  times: Map<string, number>
}

interface Try {
  line: number
  isKilled: boolean
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

/** The tests in `test/unit` for each source folder, by the beginnings of their names. */
const testedIn: Record<string, string> = {
  protocol:
    'protocol/ endpoints/authorize endpoints/register endpoints/token grant-types/ resource-server/ trusted-issuers/',
  tokens: 'tokens/ why-signed-out endpoints/token resource-server/ endpoints/jwks grant-types/',
  grants:
    'endpoints/token grants/ endpoints/client- endpoints/revoke endpoints/authorize trusted-issuers/ grant-types/ tokens/set-keys',
  'grant-types': 'grant-types/ endpoints/token grants/ trusted-issuers/ client-authentication/',
  'trusted-issuers': 'trusted-issuers/ grant-types/ connect/ options',
  authorization: 'endpoints/authorize authorization/ arguments endpoints/token grant-types/ grants/bound',
  administration: 'administration/ grants/',
  endpoints:
    'endpoints/ administration/ resource-server/protected-resource-metadata router host/ grant-types/ grants/ pages/consent clients/',
  clients:
    'clients/ endpoints/register endpoints/client- endpoints/revoke endpoints/token endpoints/authorize-consent pages/ telemetry/ grant-types/ client-authentication/',
  'customer-sign-in':
    'options pages-to-mount/ health/ trusted-issuers/ resource-server/ connect/ endpoints/authorize-own clients/ tenants/ assistants/',
  configuration: 'configuration/ options arguments tenants/ connect/ resource-server/',
  assistants: 'assistants/ clients/ connect/',
  documents: 'documents/ clients/ telemetry/ trusted-issuers/',
  host: 'host/ endpoints/token telemetry/ grants/',
  contract: 'contract/ options stores/ host/ grants/',
  options: 'options arguments grants/ pages/ endpoints/authorize-remembered tenants/',
  pages: 'pages/ pages-to-mount/ endpoints/authorize-consent endpoints/error-pages',
  'resource-server': 'resource-server/ grants/bound telemetry/ tenants/ trusted-issuers/',
  connect: 'connect/ pages-to-mount/connect',
  http: 'http/ endpoints/register endpoints/authorize-injection router client-authentication/',
  router: 'router opentelemetry/ endpoints/ resource-server/protected-resource-metadata telemetry/ host/',
  tenants: 'tenants/ options endpoints/ pages/ telemetry/ opentelemetry/ grant-types/ resource-server/',
}

/** Tests that start servers, or take long: they run with the mutants of the source folder of that name alone. */
const apart = /^test\/(?:faults|unit)\/(commands|doctor|postgres|redis|store-contract|testing)\b/

/** Tests that start a process: what it reaches is not known, so it may be any mutant of their folder. */
const startsProcess = /^test\/unit\/(commands|debug\/request-log\.|doctor\/(command|login|tls))/

/** How many test files are tried for a mutant that is known to survive. */
const maxFiles = 8
/** How many are tried for any other one. A mutant that only further files kill counts as a survivor. */
const maxFilesOfUnlisted = 16
/** After so many, how long the tests take does not count any more: one that takes long may be the one that is about it. */
const maxQuickFiles = 8
/** Files that are not likely to kill a mutant are not tried if their tests take longer than this, in milliseconds. */
const maxTestTime = 1000
/** How many mutants are tried at the same time. */
const atOnce = 800
/** How many test files a mutant that has survived among others is tried in alone. */
const maxFilesAlone = 2
/** How many test files a mutant is tried in that can only run alone. */
const maxFilesOnlyAlone = 10
const mutantsPerJob = 60
/** What it takes to load a test file, and to run its tests once more, in milliseconds. */
const [timeToLoad, timeOfRound] = [2000, 50]
/** Mutants are near each other if so many lines are between them. */
const linesAround = 10
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
  readonly #files = new Map<string, TestFile & Learned>()
  /** The mutants of a source file that have been tried in a test file. */
  readonly #tries = new Map<string, Try[]>()
  readonly #disturbances = new Map<string, number>()
  readonly #busy = new Set<string>()
  #knowsAllTests = false

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

  /** The test files that have been run without mutants. */
  get testFiles(): TestFile[] {
    return [...this.#files.values()].map(({ onces: _, times: __, ...file }) => file)
  }

  /**
   * Runs the test files without mutants first, those whose path matches, the likeliest first. Returns those that fail, which are left out.
   *
   * @param known What is known from the last run, and does not have to be found out again.
   * @param endsAt If not all have run by then, no mutant counts as a survivor: one of the others may kill it.
   */
  async findTests(matching: RegExp, known: readonly TestFile[], endsAt: number): Promise<string[]> {
    const mutants = [...this.#mutants.values()]
    for (const file of known.filter(({ path }) => matching.test(path))) this.#learn(file)
    const isNew = (path: string): boolean => !this.#files.has(path) && mutants.some((mutant) => mayKill(path, mutant))
    const folders = [...new Set(mutants.map(({ fileName }) => folderOf(fileName)))]
    const isFirst = (path: string): number => Number(folders.some((folder) => isLikelyFor(folder, path)))
    const paths = testPaths().filter((path) => matching.test(path) && isNew(path))
    paths.sort((one, other) => isFirst(other) - isFirst(one))
    const broken: string[] = []
    await this.#inWorkers(
      () => {
        const path = Date.now() > endsAt ? undefined : paths.shift()
        return path === undefined ? undefined : { path }
      },
      ({ path }, message) => {
        if (message.kind === 'broken') broken.push(`${path}: ${message.message}`)
        if (message.kind === 'reached') this.#learn(message.file)
      },
    )
    this.#knowsAllTests = paths.length === 0
    return broken
  }

  #learn(file: TestFile): void {
    const { path, durations, reached, once } = file
    const tests = Object.keys(durations).map((_, number) => number)
    const inProcess = startsProcess.test(path) ? [...this.#mutants.values()] : []
    for (const { id, fileName } of inProcess)
      if (isLikelyFor(folderOf(fileName), path)) reached[id] = { tests, hits: reached[id]?.hits ?? 0 }
    this.#files.set(path, { ...file, onces: new Set(once), times: new Map() })
  }

  async runUntil(endsAt: number): Promise<void> {
    for (const mutant of this.#mutants.values()) {
      if (mutant.status !== 'Pending') continue
      if (this.#reaching(mutant).length === 0) this.#decide(mutant, 'NoCoverage')
      // The last run has tried it often enough.
      else if (!this.#next(mutant)) this.#decide(mutant, 'Survived')
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
      if (mutant.status === 'Pending' && !this.#next(mutant)) this.#decide(mutant, 'Survived')
    }
  }

  #survived(id: string, path: string, isAlone = false): void {
    const mutant = this.#mutant(id)
    mutant.survived.add(path)
    if (isAlone) mutant.survivedAlone.add(path)
    this.#countTry(mutant, path, false)
  }

  #countTry({ fileName, location }: RunMutant, path: string, isKilled: boolean): void {
    const key = `${fileName} ${path}`
    this.#tries.set(key, [...(this.#tries.get(key) ?? []), { line: location.start.line, isKilled }])
  }

  #decide(mutant: RunMutant, status: RunMutant['status']): void {
    const isSurvivor = status === 'Survived' || status === 'NoCoverage'
    if (mutant.status !== 'Pending' || (isSurvivor && !this.#knowsAllTests)) return
    mutant.status = status
    this.#onResult(mutant)
  }

  /** The job that promises most killed mutants for its time. It is about those that are next, in the order of their source files. */
  #nextJob(endsAt: number): Job | undefined {
    const pending = [...this.#mutants.values()].filter(({ id, status }) => status === 'Pending' && !this.#busy.has(id))
    const jobs = new Map<string, { path: string; isAlone: boolean; ids: string[]; chance: number; time: number }>()
    for (const mutant of pending.slice(0, atOnce)) {
      const { prospects, isAlone } = this.#next(mutant) ?? { prospects: [], isAlone: false }
      const worthOf = mutant.survived.size < maxQuickFiles ? killsPerTime : chanceOf
      const most = Math.max(...prospects.map(worthOf))
      for (const { path, chance, time } of prospects.filter((prospect) => worthOf(prospect) >= most / 2)) {
        const key = isAlone ? `${path} ${mutant.id}` : path
        const job = jobs.get(key) ?? { path, isAlone, ids: [], chance: 0, time: timeToLoad }
        job.ids.push(mutant.id)
        job.chance += chance
        job.time += timeOfRound + time
        jobs.set(key, job)
      }
    }
    const [job] = [...jobs.values()].sort((one, other) => other.chance / other.time - one.chance / one.time)
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
   * The test files that a mutant may be tried in next.
   *
   * First those in which many mutants run without loading the file again. What they leave behind in modules, such as a cache, may hide a
   * mutant, so one that survives, and is not a known survivor, runs alone in a few files.
   */
  #next(mutant: RunMutant): Next | undefined {
    const { id, survived, survivedAlone, disturbed } = mutant
    const reaching = this.#reaching(mutant)
    const prospectsIn = (files: (TestFile & Learned)[]) => files.map((file) => this.#prospect(mutant, file))
    const disturbedFiles = reaching.filter(({ path }) => disturbed.has(path) && !survivedAlone.has(path))
    if (disturbedFiles.length > 0) return { prospects: prospectsIn(disturbedFiles), isAlone: true }
    const together = reaching.filter(({ onces }) => !onces.has(id))
    const prospects = prospectsIn(together.filter(({ path }) => !survived.has(path)))
    const quick = prospects.filter(({ isLikely, time }) => isLikely || time < maxTestTime)
    const isListed = this.#isListed(mutant)
    if (survived.size < (isListed ? maxFiles : maxFilesOfUnlisted) && quick.length > 0)
      return { prospects: quick, isAlone: false }
    const most = together.length > 0 ? maxFilesAlone : maxFilesOnlyAlone
    if ((isListed && together.length > 0) || survivedAlone.size >= most) return undefined
    const notAlone = prospectsIn(reaching.filter(({ path }) => !survivedAlone.has(path)))
    return notAlone.length > 0 ? { prospects: notAlone, isAlone: true } : undefined
  }

  #reaching(mutant: RunMutant): (TestFile & Learned)[] {
    return [...this.#files.values()].filter(({ path, reached }) => reached[mutant.id] && mayKill(path, mutant))
  }

  #prospect({ id, fileName, location: { start }, survived }: RunMutant, file: TestFile & Learned): Prospect {
    const { path, times } = file
    const folder = folderOf(fileName)
    const [word = ''] = basename(fileName, '.ts').split('-')
    const isInFolder = isLikelyFor(folder, path)
    const isNamed = isInFolder && basename(path).includes(word)
    // Before any mutant of the source file has been tried in the test file.
    const first = isNamed ? 0.9 : isInFolder ? 0.3 : 0.05
    const tries = this.#tries.get(`${fileName} ${path}`) ?? []
    const inFile = shareOfKilled(tries, first)
    // A test that kills a mutant often kills those around it.
    const around = tries.filter(({ line }) => Math.abs(line - start.line) <= linesAround)
    // The more files a mutant has survived, the less likely any kills it.
    const chance = shareOfKilled(around, inFile) / (1 + survived.size / 3)
    const time = times.get(id) ?? timeOf(file, id)
    times.set(id, time)
    return { path, chance, time, isLikely: isInFolder || apart.test(path) || inFile > first }
  }

  #file(path: string): TestFile & Learned {
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

function isLikelyFor(folder: string, testPath: string): boolean {
  const starts = (testedIn[folder] ?? `${folder}/`).split(' ')
  return starts.some((start) => testPath.startsWith(`test/unit/${start}`))
}

function mayKill(testPath: string, { fileName }: RunMutant): boolean {
  const [, folder] = apart.exec(testPath) ?? []
  return folder === undefined || folder === folderOf(fileName)
}

/** How many killed mutants a file promises for its time. */
function killsPerTime({ chance, time }: Prospect): number {
  return chance / (200 + time)
}

function chanceOf({ chance }: Prospect): number {
  return chance
}

/** @param expected What to expect if little has been tried. */
function shareOfKilled(tries: readonly Try[], expected: number): number {
  return (2 * expected + tries.filter(({ isKilled }) => isKilled).length) / (2 + tries.length)
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
