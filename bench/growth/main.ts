import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { moveToLoadCore, pinned } from '../processor-cores'
import { RedisServer } from '../redis-server'
import { writeResults } from '../write-results'
import type { Shape } from './layout'
import { type GrowthOptions, measureGrowth } from './measure'
import { type GrowthResults, growthReport } from './report'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
  },
})

// The first comes twice: the difference between the two is the noise.
const shapes: readonly Shape[] = [
  { processes: 1, masters: 1 },
  { processes: 1, masters: 1 },
  { processes: 2, masters: 1 },
  { processes: 1, masters: 3 },
  { processes: 2, masters: 3 },
]
const extent: GrowthOptions = options.quick
  ? { rounds: 2, refreshes: 200, warmUp: 100, customers: 200 }
  : { rounds: 60, refreshes: 1000, warmUp: 20_000, customers: 3000 }

/** Measures what a refresh costs with more processes and more masters, and writes the results to `results/`. */
async function main(): Promise<void> {
  moveToLoadCore()
  const results: GrowthResults = {
    redis: await RedisServer.version(),
    node: `Node ${process.versions.node}`,
    processor: cpus()[0]?.model ?? '',
    pinned,
    ...(await measureGrowth(shapes, extent)),
  }
  const report = growthReport(results)
  process.stdout.write(`\n${report}`)
  if (options.quick) return
  if (!pinned) {
    process.stderr.write('Nothing is written: the processes and the load were not on different cores\n')
    return
  }
  writeResults('growth', results, report)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  // At once: a connection to a server that has ended would go on trying.
  process.exit(1)
})
