import { parseArgs } from 'node:util'
import { RedisServer } from '../redis-server'
import { writeResults } from '../write-results'
import { measureCommands } from './commands'
import { measureLog } from './log'
import { type MemoryOptions, measureMemory } from './memory'
import { type RedisResults, redisReport } from './report'
import { measureScale, type ScaleOptions } from './scale'
import { measureScan } from './scan'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
  },
})

const times = options.quick ? 5 : 100
const memory: MemoryOptions = options.quick ? { grants: 500, rotations: 2 } : { grants: 100_000, rotations: 20 }
const grantsOfLog = options.quick ? 500 : 10_000
const grantsOfScan = options.quick ? 500 : 100_000
// The smallest comes twice: the difference between the two is the noise.
const scale: ScaleOptions = options.quick
  ? { counts: [1000, 1000, 5000], rounds: 2, swaps: 100 }
  : { counts: [1000, 1000, 100_000, 2_000_000], rounds: 60, swaps: 500 }

/** Measures what the library costs a Redis server, and writes the results to `results/`. */
async function main(): Promise<void> {
  const results: RedisResults = {
    server: await RedisServer.version(),
    node: `Node ${process.versions.node}`,
    commands: await told('commands of each request', () => measureCommands(times)),
    memory: await told('memory of each grant', () => measureMemory(memory)),
    log: await told('size of the append-only file', () => measureLog(grantsOfLog)),
    scan: await told('time to go through a store', () => measureScan(grantsOfScan)),
    scale: await told('cost of a swap', () => measureScale(scale)),
  }
  const report = redisReport(results)
  process.stdout.write(`\n${report}`)
  if (!options.quick) writeResults('redis', results, report)
}

function told<T>(what: string, measure: () => Promise<T>): Promise<T> {
  process.stderr.write(`measuring the ${what} …\n`)
  return measure()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
