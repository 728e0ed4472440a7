import type { Nemesis, Stage } from '../nemeses/nemesis'
import type { CampaignStore } from './campaign-store'
import { ClusterCampaignStore } from './cluster-campaign-store'
import { RedisCampaignStore } from './redis-campaign-store'

/** The store that a nemesis needs, and the nemesis on it. */
export async function startStore(
  nemesis: Nemesis,
  hosts: number,
): Promise<{ store: CampaignStore; run: (stage: Stage) => Promise<void> }> {
  if (nemesis.on === 'cluster') {
    const store = await ClusterCampaignStore.start()
    return { store, run: (stage) => nemesis.run(stage, store) }
  }
  const setup = nemesis.on === 'redis' ? (nemesis.setup ?? {}) : {}
  const store = await RedisCampaignStore.start(setup, hosts)
  return { store, run: (stage) => nemesis.run(stage, store) }
}
