import { cutPoints } from '../../../support/server-proxy'
import type { ServerCampaignStore } from '../stores/campaign-store'
import { byTurns, type Stage } from './nemesis'

/** How long it is well and how long it is broken, in milliseconds. */
export type Times = Parameters<typeof byTurns>[1]

const never = Number.POSITIVE_INFINITY
/** Outages of the server, and how long slow clients wait before they try again. */
export const short: Times = { well: [1500, 5000], broken: [300, 2500] }
export const once: Times = { well: [4000, 4000], broken: [6000, 6000] }
export const long: Times = { well: [3000, 4000], broken: [12_000, 15_000] }
export const frozenShortly: Times = { well: [1000, 4000], broken: [300, 4500] }
export const silentShortly: Times = { well: [1000, 4000], broken: [300, 3000] }
export const fourteenSeconds: Times = { well: [3000, 4000], broken: [14_000, 14_000] }
export const leisurely = [5000, 60_000] as const

/** The server is killed and started again. */
export async function killServer(stage: Stage, store: ServerCampaignStore, times: Times): Promise<void> {
  await byTurns(stage, times, {
    start: async () => {
      await store.master.kill()
      stage.tell(`${store.name} is killed`)
    },
    heal: async () => {
      await store.master.start()
      stage.tell(`${store.name} is back`)
    },
  })
}

/** The server is paused (SIGSTOP). */
export async function freezeServer(stage: Stage, store: ServerCampaignStore, times: Times): Promise<void> {
  await byTurns(stage, times, {
    start: () => {
      store.master.signal('SIGSTOP')
      stage.tell(`${store.name} is frozen`)
    },
    heal: () => {
      store.master.signal('SIGCONT')
      stage.tell(`${store.name} goes on`)
    },
  })
}

/** Causes the fault once, and then lets the time pass. */
export async function onlyOnce(stage: Stage, work: (limited: Stage) => Promise<void>): Promise<void> {
  let waits = 0
  const sleep = (ms: number) => stage.sleep(waits++ < 2 ? ms : never)
  await work({ ...stage, sleep })
}

/** All hosts, or some of them, get no replies, although their commands arrive. */
export async function loseAnswers(stage: Stage, { name, proxies }: ServerCampaignStore, times: Times): Promise<void> {
  const { random, tell } = stage
  await byTurns(stage, times, {
    start: () => {
      const cutOff = random.next() < 0.5 ? proxies : proxies.slice(random.below(proxies.length))
      for (const proxy of cutOff) proxy.loseReplies()
      tell(`the answers of ${name} to ${cutOff.length} hosts are lost`)
    },
    heal: () => {
      for (const proxy of proxies) proxy.passReplies()
      tell(`the answers of ${name} arrive`)
    },
  })
}

/** Connections break before, inside and after commands. */
export async function cutConnections(
  { random, isOver, sleep }: Stage,
  { proxies }: ServerCampaignStore,
): Promise<void> {
  while (!isOver()) {
    await sleep(50 + random.next() * 250)
    proxies[random.below(proxies.length)]?.cutNext({ point: random.pick(cutPoints), at: random.next() })
  }
  for (const proxy of proxies) proxy.cutNext()
}

const day = 86_400
/** By how many seconds the clock of the server jumps. */
export const jumps = 10

/** Its clock is a day ahead, and is set forward and back. It ends at its latest time, because a grant written in its future has to wait. */
export async function setClock(
  { random, isOver, sleep, tell }: Stage,
  { name, master }: ServerCampaignStore,
): Promise<void> {
  while (!isOver()) {
    const ahead = (random.next() - 0.5) * jumps
    master.clock.set(day + ahead)
    tell(`the clock of ${name} is set to ${ahead.toFixed(1)} s and a day ahead`)
    await sleep(1000 + random.next() * 4000)
  }
  master.clock.set(day + jumps / 2)
}
