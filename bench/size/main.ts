import { parseArgs } from 'node:util'
import { PostgresServer } from '../postgres-server'
import { moveToLoadCore } from '../processor-cores'
import { RedisServer } from '../redis-server'
import { writeResults } from '../write-results'
import { measureCalls, type SizeOptions } from './measure'
import { postgresOf, redisOf } from './populations'
import { type SizeResults, sizeReport } from './report'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
  },
})

// The smallest comes twice: the difference between the two is the noise.
const size: SizeOptions = options.quick
  ? { counts: [1000, 1000, 5000], rounds: 2, refreshes: 50, customers: 3 }
  : { counts: [1000, 1000, 100_000, 5_000_000], rounds: 20, refreshes: 500, customers: 50 }

/** Measures what calls cost while a store holds few grants and many, and writes the results to `results/`. */
async function main(): Promise<void> {
  moveToLoadCore()
  const results: SizeResults = {
    servers: { Redis: await RedisServer.version(), PostgreSQL: await PostgresServer.version() },
    node: `Node ${process.versions.node}`,
    Redis: await measureCalls(redisOf, size),
    PostgreSQL: await measureCalls(postgresOf, size),
  }
  const report = sizeReport(results)
  process.stdout.write(`\n${report}`)
  if (!options.quick) writeResults('size', results, report)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
