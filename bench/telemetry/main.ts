import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { moveToLoadCore, pinned } from '../processor-cores'
import { RedisServer } from '../redis-server'
import { writeResults } from '../write-results'
import { measureTelemetry, type TelemetryOptions } from './measure'
import { type TelemetryResults, telemetryReport } from './report'

const { values: options } = parseArgs({
  options: {
    /** Measures everything briefly, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
  },
})

const extent: TelemetryOptions = options.quick ? { rounds: 2, share: 0.05 } : { rounds: 150, share: 1 }

/** Measures what a refresh costs when somebody listens to the channels, and writes the results to `results/`. */
async function main(): Promise<void> {
  moveToLoadCore()
  const results: TelemetryResults = {
    redis: await RedisServer.version(),
    node: `Node ${process.versions.node}`,
    processor: cpus()[0]?.model ?? '',
    pinned,
    ...extent,
    rows: await measureTelemetry(extent),
  }
  const report = telemetryReport(results)
  process.stdout.write(`\n${report}`)
  if (options.quick) return
  if (!pinned) {
    process.stderr.write('Nothing is written: the servers and the load were not on different cores\n')
    return
  }
  writeResults('telemetry', results, report)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  // At once: a connection to a server that has ended would go on trying.
  process.exit(1)
})
