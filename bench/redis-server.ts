import { Redis } from 'ioredis'
import { RedisProcess } from '../scripts/redis-process'
import type { Database } from './database'

/** For each command how often it ran, and how many microseconds one call took. */
export type CommandStats = Record<string, { calls: number; microseconds: number }>

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/** A Redis or Valkey server of the benchmark's own, and a client that is connected to it. */
export class RedisServer implements Database {
  readonly redis: Redis
  readonly #process: RedisProcess

  private constructor(server: RedisProcess) {
    this.#process = server
    this.redis = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null })
    this.redis.on('error', () => {})
  }

  /** @param settings More settings, as on the command line: `['--appendonly', 'yes']`. */
  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    return new RedisServer(await RedisProcess.start({ settings }))
  }

  get port(): number {
    return this.#process.port
  }

  /** The name and version of the installed server. */
  static async version(): Promise<string> {
    const server = await RedisServer.start()
    try {
      return await server.#version()
    } finally {
      await server.stop()
    }
  }

  async #version(): Promise<string> {
    const { valkey_version, redis_version } = await this.info('server')
    return valkey_version ? `Valkey ${valkey_version}` : `Redis ${redis_version}`
  }

  /** A section of `INFO`. */
  async info(section: string): Promise<Record<string, string>> {
    const lines = (await this.redis.info(section)).split('\r\n').filter((line) => line.includes(':'))
    return Object.fromEntries(lines.map((line) => line.split(/:(.*)/, 2)))
  }

  /** The `INFO commandstats` of the time during `work`. */
  async commandsDuring(work: () => Promise<unknown>): Promise<CommandStats> {
    await this.redis.config('RESETSTAT')
    await work()
    const stats = Object.entries(await this.info('commandstats')).map(([name, line]) => {
      const { calls, microseconds } =
        /^calls=(?<calls>\d+),.*usec_per_call=(?<microseconds>[\d.]+)/.exec(line)?.groups ?? {}
      return [name.replace('cmdstat_', ''), { calls: Number(calls), microseconds: Number(microseconds) }]
    })
    return Object.fromEntries(stats)
  }

  /** How often each command was sent to the server during `work`, not counting those inside a script. */
  async sentDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    // A command that arrives with the reply to MONITOR would be taken for that reply.
    await this.#untilQuiet()
    const monitor = await this.redis.monitor()
    monitor.on('monitor', (_time, [command = '']: string[], source: string) => {
      if (source !== 'lua') counts[command.toLowerCase()] = (counts[command.toLowerCase()] ?? 0) + 1
    })
    try {
      await work()
      const seen = new Promise((resolve) =>
        monitor.on('monitor', (_time, [, text]: string[]) => text === 'end' && resolve(text)),
      )
      await this.redis.echo('end')
      await seen
    } finally {
      monitor.disconnect()
    }
    const { echo: _, info: __, ...sent } = counts
    return sent
  }

  /** Waits until no command arrives between two of its own. */
  async #untilQuiet(): Promise<void> {
    const processed = async () => Number((await this.info('stats')).total_commands_processed)
    let before = Number.NaN
    let now = await processed()
    while (now !== before + 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      before = now
      now = await processed()
    }
  }

  /** The CPU time that the server has used, in microseconds: commands, network and all. */
  async usedCpu(): Promise<number> {
    const { used_cpu_user, used_cpu_sys } = await this.info('cpu')
    return (Number(used_cpu_user) + Number(used_cpu_sys)) * 1e6
  }

  /** The bytes that the server has allocated, as `INFO memory` counts them. */
  async usedMemory(): Promise<number> {
    return Number((await this.info('memory')).used_memory)
  }

  async stop(): Promise<void> {
    this.redis.disconnect()
    await this.#process.stop()
  }
}
