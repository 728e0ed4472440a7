import { parseArgs } from 'node:util'
import { hasPostgres, PostgresServer } from '../postgres-server'
import { moveToLoadCore, pinned } from '../processor-cores'
import { writeResults } from '../write-results'
import { type HourOptions, measureHour } from './hour'
import { hourReport } from './hour-report'
import { type PostgresResults, postgresReport } from './report'
import { measureScale, type ScaleOptions } from './scale'
import { measureSize } from './size'
import { measureThroughput } from './throughput'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    /** An hour of constant refreshing, in place of everything else. */
    hour: { type: 'boolean', default: false },
  },
})

// A transaction of somebody else is open from the 25th to the 35th minute.
const hour: HourOptions = options.quick
  ? { grants: 1000, perSecond: 200, parts: 4, secondsOfPart: 1, held: [1, 2] }
  : { grants: 100_000, perSecond: 300, parts: 12, secondsOfPart: 300, held: [5, 7] }

// The smallest comes twice: the difference between the two is the noise.
const scale: ScaleOptions = options.quick
  ? { counts: [1000, 1000, 5000], rounds: 2, swaps: 100 }
  : { counts: [1000, 1000, 3_000_000], rounds: 60, swaps: 500 }

/** Measures what the library costs a PostgreSQL server, and writes the results to `results/`. */
async function main(): Promise<void> {
  if (!hasPostgres) throw new Error('There is no PostgreSQL server: "npm run setup" installs one')
  moveToLoadCore()
  const machine = { server: await PostgresServer.version(), node: `Node ${process.versions.node}`, pinned }
  if (options.hour) {
    const results = { ...machine, hour: await told('table during constant refreshing', () => measureHour(hour)) }
    return write('postgres-hour', results, hourReport(results))
  }
  const results: PostgresResults = {
    ...machine,
    size: await told('bytes of each grant', () => measureSize(options.quick ? 500 : 100_000)),
    scale: await told('cost of a refresh', () => measureScale(scale)),
    throughput: await told('refreshes of one server', () =>
      measureThroughput(options.quick ? { rounds: 2, swaps: 500 } : { rounds: 20, swaps: 5000 }),
    ),
  }
  write('postgres', results, postgresReport(results))
}

function write(name: string, results: unknown, report: string): void {
  process.stdout.write(`\n${report}`)
  if (!options.quick) writeResults(name, results, report)
}

function told<T>(what: string, measure: () => Promise<T>): Promise<T> {
  process.stderr.write(`measuring the ${what} …\n`)
  return measure()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
