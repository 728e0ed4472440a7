import type { RedisCampaignStore } from '../stores/redis-campaign-store'
import { byTurns, type Nemesis, type Stage } from './nemesis'

type Times = Parameters<typeof byTurns>[1]

export async function killRedis(stage: Stage, store: RedisCampaignStore, times: Times): Promise<void> {
  await byTurns(stage, times, {
    start: async () => {
      await store.master.kill()
      stage.tell('Redis is killed')
    },
    heal: async () => {
      await store.master.start()
      stage.tell('Redis is back')
    },
  })
}

export async function freezeRedis(stage: Stage, store: RedisCampaignStore, times: Times): Promise<void> {
  await byTurns(stage, times, {
    start: () => {
      store.master.signal('SIGSTOP')
      stage.tell('Redis is frozen')
    },
    heal: () => {
      store.master.signal('SIGCONT')
      stage.tell('Redis goes on')
    },
  })
}

const never = Number.POSITIVE_INFINITY
const short: Times = { well: [1500, 5000], broken: [300, 2500] }
const once: Times = { well: [4000, 4000], broken: [6000, 6000] }
const long: Times = { well: [3000, 4000], broken: [12_000, 15_000] }
const leisurely = [5000, 60_000] as const

/** The nemeses that stop Redis without losing anything that it has acknowledged. */
export const redisDown: Nemesis[] = [
  { name: 'redis-killed', on: 'redis', run: (stage, store) => killRedis(stage, store, short) },
  {
    name: 'redis-killed-everysec',
    on: 'redis',
    setup: { args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] },
    run: (stage, store) => killRedis(stage, store, short),
  },
  {
    name: 'one-outage-leisurely-retries',
    on: 'redis',
    retry: leisurely,
    run: (stage, store) => onlyOnce(stage, (limited) => killRedis(limited, store, once)),
  },
  { name: 'long-outages', on: 'redis', run: (stage, store) => killRedis(stage, store, long) },
  {
    name: 'redis-frozen',
    on: 'redis',
    run: (stage, store) => freezeRedis(stage, store, { well: [1000, 4000], broken: [300, 4500] }),
  },
  {
    name: 'redis-frozen-once-leisurely-retries',
    on: 'redis',
    retry: leisurely,
    run: (stage, store) => onlyOnce(stage, (limited) => freezeRedis(limited, store, once)),
  },
  {
    name: 'redis-frozen-long',
    on: 'redis',
    run: (stage, store) => freezeRedis(stage, store, { well: [3000, 4000], broken: [14_000, 14_000] }),
  },
]

/** Causes the fault once, and then lets the time pass. */
async function onlyOnce(stage: Stage, work: (limited: Stage) => Promise<void>): Promise<void> {
  let waits = 0
  const sleep = (ms: number) => stage.sleep(waits++ < 2 ? ms : never)
  await work({ ...stage, sleep })
}
