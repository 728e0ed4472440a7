import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { eventually, type RedisServer } from './redis-server'

/** A command that a server has run. */
export interface RunCommand {
  name: string
  args: string[]
  /** Whether a script ran it, not a client. */
  inScript: boolean
}

// Commands that connections send by themselves, including the tests' own connections.
const ofConnections = ['hello', 'client', 'info', 'echo', 'monitor']

/** The commands that a server runs during `work`, in order (`MONITOR`). */
export async function commandsDuring(server: RedisServer, work: () => PromiseLike<unknown>): Promise<RunCommand[]> {
  const redis = new Redis(server.port, '127.0.0.1')
  const monitor = await redis.monitor()
  const run: RunCommand[] = []
  const end = randomUUID()
  let ended = false
  monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
    ended ||= args[0] === end
    if (!ended) run.push({ name: name.toLowerCase(), args, inScript: source === 'lua' })
  })
  try {
    await work()
    await server.command('ECHO', end)
    await eventually(async () => ended)
  } finally {
    monitor.disconnect()
    redis.disconnect()
  }
  return run.filter(({ name }) => !ofConnections.includes(name))
}

/** How often a server has run each command since it started, including those inside scripts (`INFO commandstats`). */
export async function callsSoFar(server: RedisServer): Promise<Record<string, number>> {
  const stats = String(await server.command('INFO', 'commandstats'))
  return Object.fromEntries(
    [...stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name = '', calls]) => [name, Number(calls)]),
  )
}
