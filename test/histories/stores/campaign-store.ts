/** The kinds of store that a campaign can run on. */
export const storeKinds = ['redis'] as const

export type StoreKind = (typeof storeKinds)[number]

/** How a host process reaches the store, as JSON. Another kind of store adds its own member. */
export type StoreSettings = { redis: { port: number } } | { cluster: { host: string; port: number }[] }

/** A store that the campaign has started for one run. */
export interface CampaignStore {
  /** What the host with this number needs to reach it. */
  settingsFor(host: number): StoreSettings
  stop(): Promise<void>
}
