import { postgresSchema } from 'customer-sign-in/postgres'
import { PostgresReplication } from '../../../support/postgres-replication'
import { PostgresServer } from '../../../support/postgres-server'
import { postgresWire } from '../../../support/postgres-wire'
import { eventually } from '../../../support/redis-server'
import { ServerProxy } from '../../../support/server-proxy'
import type { ServerCampaignStore, StoreSettings } from './campaign-store'

/** The PostgreSQL that a nemesis needs. */
export interface PostgresSetup {
  /** Each host reaches it through its own proxy, which can break the connection. */
  proxies?: boolean
  /** The server has its own clock, which can be set. */
  clock?: boolean
  /** A second server is a streaming replica of the first. */
  replica?: boolean
}

// A server that loses nothing that it has acknowledged, whatever happens to its machine.
const settings = { fsync: 'on' }

/** A PostgreSQL server, with everything that a nemesis can break. */
export class PostgresCampaignStore implements ServerCampaignStore {
  readonly name = 'PostgreSQL'
  readonly proxies: ServerProxy[]
  master: PostgresServer
  readonly #replication: PostgresReplication | undefined

  private constructor(master: PostgresServer, proxies: ServerProxy[], replication: PostgresReplication | undefined) {
    this.master = master
    this.proxies = proxies
    this.#replication = replication
  }

  static async start(
    { proxies, clock = false, replica }: PostgresSetup,
    hosts: number,
  ): Promise<PostgresCampaignStore> {
    const replication = replica ? await PostgresReplication.start(settings) : undefined
    const master = replication?.primary ?? (await PostgresServer.start(settings, { clock }))
    // As docs/operations-postgres.md says.
    await master.query(`${postgresSchema()} alter role postgres set statement_timeout = '2s'`)
    const between = proxies ? Array.from({ length: hosts }, () => ServerProxy.start(master.port, postgresWire)) : []
    return new PostgresCampaignStore(master, await Promise.all(between), replication)
  }

  settingsFor(host: number): StoreSettings {
    return { postgres: { port: this.proxies[host]?.port ?? this.master.port } }
  }

  /** Makes the replica take over for good. Writes that the primary has acknowledged since `divide` are lost. */
  async failOver(divide: () => Promise<void>): Promise<void> {
    if (!this.#replication) throw new Error('There is no replica')
    const { replica } = this.#replication
    await this.#replication.failOverWithout(divide)
    await eventually(
      async () => (await replica.query<{ is: boolean }>('select not pg_is_in_recovery() as is'))[0]?.is === true,
    )
    for (const proxy of this.proxies) proxy.leadTo(replica.port)
    this.master = replica
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()))
    await (this.#replication ?? this.master).stop()
  }
}
