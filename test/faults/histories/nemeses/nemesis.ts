import type { SeededRandom } from '../../../support/seeded-random'
import type { Temperament } from '../clients/owner'
import type { Fault, History } from '../history'
import type { CampaignHost } from '../hosts/campaign-host'
import type { FrontProxy } from '../hosts/front-proxy'
import type { HostSettings } from '../hosts/settings'
import type { ClusterCampaignStore } from '../stores/cluster-campaign-store'
import type { PostgresCampaignStore, PostgresSetup } from '../stores/postgres-campaign-store'
import type { RedisCampaignStore, RedisSetup } from '../stores/redis-campaign-store'

/** What a nemesis can break, and its time limit. */
export interface Stage {
  hosts: readonly CampaignHost[]
  /** Only if it asked for them. */
  fronts: readonly FrontProxy[]
  random: SeededRandom
  history: History
  isOver(): boolean
  /** Waits, but not beyond the end of the time. */
  sleep(ms: number): Promise<void>
  tell(what: string, lost?: Fault['lost']): void
  /** The keys and secrets of the hosts: the first ones, and new ones. */
  keys: Record<'old' | 'new', { signingKey: string; credentialSecret: string }>
}

interface Shared {
  name: string
  /** How many milliseconds the clock of each host is ahead. */
  clocks?: readonly number[]
  /** Whether requests go through a proxy in front of each host. */
  fronts?: boolean
  /** How many seconds the clock of the store is set forward or back at most. */
  storeClockJumps?: number
  /** Promises of the hosts that differ from the campaign's. */
  signIn?: HostSettings['signIn']
  /** How clients retry, if the nemesis is about that. */
  retry?: Temperament['retry']
}

/**
 * Breaks things on a schedule from a seed. `run` starts and heals the fault until the time is over, and leaves nothing broken.
 */
export type Nemesis =
  | (Shared & { on: 'redis'; setup?: RedisSetup; run(stage: Stage, store: RedisCampaignStore): Promise<void> })
  | (Shared & { on: 'postgres'; setup?: PostgresSetup; run(stage: Stage, store: PostgresCampaignStore): Promise<void> })
  | (Shared & { on: 'cluster'; run(stage: Stage, store: ClusterCampaignStore): Promise<void> })
  | (Shared & { on: 'any store'; run(stage: Stage): Promise<void> })

/** Breaks and heals in turn until the time is over. Times are milliseconds. */
export async function byTurns(
  { random, isOver, sleep }: Stage,
  { well, broken }: Record<'well' | 'broken', readonly [number, number]>,
  act: { start(): unknown; heal(): unknown },
): Promise<void> {
  const time = ([from, to]: readonly [number, number]) => from + random.next() * (to - from)
  for (await sleep(time(well)); !isOver(); await sleep(time(well))) {
    await act.start()
    try {
      await sleep(time(broken))
    } finally {
      await act.heal()
    }
  }
}
