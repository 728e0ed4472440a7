import type { ServerCampaignStore } from '../stores/campaign-store'
import { onTheWay, roughly } from './front'
import { killHosts, pauseHosts } from './hosts'
import type { Nemesis, Stage } from './nemesis'
import { cutConnections, freezeServer, killServer, loseAnswers } from './server-faults'

const setup = { proxies: true }
const shared = { setup, fronts: true, clocks: [0, 20, -2000, 2000], run: breakEverything }

/** All faults at once, except those that lose acknowledged writes. */
export const everything: Nemesis[] = [
  { name: 'everything-at-once', on: 'redis', ...shared },
  { name: 'everything-at-once-on-postgres', on: 'postgres', ...shared },
]

async function breakEverything(stage: Stage, store: ServerCampaignStore): Promise<void> {
  await Promise.all([
    onTheWay(stage, roughly),
    cutConnections(stage, store),
    loseAnswers(stage, store, { well: [3000, 8000], broken: [300, 2500] }),
    serverFaults(stage, store),
    hostFaultsInTurn(stage),
  ])
}

/** One after the other, because a frozen server cannot be killed and started at the same time. */
async function serverFaults(stage: Stage, store: ServerCampaignStore): Promise<void> {
  await inTurn(stage, [
    (limited) => killServer(limited, store, { well: [2000, 5000], broken: [300, 2500] }),
    (limited) => freezeServer(limited, store, { well: [2000, 5000], broken: [300, 2500] }),
  ])
}

async function hostFaultsInTurn(stage: Stage): Promise<void> {
  await inTurn(stage, [
    (limited) => killHosts(limited, { well: [2000, 5000], broken: [200, 1500] }),
    (limited) => pauseHosts(limited, { well: [2000, 5000], broken: [500, 4500] }),
  ])
}

/** Each nemesis works for a while. */
async function inTurn(stage: Stage, works: readonly ((limited: Stage) => Promise<void>)[]): Promise<void> {
  for (let turn = 0; !stage.isOver(); turn++) {
    const until = stage.history.now() + 8000
    const isOver = () => stage.isOver() || stage.history.now() >= until
    await works[turn % works.length]?.({ ...stage, isOver })
  }
}
