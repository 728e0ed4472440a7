import { Redis } from 'ioredis'
import { RedisProcess } from '../scripts/redis-process'

/** For each command how often it ran, and how many microseconds one call took. */
export type CommandStats = Record<string, { calls: number; microseconds: number }>

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/** A Redis or Valkey server of the benchmark's own, and a client that is connected to it. */
export class RedisServer {
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
