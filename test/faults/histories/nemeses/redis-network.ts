import type { RedisCampaignStore } from '../stores/redis-campaign-store'
import { byTurns, type Nemesis, type Stage } from './nemesis'
import { cutConnections, fourteenSeconds, jumps, loseAnswers, setClock, silentShortly } from './server-faults'

async function flushAndKill({ random, isOver, sleep }: Stage, { master }: RedisCampaignStore): Promise<void> {
  while (!isOver()) {
    await sleep(50 + random.next() * 350)
    await master.command('SCRIPT', 'FLUSH')
    await master.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  }
}

async function fillMemory(stage: Stage, { master }: RedisCampaignStore): Promise<void> {
  await byTurns(
    stage,
    { well: [1500, 4000], broken: [500, 4000] },
    {
      start: async () => {
        await master.command('CONFIG', 'SET', 'maxmemory', '1')
        stage.tell('the memory is full')
      },
      heal: async () => {
        await master.command('CONFIG', 'SET', 'maxmemory', '0')
        stage.tell('there is memory again')
      },
    },
  )
}

/** A replica takes over, at once or after the hosts have written to the old master for a while. */
async function failOver(stage: Stage, store: RedisCampaignStore): Promise<void> {
  const { random, history, isOver, sleep, tell } = stage
  for (await sleep(4000); !isOver(); await sleep(3000 + random.next() * 3000)) {
    const from = history.now() - 250
    const divided = random.next() < 0.5 ? 10 + random.next() * 50 : 800 + random.next() * 700
    await store.failOver(() => new Promise((resolve) => setTimeout(resolve, divided)))
    tell('the replica has taken over', { from, to: history.now() + 50 })
    await sleep(1000)
    await store.rejoin()
  }
}

/** The nemeses of the network between the hosts and Redis, and of what Redis refuses. */
export const redisNetwork: Nemesis[] = [
  {
    name: 'answers-of-redis-lost',
    on: 'redis',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, silentShortly),
  },
  {
    name: 'answers-of-redis-lost-for-long',
    on: 'redis',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, fourteenSeconds),
  },
  { name: 'connections-to-redis-cut', on: 'redis', setup: { proxies: true }, run: cutConnections },
  { name: 'scripts-flushed-clients-killed', on: 'redis', run: flushAndKill },
  { name: 'memory-full', on: 'redis', run: fillMemory },
  { name: 'clock-of-redis-jumps', on: 'redis', setup: { clock: true }, storeClockJumps: jumps, run: setClock },
  { name: 'failover', on: 'redis', setup: { proxies: true, replica: true }, run: failOver },
]
