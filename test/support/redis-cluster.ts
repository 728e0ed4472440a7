import { freePort } from '../../scripts/free-port'
import { eventually, RedisServer } from './redis-server'

/** A slot on its way from one master to another. */
export interface MovingSlot {
  source: RedisServer
  target: RedisServer
  /** Moves the present contents of the slot to the target. */
  moveKeys(): Promise<void>
  end(): Promise<void>
}

/** A Cluster of three masters with a replica each. */
export class RedisCluster {
  readonly servers: RedisServer[]

  private constructor(servers: RedisServer[]) {
    this.servers = servers
  }

  static async start(args: readonly string[] = []): Promise<RedisCluster> {
    const node = async () =>
      RedisServer.start([
        ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
        ...['--cluster-node-timeout', '2000', '--cluster-require-full-coverage', 'no'],
        // Nodes do not list a replica before it has received data.
        ...['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'],
        ...args,
      ])
    // If another process takes the node's second port first, the node ends.
    const servers = await Promise.all(Array.from({ length: 6 }, () => node().catch(node)))
    const cluster = new RedisCluster(servers)
    await cluster.#assemble()
    await eventually(() => cluster.isReady())
    return cluster
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

  /** Begins to move a key's slot to another master, by default to any. */
  async beginToMove(key: string, to?: RedisServer): Promise<MovingSlot> {
    const { master: source } = await this.serving(key)
    const masters = await this.masters()
    const target = to ?? masters.find((master) => master !== source)
    if (!target) throw new Error('There is no other master')
    const slot = Number(await source.command('CLUSTER', 'KEYSLOT', key))
    const [sourceId, targetId] = await Promise.all(
      [source, target].map(async (server) => String(await server.command('CLUSTER', 'MYID'))),
    )
    await target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId as string)
    await source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId as string)
    return {
      source,
      target,
      moveKeys: async () => {
        const keys = (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, 1000)) as string[]
        if (keys.length > 0) await source.command('MIGRATE', '127.0.0.1', target.port, '', 0, 5000, 'KEYS', ...keys)
      },
      end: async () => {
        for (const server of [target, source, ...masters]) {
          await server.command('CLUSTER', 'SETSLOT', slot, 'NODE', targetId as string)
        }
        await eventually(async () => (await this.serving(key)).master === target)
      },
    }
  }

  async masters(): Promise<RedisServer[]> {
    const slots = (await this.servers[0]?.command('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
    const ports = new Set(slots.map(([, , [, port]]) => port))
    return [...ports].map((port) => this.#at(port)).filter((server) => server !== undefined)
  }

  /** Whether every master has its replica, and every server knows it. */
  async isReady(): Promise<boolean> {
    const states = await Promise.all(
      this.servers.map(async (server) => {
        const info = String(await server.command('CLUSTER', 'INFO'))
        const role = (await server.command('ROLE')) as unknown[]
        const slots = (await server.command('CLUSTER', 'SLOTS')) as [number, number, ...[string, number][]][]
        const masters = new Set(slots.map(([, , [, port] = ['', 0]]) => port))
        const knowsReplicas = masters.size === 3 && slots.every(([, , ...nodes]) => nodes.length === 2)
        return info.includes('cluster_state:ok') && knowsReplicas && (role[0] === 'master' || role[3] === 'connected')
      }),
    )
    return states.every(Boolean)
  }

  /**
   * Gives the first three servers the slots, makes all know each other, and gives the others a master each.
   *
   * `redis-cli --cluster create` does the same, but on a busy machine it may wait for ever: a server that has not answered within the node
   * timeout is forgotten, and it is not introduced again.
   */
  async #assemble(): Promise<void> {
    const [first] = this.servers as [RedisServer]
    const slots = [0, 5461, 10_923, 16_384]
    const ids: string[] = []
    for (const [index, server] of this.servers.entries()) {
      ids.push(String(await server.command('CLUSTER', 'MYID')))
      await server.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
      const [from, next] = slots.slice(index)
      if (from !== undefined && next !== undefined) await server.command('CLUSTER', 'ADDSLOTSRANGE', from, next - 1)
    }
    await eventually(async () => {
      const known = await Promise.all(this.servers.map(knownTo))
      for (const [index, server] of this.servers.entries()) {
        const isMet = known[0]?.has(ids[index] ?? '') && known[index]?.has(ids[0] ?? '')
        if (!isMet) await first.command('CLUSTER', 'MEET', '127.0.0.1', server.port, await busPortOf(server))
      }
      return known.every((others) => ids.every((id) => others.has(id)))
    })
    for (const [index, replica] of this.servers.slice(3).entries()) {
      await replica.command('CLUSTER', 'REPLICATE', ids[index] ?? '')
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  #at(port: number): RedisServer | undefined {
    return this.servers.find((server) => server.port === port)
  }
}

/** The ids of the servers that a server has met, and its own. */
async function knownTo(server: RedisServer): Promise<Set<string>> {
  const lines = String(await server.command('CLUSTER', 'NODES')).split('\n')
  return new Set(lines.filter((line) => !line.includes('handshake')).map((line) => line.split(' ')[0] ?? ''))
}

/** The port on which the servers of a Cluster talk to each other. */
async function busPortOf(server: RedisServer): Promise<number> {
  return Number(/@(\d+)\S* myself/.exec(String(await server.command('CLUSTER', 'NODES')))?.[1])
}
