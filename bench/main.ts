import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Keeping, keepingOf } from './keeping'
import { type Entry, lineup, type ServerName } from './lineup'
import { measure, profileOf } from './measure'
import { moveToLoadCore } from './processor-cores'
import { BenchServer } from './redis-server'
import { aboutThis, report } from './report'
import { type Run, rowsOf } from './rows'
import { ServerProcess } from './server-process'
import { type Shares, sharesOf } from './where-time-goes'

const profiled: readonly ServerName[] = ['F1', 'customer-sign-in', 'FX', 'customer-sign-in in Express 5']
const results = join(__dirname, '..', 'results')

const { values: options } = parseArgs({
  options: {
    /** Everything once and briefly: only to see that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    /** Nothing is written where it is not the usual number. */
    rounds: { type: 'string' },
    /** Only what these regular expressions find. Nothing is written. */
    servers: { type: 'string', default: '' },
    workloads: { type: 'string', default: '' },
  },
})

const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))

/** Measures this library beside its floors and its peers, and writes it to `results/`. */
async function main(): Promise<void> {
  if (!(rounds >= 1)) throw new Error(`--rounds must be a number from 1, not ${options.rounds}`)
  moveToLoadCore()
  const [servers, wanted] = [new RegExp(options.servers), new RegExp(options.workloads)]
  const entries: Entry[] = lineup.filter(({ name }) => servers.test(name))
  const about = aboutThis(await BenchServer.version(), rounds)

  const runs: Run[] = []
  for (let round = 0; round < rounds; round++) {
    // In turn and each time anew, so that what the machine does meanwhile happens to all of them.
    for (const entry of entries) runs.push(...(await roundOf(entry, round, wanted)))
  }
  const keeping: Keeping[] = []
  for (const { name, workloads } of entries.filter(({ stored, workloads }) => stored && workloads.includes('code'))) {
    tell(`${name}: what it keeps`)
    const resource = workloads.includes('refresh with resource')
    keeping.push(await keepingOf(name, { resource, grants: options.quick ? 20 : 500 }))
  }

  const profiles: Partial<Record<ServerName, Shares>> = {}
  for (const { name } of entries.filter(({ name }) => profiled.includes(name))) {
    tell(`${name}: where the time of a refresh goes`)
    profiles[name] = await sharesOfRefresh(name)
  }

  const rows = rowsOf(runs)
  const text = report(about, { rows, runs, keeping, profiles })
  process.stdout.write(`\n${text}`)
  if (options.quick || options.rounds !== undefined || options.servers !== '' || options.workloads !== '') return
  writeFileSync(join(results, 'latest.json'), json(rows))
  writeFileSync(join(results, 'latest-redis.json'), json(keeping))
  writeFileSync(join(results, 'latest.md'), text)
}

async function sharesOfRefresh(name: ServerName): Promise<Shares> {
  return withServer(name, async (server) => sharesOf(await profileOf('refresh', server, options.quick ? 0.02 : 1)))
}

async function roundOf(entry: Entry, round: number, wanted: RegExp): Promise<Run[]> {
  return withServer(entry.name, async (server, redis) => {
    const runs: Run[] = []
    for (const workload of entry.workloads.filter((name) => wanted.test(name))) {
      const sample = await measure(workload, server, redis, options.quick ? 0.02 : 1)
      tell(`${round + 1}: ${entry.name}, ${workload}: ${sample.cpu_us.toFixed(0)} µs`)
      runs.push({ entry, workload, round, sample })
    }
    return runs
  })
}

async function withServer<T>(
  name: ServerName,
  work: (server: ServerProcess, redis: BenchServer) => Promise<T>,
): Promise<T> {
  const redis = await BenchServer.start()
  try {
    const server = await ServerProcess.start(name, redis.redis.options.port ?? 0)
    try {
      return await work(server, redis)
    } finally {
      await server.stop()
    }
  } finally {
    await redis.stop()
  }
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
