import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hasPostgres, PostgresServer } from '../postgres-server'
import { moveToLoadCore, pinned } from '../processor-cores'
import { type PostgresResults, postgresReport } from './report'
import { measureScale, type ScaleOptions } from './scale'
import { measureSize } from './size'
import { measureThroughput } from './throughput'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
  },
})

// The smallest comes twice: the difference between the two is the noise.
const scale: ScaleOptions = options.quick
  ? { counts: [1000, 1000, 5000], rounds: 2, swaps: 100 }
  : { counts: [1000, 1000, 3_000_000], rounds: 60, swaps: 500 }

/** Measures what the library costs a PostgreSQL server, and writes the results to `results/`. */
async function main(): Promise<void> {
  if (!hasPostgres) throw new Error('There is no PostgreSQL server: "npm run setup" installs one')
  moveToLoadCore()
  const results: PostgresResults = {
    server: await PostgresServer.version(),
    node: `Node ${process.versions.node}`,
    pinned,
    size: await told('bytes of each grant', () => measureSize(options.quick ? 500 : 100_000)),
    scale: await told('cost of a refresh', () => measureScale(scale)),
    throughput: await told('refreshes of one server', () =>
      measureThroughput(options.quick ? { rounds: 2, swaps: 500 } : { rounds: 20, swaps: 5000 }),
    ),
  }
  const report = postgresReport(results)
  process.stdout.write(`\n${report}`)
  if (options.quick) return
  writeFileSync(join(__dirname, '..', 'results', 'postgres.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(__dirname, '..', 'results', 'postgres.md'), report)
}

function told<T>(what: string, measure: () => Promise<T>): Promise<T> {
  process.stderr.write(`measuring the ${what} …\n`)
  return measure()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
