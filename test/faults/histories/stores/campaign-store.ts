import type { DatabaseServer } from '../../../support/database'
import type { ServerProxy } from '../../../support/server-proxy'

/** The kinds of store that a campaign can run on. */
export const storeKinds = ['redis', 'postgres'] as const

export type StoreKind = (typeof storeKinds)[number]

/** How a host process reaches the store, as JSON. Another kind of store adds its own member. */
export type StoreSettings =
  | { redis: { port: number } }
  | { cluster: { host: string; port: number }[] }
  | { postgres: { port: number } }

/** A store that the campaign has started for one run. */
export interface CampaignStore {
  /** What the host with this number needs to reach it. */
  settingsFor(host: number): StoreSettings
  stop(): Promise<void>
}

/** A store on one server, with what a nemesis can break of any database. */
export interface ServerCampaignStore extends CampaignStore {
  /** What the nemeses call the database. */
  readonly name: string
  /** The server that the hosts use. */
  readonly master: DatabaseServer
  /** What is between each host and the server, if the nemesis has asked for it. */
  readonly proxies: readonly ServerProxy[]
}
