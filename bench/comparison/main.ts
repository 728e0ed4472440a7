import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Database } from '../database'
import { startDatabase } from '../databases'
import { type Entry, lineup, type ServerName, type WorkloadName, workloadNames } from '../lineup'
import { Load } from '../measure'
import { hasPostgres, PostgresServer } from '../postgres-server'
import { moveToLoadCore, pinned } from '../processor-cores'
import { RedisServer } from '../redis-server'
import { ServerProcess } from '../server-process'
import { workloads } from '../workloads'
import { resultsFolder } from '../write-results'
import { beginKeeping, type Keeping, type KeepingOptions } from './keeping'
import { nodeMajor, runOnEach } from './node-versions'
import { aboutThis, type Profiled, report } from './report'
import { type Run, rowsOf } from './rows'
import { sharesOf } from './where-time-goes'

// The servers of the tables that show where the time goes, in the order of the columns.
const profiled: readonly ServerName[] = [
  'F1',
  'customer-sign-in',
  'customer-sign-in, PostgreSQL',
  'FX',
  'customer-sign-in in Express 5',
  'customer-sign-in in Express 5, PostgreSQL',
]
const profiledWorkloads: readonly WorkloadName[] = ['refresh', 'metadata']
const profiledRounds = 30

const { values: options } = parseArgs({
  options: {
    /** Runs everything once and briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    /** How many rounds, over all processes of a server together. Default 42. */
    rounds: { type: 'string' },
    /** Measures only what these regular expressions match. If one is given, nothing is written. */
    servers: { type: 'string', default: '' },
    workloads: { type: 'string', default: '' },
    /** Major versions of Node, such as 22,24. Each measures everything in turn. Default: the Node that runs this. */
    node: { type: 'string' },
  },
})

const rounds = Number(options.rounds ?? (options.quick ? 1 : 42))
// Each server is started so often, and its rounds are pooled: two processes of one server can differ as long as they live.
const processes = options.quick ? 1 : 3
// The first turns of a server that has waited count for nothing: the caches of the processor hold the memory of others.
const uncounted = options.quick ? 0 : 3
// How often each server is started for its first requests alone.
const starts = Math.ceil(rounds / 4)
const share = options.quick ? 0.005 : 1
const kept: KeepingOptions = options.quick ? { repetitions: 5, grants: 5 } : { repetitions: 50, grants: 500 }
const whole = !options.quick && options.servers === '' && options.workloads === ''

interface Started {
  entry: Entry
  server: ServerProcess
  database: Database
}

interface Warm {
  entry: Entry
  load: Load
}

/** Measures this library, its floors and the alternatives, and writes the results to `results/`. */
async function main(): Promise<void> {
  if (!(rounds >= 1)) throw new Error(`--rounds must be a number from 1, not ${options.rounds}`)
  if (options.node !== undefined) return runOnEach(options.node.split(','), withoutNode())
  moveToLoadCore()
  const servers = new RegExp(options.servers)
  const entries = installed(lineup.filter(({ name }) => servers.test(name)))
  const databases = [await RedisServer.version(), ...(hasPostgres ? [await PostgresServer.version()] : [])]
  const about = aboutThis(databases, { rounds, processes, starts })
  const measured = await measureAll(entries)
  const keeping = options.workloads === '' ? await keepingOfAll(entries) : []
  const rows = rowsOf(measured.runs)
  const text = report(about, { rows, keeping, ...measured })
  process.stdout.write(`\n${text}`)
  if (!whole) return
  if (!pinned) return tell('Nothing is written: servers and load were not on different cores')
  writeFileSync(join(resultsFolder, `node-${nodeMajor}.json`), json(rows))
  writeFileSync(join(resultsFolder, `node-${nodeMajor}-databases.json`), json(keeping))
  writeFileSync(join(resultsFolder, `node-${nodeMajor}.md`), text)
}

/** The command line without `--node`. */
function withoutNode(): string[] {
  const { node: _, quick, ...texts } = options
  const given = Object.entries(texts).filter(([, value]) => value !== undefined)
  return [...(quick ? ['--quick'] : []), ...given.map(([name, value]) => `--${name}=${value}`)]
}

/** Leaves out what needs PostgreSQL if there is none. In CI that is an error. */
function installed(entries: readonly Entry[]): readonly Entry[] {
  const others = entries.filter(({ database }) => !database.startsWith('PostgreSQL'))
  if (hasPostgres || others.length === entries.length) return entries
  const missing = 'There is no PostgreSQL server: "npm run setup" installs one'
  if (process.env.CI === 'true') throw new Error(missing)
  tell(`${missing}. The servers with PostgreSQL are left out.`)
  return others
}

/** Each server for itself. The quick way, which measures nothing, all together: they start and wait at the same time. */
function groupsOf(entries: readonly Entry[]): (readonly Entry[])[] {
  return options.quick ? [entries] : entries.map((entry) => [entry])
}

/** Starts all servers, each in its own process and with its own database. While one is measured, the others wait. */
async function withServers<T>(entries: readonly Entry[], work: (started: Started[]) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = []
  try {
    const start = async (entry: Entry): Promise<Started> => {
      const database = await startDatabase(entry.database)
      ends.push(() => database.stop())
      const server = await ServerProcess.start(entry.name, database.port)
      ends.push(() => server.stop())
      return { entry, server, database }
    }
    const started: Started[] = []
    // When a floor starts, it finds out which way to sign takes the least time.
    for (const group of groupsOf(entries)) started.push(...(await Promise.all(group.map(start))))
    return await work(started)
  } finally {
    await Promise.allSettled(ends.map((end) => end()))
  }
}

async function measureAll(entries: readonly Entry[]): Promise<{ runs: Run[]; profiles: Profiled[] }> {
  const wanted = new RegExp(options.workloads)
  const names = workloadNames.filter((name) => wanted.test(name))
  const ofNewProcesses = names.filter((name) => workloads[name].warmUp === undefined)
  const others = names.filter((name) => !ofNewProcesses.includes(name))
  const runs: Run[] = []
  const profiles: Profiled[] = []
  for (const workload of ofNewProcesses) runs.push(...(await firstRunsOf(workload, entries)))
  for (let number = 1; number <= processes && others.length > 0; number++) {
    tell(`process ${number} of ${processes} of each server`)
    await withServers(entries, async (started) => {
      for (const workload of others) {
        runs.push(...(await withLoads(workload, started, (loads) => runsOf(workload, loads, number))))
      }
      if (number < processes) return
      // After the measurements, so that the profiles do not warm some servers up more than others.
      for (const workload of profiledWorkloads.filter((name) => wanted.test(name))) {
        const few = started.filter(({ entry }) => profiled.includes(entry.name))
        profiles.push(...(await withLoads(workload, few, (loads) => profilesOf(workload, loads))))
      }
    })
  }
  return { runs, profiles }
}

/** Measures the first requests of processes, in turn a new one of each server. */
async function firstRunsOf(workload: WorkloadName, all: readonly Entry[]): Promise<Run[]> {
  const entries = all.filter((entry) => entry.workloads.includes(workload))
  const runs: Run[] = []
  for (let round = 0; round < starts; round++) {
    tell(`${workload}: start ${round + 1} of ${starts}`)
    for (const group of groupsOf(shuffled(entries))) {
      const first = (loads: Warm[]) => sampled(workload, loads, round)
      runs.push(...(await withServers(group, (started) => withLoads(workload, started, first))))
    }
  }
  return entries.flatMap((entry) => runs.filter((run) => run.entry === entry))
}

/** Warms up all servers that have this workload, as far as it says so, and then does `work`. */
async function withLoads<T>(
  workload: WorkloadName,
  started: readonly Started[],
  work: (loads: Warm[]) => Promise<T>,
): Promise<T> {
  const loads: Warm[] = []
  try {
    for (const { entry, server, database } of started.filter(({ entry }) => entry.workloads.includes(workload))) {
      if (workloads[workload].warmUp !== undefined) tell(`${workload}: ${entry.name} warms up`)
      loads.push({ entry, load: await Load.open(workload, server, database, share) })
    }
    return await work(loads)
  } finally {
    for (const { load } of loads) load.close()
  }
}

/** Measures the servers in turn, so that whatever else the machine does affects all of them. @param number Of their processes. */
async function runsOf(workload: WorkloadName, loads: readonly Warm[], number: number): Promise<Run[]> {
  const runs: Run[] = []
  const each = Math.ceil(rounds / processes)
  for (let turn = 0; turn < uncounted; turn++) for (const { load } of shuffled(loads)) await load.sample()
  for (let round = (number - 1) * each; round < number * each; round++) {
    tell(`${workload}: round ${round + 1} of ${each * processes}`)
    runs.push(...(await sampled(workload, shuffled(loads), round)))
  }
  return loads.flatMap(({ entry }) => runs.filter((run) => run.entry === entry))
}

async function sampled(workload: WorkloadName, loads: readonly Warm[], round: number): Promise<Run[]> {
  const runs: Run[] = []
  for (const { entry, load } of loads) runs.push({ entry, workload, round, sample: await load.sample() })
  return runs
}

async function profilesOf(workload: WorkloadName, loads: readonly Warm[]): Promise<Profiled[]> {
  const profiles: Profiled[] = []
  for (const { entry, load } of loads) {
    tell(`${workload}: ${entry.name}: where the time goes`)
    profiles.push({ server: entry.name, workload, shares: sharesOf(await load.profile(profiledRounds)) })
  }
  return profiles
}

/** In another order each time, so that no server always comes after the same one. */
function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }))
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item)
}

async function keepingOfAll(entries: readonly Entry[]): Promise<Keeping[]> {
  const keepers = entries.filter(({ database, workloads }) => database !== 'none' && workloads.includes('code'))
  const keeping: Keeping[] = []
  for (const group of groupsOf(keepers)) {
    const begun: (() => Promise<Keeping>)[] = []
    for (const entry of group) {
      tell(`${entry.name}: what it stores`)
      begun.push(await beginKeeping(entry, kept))
    }
    for (const finish of begun) keeping.push(await finish())
  }
  return keeping
}

function json(value: unknown): string {
  const rounded = (_: string, each: unknown) => (typeof each === 'number' ? Number(each.toPrecision(6)) : each)
  return `${JSON.stringify(value, rounded, 2)}\n`
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  // At once: a connection to a server that has ended would go on trying.
  process.exit(1)
})
