import { eventually, freePort, RedisServer, redisCli } from './redis-server'

/** A Cluster of three masters with a replica each. */
export class RedisCluster {
  readonly servers: RedisServer[]

  private constructor(servers: RedisServer[]) {
    this.servers = servers
  }

  static async start(args: readonly string[] = []): Promise<RedisCluster> {
    const servers = await Promise.all(
      Array.from({ length: 6 }, async () =>
        RedisServer.start([
          ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
          ...['--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no'],
          // A replica is shown to nobody before it has received something.
          ...['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'],
          ...args,
        ]),
      ),
    )
    const cluster = new RedisCluster(servers)
    redisCli('--cluster', 'create', ...cluster.addresses, '--cluster-replicas', '1', '--cluster-yes')
    await eventually(() => cluster.isReady())
    return cluster
  }

  get addresses(): string[] {
    return this.servers.map(({ port }) => `127.0.0.1:${port}`)
  }

  get nodes(): { host: string; port: number }[] {
    return this.servers.map(({ port }) => ({ host: '127.0.0.1', port }))
  }

  /** The server that serves a key, and one of its replicas. */
  async serving(key: string): Promise<{ master: RedisServer; replica: RedisServer }> {
    const [first] = this.servers
    const slot = Number(await first?.command('CLUSTER', 'KEYSLOT', key))
    const slots = (await first?.command('CLUSTER', 'SLOTS')) as [number, number, ...[string, number][]][]
    const range = slots.find(([from, to]) => from <= slot && slot <= to)
    const [master, replica] = (range?.slice(2) ?? []).map((node) => this.#at((node as [string, number])[1]))
    if (!master || !replica) throw new Error(`No master and replica serve ${key}`)
    return { master, replica }
  }

  /** Every master has its replica, and every server knows of it. */
  async isReady(): Promise<boolean> {
    const states = await Promise.all(
      this.servers.map(async (server) => {
        const info = String(await server.command('CLUSTER', 'INFO'))
        const role = (await server.command('ROLE')) as unknown[]
        const slots = (await server.command('CLUSTER', 'SLOTS')) as unknown[][]
        const knowsReplicas = slots.length === 3 && slots.every(([, , ...nodes]) => nodes.length === 2)
        return info.includes('cluster_state:ok') && knowsReplicas && (role[0] === 'master' || role[3] === 'connected')
      }),
    )
    return states.every(Boolean)
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  #at(port: number): RedisServer | undefined {
    return this.servers.find((server) => server.port === port)
  }
}
