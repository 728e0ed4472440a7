import { hasAll } from '../../../support/redis-replication'
import { eventually, RedisServer } from '../../../support/redis-server'
import { resp } from '../../../support/resp'
import { ServerProxy } from '../../../support/server-proxy'
import type { ServerCampaignStore, StoreSettings } from './campaign-store'

/** The Redis that a nemesis needs. */
export interface RedisSetup {
  /** More settings, as on the command line of the server. */
  args?: readonly string[]
  /** Each host reaches it through its own proxy, which can break the connection. */
  proxies?: boolean
  /** The server has its own clock, which can be set. */
  clock?: boolean
  /** A second server follows the first. */
  replica?: boolean
}

const durable = ['--appendonly', 'yes', '--appendfsync', 'always']

/** A Redis that loses nothing when it is killed, with everything that a nemesis can break. */
export class RedisCampaignStore implements ServerCampaignStore {
  readonly name = 'Redis'
  readonly proxies: ServerProxy[]
  /** The server that the hosts use, and its replica. */
  master: RedisServer
  replica: RedisServer | undefined

  private constructor(master: RedisServer, replica: RedisServer | undefined, proxies: ServerProxy[]) {
    this.master = master
    this.replica = replica
    this.proxies = proxies
  }

  static async start(
    { args = durable, proxies, replica, clock = false }: RedisSetup,
    hosts: number,
  ): Promise<RedisCampaignStore> {
    const following = ['--repl-diskless-sync-delay', '0', ...args]
    const master = await RedisServer.start(following, { clock })
    const second = replica ? await RedisServer.start(following) : undefined
    const between = proxies ? Array.from({ length: hosts }, () => ServerProxy.start(master.port, resp)) : []
    const store = new RedisCampaignStore(master, second, await Promise.all(between))
    if (second) await store.#follow(second, master)
    return store
  }

  settingsFor(host: number): StoreSettings {
    return { redis: { port: this.proxies[host]?.port ?? this.master.port } }
  }

  /** Makes the replica take over. Writes that the old master has acknowledged since `divide` are lost. */
  async failOver(divide: () => Promise<void>): Promise<void> {
    const { master, replica } = this
    if (!replica) throw new Error('There is no replica')
    await replica.command('REPLICAOF', 'NO', 'ONE')
    await divide()
    for (const proxy of this.proxies) proxy.leadTo(replica.port)
    this.master = replica
    this.replica = master
  }

  /** Makes the demoted server follow the new master. */
  async rejoin(): Promise<void> {
    if (this.replica) await this.#follow(this.replica, this.master)
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()))
    await Promise.all([this.master.stop(), this.replica?.stop()])
  }

  async #follow(replica: RedisServer, master: RedisServer): Promise<void> {
    await replica.command('REPLICAOF', '127.0.0.1', master.port)
    await eventually(() => hasAll(replica, master))
  }
}
