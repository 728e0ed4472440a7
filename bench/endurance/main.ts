import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { startDatabase } from '../databases'
import { lineup } from '../lineup'
import { PostgresServer } from '../postgres-server'
import { moveToLoadCore, pinned } from '../processor-cores'
import { RedisServer } from '../redis-server'
import { ServerProcess } from '../server-process'
import { writeResults } from '../write-results'
import { type EnduranceOptions, measureEndurance } from './measure'
import { type EnduranceResults, enduranceReport } from './report'

const { values: options } = parseArgs({
  options: {
    /** Measures for a few seconds, only to check that it works. Nothing is written. */
    quick: { type: 'boolean', default: false },
    /** For how many minutes. If it is given, nothing is written. */
    minutes: { type: 'string' },
    /** Another server of the line-up. If it is given, nothing is written. */
    server: { type: 'string' },
  },
})

const minutes = Number(options.minutes ?? 10)
const extent: EnduranceOptions = options.quick
  ? { periods: 5, seconds: 1, warmUp: 100 }
  : { periods: minutes, seconds: 60, warmUp: 20_000 }
const whole = !options.quick && options.minutes === undefined && options.server === undefined

/** Measures one server under full load for ten minutes, and writes the results to `results/`. */
async function main(): Promise<void> {
  if (!(Number.isInteger(minutes) && minutes > 0))
    throw new Error(`--minutes must be 1 or more, not ${options.minutes}`)
  const name = options.server ?? 'customer-sign-in in Express 5'
  const entry = lineup.find((each) => each.name === name)
  if (!entry) throw new Error(`The line-up has no server ${name}`)
  moveToLoadCore()
  const database = await startDatabase(entry.database)
  let server: ServerProcess | undefined
  try {
    server = await ServerProcess.start(entry.name, database.port, ['--expose-gc'])
    const measured = await measureEndurance(server, database, extent)
    const about = { server: entry.name, database: await versionOf(entry.database) }
    write({ ...about, node: `Node ${process.versions.node}`, processor: cpus()[0]?.model ?? '', pinned, ...measured })
  } finally {
    await server?.stop()
    await database.stop()
  }
}

function write(results: EnduranceResults): void {
  const report = enduranceReport(results)
  process.stdout.write(`\n${report}`)
  if (!whole) return
  if (!pinned) {
    process.stderr.write('Nothing is written: server and load were not on different cores\n')
    return
  }
  writeResults('endurance', results, report)
}

/** The name and version of a database of the line-up. */
async function versionOf(database: string): Promise<string> {
  if (database === 'none') return 'no database'
  return database.startsWith('PostgreSQL') ? PostgresServer.version() : RedisServer.version()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  // At once: a connection to a server that has ended would go on trying.
  process.exit(1)
})
