import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Keeping, keepingOf } from './keeping'
import { type Entry, lineup } from './lineup'
import { measure } from './measure'
import { moveToLoadCore } from './processor-cores'
import { BenchServer } from './redis-server'
import { aboutThis, report } from './report'
import { type Run, rowsOf } from './rows'
import { ServerProcess } from './server-process'

const results = join(__dirname, '..', 'results')

const { values: options } = parseArgs({
  options: {
    /** Everything once and briefly: only to see that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    /** Only what these regular expressions find. Nothing is written. */
    servers: { type: 'string', default: '' },
    workloads: { type: 'string', default: '' },
  },
})

/** Measures this library beside its floors and its peers, and writes it to `results/`. */
async function main(): Promise<void> {
  moveToLoadCore()
  const [servers, wanted] = [new RegExp(options.servers), new RegExp(options.workloads)]
  const entries: Entry[] = lineup.filter(({ name }) => servers.test(name))
  const rounds = Number(options.rounds ?? (options.quick ? 1 : 5))
  const about = aboutThis(await redisVersion(), rounds)

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

  const rows = rowsOf(runs)
  const text = report(about, rows, runs, keeping)
  process.stdout.write(`\n${text}`)
  if (options.quick || options.servers !== '' || options.workloads !== '') return
  writeFileSync(join(results, 'latest.json'), `${JSON.stringify(rows, null, 2)}\n`)
  writeFileSync(join(results, 'latest-redis.json'), `${JSON.stringify(keeping, null, 2)}\n`)
  writeFileSync(join(results, 'latest.md'), text)
}

async function roundOf(entry: Entry, round: number, wanted: RegExp): Promise<Run[]> {
  const redis = await BenchServer.start()
  const server = await ServerProcess.start(entry.name, redis.redis.options.port ?? 0)
  const runs: Run[] = []
  try {
    for (const workload of entry.workloads.filter((name) => wanted.test(name))) {
      const sample = await measure(workload, server, redis, options.quick ? 0.02 : 1)
      tell(`${round + 1}: ${entry.name}, ${workload}: ${sample.cpu_us.toFixed(0)} µs`)
      runs.push({ entry, workload, round, sample })
    }
    return runs
  } finally {
    await server.stop()
    await redis.stop()
  }
}

async function redisVersion(): Promise<string> {
  const server = await BenchServer.start()
  try {
    return await server.version()
  } finally {
    await server.stop()
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
