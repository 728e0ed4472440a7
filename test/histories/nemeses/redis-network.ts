import { cutPoints } from '../../support/server-proxy'
import type { RedisCampaignStore } from '../stores/redis-campaign-store'
import { byTurns, type Nemesis, type Stage } from './nemesis'

type Times = Parameters<typeof byTurns>[1]

/** All hosts, or some of them, get no replies, although their commands arrive. */
export async function loseAnswers(stage: Stage, { proxies }: RedisCampaignStore, times: Times): Promise<void> {
  const { random, tell } = stage
  await byTurns(stage, times, {
    start: () => {
      const cutOff = random.next() < 0.5 ? proxies : proxies.slice(random.below(proxies.length))
      for (const proxy of cutOff) proxy.loseReplies()
      tell(`the answers of Redis to ${cutOff.length} hosts are lost`)
    },
    heal: () => {
      for (const proxy of proxies) proxy.passReplies()
      tell('the answers of Redis arrive')
    },
  })
}

/** Connections break before, inside and after commands. */
export async function cutConnections({ random, isOver, sleep }: Stage, { proxies }: RedisCampaignStore): Promise<void> {
  while (!isOver()) {
    await sleep(50 + random.next() * 250)
    proxies[random.below(proxies.length)]?.cutNext({ point: random.pick(cutPoints), at: random.next() })
  }
  for (const proxy of proxies) proxy.cutNext()
}

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

const day = 86_400
const jumps = 10

/** Redis's clock is a day ahead, and is set forward and back. It ends at its latest time, because a grant written in its future has to wait. */
async function setClock({ random, isOver, sleep, tell }: Stage, { master }: RedisCampaignStore): Promise<void> {
  while (!isOver()) {
    const ahead = (random.next() - 0.5) * jumps
    master.clock.set(day + ahead)
    tell(`the clock of Redis is set to ${ahead.toFixed(1)} s and a day ahead`)
    await sleep(1000 + random.next() * 4000)
  }
  master.clock.set(day + jumps / 2)
}

/** The nemeses of the network between the hosts and Redis, and of what Redis refuses. */
export const redisNetwork: Nemesis[] = [
  {
    name: 'answers-of-redis-lost',
    on: 'redis',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, { well: [1000, 4000], broken: [300, 3000] }),
  },
  {
    name: 'answers-of-redis-lost-for-long',
    on: 'redis',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, { well: [3000, 4000], broken: [14_000, 14_000] }),
  },
  { name: 'connections-to-redis-cut', on: 'redis', setup: { proxies: true }, run: cutConnections },
  { name: 'scripts-flushed-clients-killed', on: 'redis', run: flushAndKill },
  { name: 'memory-full', on: 'redis', run: fillMemory },
  { name: 'clock-of-redis-jumps', on: 'redis', setup: { clock: true }, storeClockJumps: jumps, run: setClock },
  { name: 'failover', on: 'redis', setup: { proxies: true, replica: true }, run: failOver },
]
