import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RedisServer } from '../redis-server'
import { measureCommands } from './commands'
import { measureLog } from './log'
import { measureMemory } from './memory'
import { type RedisResults, redisReport } from './report'
import { measureScale } from './scale'
import { measureScan } from './scan'

/** Measures what the library costs a Redis server, and writes the results to `results/`. */
async function main(): Promise<void> {
  const results: RedisResults = {
    server: await RedisServer.version(),
    node: `Node ${process.versions.node}`,
    commands: await told('commands of each request', measureCommands),
    memory: await told('memory of each grant', measureMemory),
    log: await told('size of the append-only file', measureLog),
    scan: await told('time to go through a store', measureScan),
    scale: await told('cost of a swap', measureScale),
  }
  const report = redisReport(results)
  writeFileSync(join(__dirname, '..', 'results', 'redis.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(__dirname, '..', 'results', 'redis.md'), report)
  process.stdout.write(`\n${report}`)
}

function told<T>(what: string, measure: () => Promise<T>): Promise<T> {
  process.stderr.write(`measuring the ${what} …\n`)
  return measure()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
