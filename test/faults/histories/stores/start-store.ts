import type { Nemesis, Stage } from '../nemeses/nemesis'
import type { CampaignStore, StoreKind } from './campaign-store'
import { ClusterCampaignStore } from './cluster-campaign-store'
import { PostgresCampaignStore } from './postgres-campaign-store'
import { RedisCampaignStore } from './redis-campaign-store'

/** A store, and the nemesis on it. */
export interface StartedStore {
  store: CampaignStore
  run(stage: Stage): Promise<void>
}

/** Starts the store that a nemesis needs, or a store of this kind if the nemesis works with any. */
export async function startStore(nemesis: Nemesis, kind: StoreKind, hosts: number): Promise<StartedStore> {
  switch (nemesis.on) {
    case 'cluster': {
      const store = await ClusterCampaignStore.start()
      return { store, run: (stage) => nemesis.run(stage, store) }
    }
    case 'redis': {
      const store = await RedisCampaignStore.start(nemesis.setup ?? {}, hosts)
      return { store, run: (stage) => nemesis.run(stage, store) }
    }
    case 'postgres': {
      const store = await PostgresCampaignStore.start(nemesis.setup ?? {}, hosts)
      return { store, run: (stage) => nemesis.run(stage, store) }
    }
    case 'any store':
      return { store: await starters[kind](hosts), run: (stage) => nemesis.run(stage) }
  }
}

const starters: Record<StoreKind, (hosts: number) => Promise<CampaignStore>> = {
  redis: (hosts) => RedisCampaignStore.start({}, hosts),
  postgres: (hosts) => PostgresCampaignStore.start({}, hosts),
}
