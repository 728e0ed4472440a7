import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Keeping, keepingOf } from './keeping'
import { type Entry, lineup, type ServerName, type WorkloadName, workloadNames } from './lineup'
import { Load } from './measure'
import { moveToLoadCore, pinned } from './processor-cores'
import { RedisServer } from './redis-server'
import { aboutThis, type Profiled, report } from './report'
import { type Run, rowsOf } from './rows'
import { ServerProcess } from './server-process'
import { sharesOf } from './where-time-goes'

// The servers of the tables that show where the time goes, in the order of the columns.
const profiled: readonly ServerName[] = ['F1', 'customer-sign-in', 'FX', 'customer-sign-in in Express 5']
const profiledWorkloads: readonly WorkloadName[] = ['refresh', 'metadata']
const profiledRounds = 30
const results = join(__dirname, '..', '..', 'results')

const { values: options } = parseArgs({
  options: {
    /** Runs everything once and briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    /** How many rounds. If it is given, nothing is written. */
    rounds: { type: 'string' },
    /** Measures only what these regular expressions match. If one is given, nothing is written. */
    servers: { type: 'string', default: '' },
    workloads: { type: 'string', default: '' },
  },
})

const rounds = Number(options.rounds ?? (options.quick ? 1 : 60))
const share = options.quick ? 0.02 : 1
const whole = !options.quick && options.rounds === undefined && options.servers === '' && options.workloads === ''

interface Started {
  entry: Entry
  server: ServerProcess
  redis: RedisServer
}

interface Warm {
  entry: Entry
  load: Load
}

/** Measures this library, its floors and the alternatives, and writes the results to `results/`. */
async function main(): Promise<void> {
  if (!(rounds >= 1)) throw new Error(`--rounds must be a number from 1, not ${options.rounds}`)
  moveToLoadCore()
  const servers = new RegExp(options.servers)
  const entries: Entry[] = lineup.filter(({ name }) => servers.test(name))
  const about = aboutThis(await RedisServer.version(), rounds)
  const measured = await withServers(entries, measureAll)
  const keeping = options.workloads === '' ? await keepingOfAll(entries) : []
  const rows = rowsOf(measured.runs)
  const text = report(about, { rows, keeping, ...measured })
  process.stdout.write(`\n${text}`)
  if (!whole) return
  if (!pinned) return tell('Nothing is written: servers and load were not on different cores')
  writeFileSync(join(results, 'latest.json'), json(rows))
  writeFileSync(join(results, 'latest-redis.json'), json(keeping))
  writeFileSync(join(results, 'latest.md'), text)
}

/** Starts all servers, each in its own process and with its own Redis. While one is measured, the others wait. */
async function withServers<T>(entries: readonly Entry[], work: (started: Started[]) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = []
  try {
    const started: Started[] = []
    for (const entry of entries) {
      const redis = await RedisServer.start()
      ends.push(() => redis.stop())
      const server = await ServerProcess.start(entry.name, redis.port)
      ends.push(() => server.stop())
      started.push({ entry, server, redis })
    }
    return await work(started)
  } finally {
    await Promise.allSettled(ends.map((end) => end()))
  }
}

async function measureAll(started: readonly Started[]): Promise<{ runs: Run[]; profiles: Profiled[] }> {
  const wanted = new RegExp(options.workloads)
  const runs: Run[] = []
  const profiles: Profiled[] = []
  for (const workload of workloadNames.filter((name) => wanted.test(name))) {
    runs.push(...(await withLoads(workload, started, (loads) => runsOf(workload, loads))))
  }
  // After the measurements, so that the profiles do not warm some servers up more than others.
  for (const workload of profiledWorkloads.filter((name) => wanted.test(name))) {
    const few = started.filter(({ entry }) => profiled.includes(entry.name))
    profiles.push(...(await withLoads(workload, few, (loads) => profilesOf(workload, loads))))
  }
  return { runs, profiles }
}

/** Warms up all servers that have this workload, and then does `work`. */
async function withLoads<T>(
  workload: WorkloadName,
  started: readonly Started[],
  work: (loads: Warm[]) => Promise<T>,
): Promise<T> {
  const loads: Warm[] = []
  try {
    for (const { entry, server, redis } of started.filter(({ entry }) => entry.workloads.includes(workload))) {
      tell(`${workload}: ${entry.name} warms up`)
      loads.push({ entry, load: await Load.open(workload, server, redis, share) })
    }
    return await work(loads)
  } finally {
    for (const { load } of loads) load.close()
  }
}

/** Measures the servers in turn, so that whatever else the machine does affects all of them. */
async function runsOf(workload: WorkloadName, loads: readonly Warm[]): Promise<Run[]> {
  const runs: Run[] = []
  for (let round = 0; round < rounds; round++) {
    tell(`${workload}: round ${round + 1} of ${rounds}`)
    for (const { entry, load } of shuffled(loads)) runs.push({ entry, workload, round, sample: await load.sample() })
  }
  return loads.flatMap(({ entry }) => runs.filter((run) => run.entry === entry))
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
  const keeping: Keeping[] = []
  for (const { name, workloads } of entries.filter(({ stored, workloads }) => stored && workloads.includes('code'))) {
    tell(`${name}: what it stores`)
    const resource = workloads.includes('refresh with resource')
    keeping.push(await keepingOf(name, { resource, grants: options.quick ? 20 : 500 }))
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
  process.exitCode = 1
})
