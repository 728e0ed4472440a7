import { eventually, RedisServer } from './redis-server'

/** A master with a replica, watched by three Sentinels under the name `signin`. */
export class RedisSentinels {
  readonly name = 'signin'
  readonly master: RedisServer
  readonly replica: RedisServer
  readonly sentinels: RedisServer[]

  private constructor(master: RedisServer, replica: RedisServer, sentinels: RedisServer[]) {
    this.master = master
    this.replica = replica
    this.sentinels = sentinels
  }

  static async start(): Promise<RedisSentinels> {
    const master = await RedisServer.start(['--repl-diskless-sync-delay', '0'])
    const replica = await RedisServer.start(['--replicaof', '127.0.0.1', String(master.port)])
    const sentinels = await Promise.all([0, 1, 2].map(() => RedisServer.startSentinel('signin', master.port)))
    const set = new RedisSentinels(master, replica, sentinels)
    await eventually(() => set.#isReady())
    return set
  }

  get addresses(): { host: string; port: number }[] {
    return this.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }))
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, this.replica, this.master].map((server) => server.stop()))
  }

  /** Whether each Sentinel knows the other two and the replica. */
  async #isReady(): Promise<boolean> {
    const known = await Promise.all(
      this.sentinels.map(async (sentinel) => {
        const [, sentinels] = String(await sentinel.command('INFO', 'sentinel')).match(/sentinels=(\d+)/) ?? []
        const replicas = (await sentinel.command('SENTINEL', 'REPLICAS', this.name)) as unknown[]
        return sentinels === '3' && replicas.length === 1
      }),
    )
    return known.every(Boolean)
  }
}
