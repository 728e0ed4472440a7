import { RedisCluster } from '../../../support/redis-cluster'
import type { RedisServer } from '../../../support/redis-server'
import type { CampaignStore, StoreSettings } from './campaign-store'

type Slots = [from: number, to: number, ...nodes: [host: string, port: number, id: string][]][]

/** A Redis Cluster of three masters whose slots can move. */
export class ClusterCampaignStore implements CampaignStore {
  readonly #cluster: RedisCluster

  private constructor(cluster: RedisCluster) {
    this.#cluster = cluster
  }

  static async start(): Promise<ClusterCampaignStore> {
    return new ClusterCampaignStore(await RedisCluster.start())
  }

  settingsFor(): StoreSettings {
    return { cluster: this.#cluster.nodes }
  }

  stop(): Promise<void> {
    return this.#cluster.stop()
  }

  /** A slot that holds a key now; `chosen` is from 0 up to 1. */
  async slotInUse(chosen: number): Promise<number> {
    const [first] = this.#cluster.servers
    const slots = (await first?.command('CLUSTER', 'SLOTS')) as Slots
    const master = this.#at(slots[Math.floor(chosen * slots.length)]?.[2]?.[1])
    return Number(await master.command('CLUSTER', 'KEYSLOT', String(await master.command('RANDOMKEY'))))
  }

  /** Moves a slot with its keys to another master, as `redis-cli --cluster reshard` does; `between` runs halfway. */
  async move(slot: number, between: () => Promise<void>): Promise<void> {
    const [first] = this.#cluster.servers
    const slots = (await first?.command('CLUSTER', 'SLOTS')) as Slots
    const source = slots.find(([from, to]) => from <= slot && slot <= to)?.[2]
    const target = slots.find(([, , node]) => node?.[2] !== source?.[2])?.[2]
    if (!source || !target) throw new Error(`No master serves slot ${slot}`)
    const [from, to] = [this.#at(source[1]), this.#at(target[1])]
    await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source[2])
    await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target[2])
    await between()
    for (let keys = await keysIn(from, slot); keys.length > 0; keys = await keysIn(from, slot)) {
      await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys)
    }
    await between()
    await to.command('CLUSTER', 'SETSLOT', slot, 'NODE', target[2])
    await from.command('CLUSTER', 'SETSLOT', slot, 'NODE', target[2])
  }

  #at(port: number | undefined): RedisServer {
    const server = this.#cluster.servers.find((candidate) => candidate.port === port)
    if (!server) throw new Error(`No server listens on ${port}`)
    return server
  }
}

async function keysIn(server: RedisServer, slot: number): Promise<string[]> {
  return (await server.command('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[]
}
