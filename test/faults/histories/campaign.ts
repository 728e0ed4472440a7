import { SeededRandom } from '../../support/seeded-random'
import { check, type Verdict } from './checker/check'
import { others } from './clients/others'
import type { Owner } from './clients/owner'
import { keepPopulated } from './clients/population'
import type { Scene } from './clients/scene'
import { History } from './history'
import type { Nemesis, Stage } from './nemeses/nemesis'
import type { CampaignOptions } from './options'
import { Timing } from './timing'
import { World } from './world'

/** The result of one run. */
export interface RunResult extends Verdict {
  nemesis: string
  history: History
}

// How long, in milliseconds, the hosts' Redis clients take to reconnect.
const settling = 1500

/** Runs clients, thieves and a nemesis against four host processes, and checks the history. */
export async function runNemesis(nemesis: Nemesis, options: CampaignOptions): Promise<RunResult> {
  const { window: refreshRetryWindow, tolerance: replayTolerance, hostTimeout } = options
  const signIn = { refreshRetryWindow, replayTolerance, hostTimeout, ...nemesis.signIn }
  const terms = { window: signIn.refreshRetryWindow, tolerance: signIn.replayTolerance }
  const history = new History()
  const world = await World.start(nemesis, signIn, options, history)
  try {
    await play(world, history, terms, nemesis, options)
  } finally {
    await world.stop()
  }
  const { storeClockJumps = 0 } = nemesis
  const clocks = (nemesis.clocks ?? []).map((ms) => ms / 1000)
  return { nemesis: nemesis.name, history, ...check(history.entries, { ...terms, clocks, storeClockJumps }) }
}

/** Everybody acts while the nemesis does. When it has healed its faults, every owner sends one last request. */
async function play(
  world: World,
  history: History,
  terms: Scene['terms'],
  { retry }: Nemesis,
  { seed, seconds, clients }: CampaignOptions,
): Promise<void> {
  const [broken, finale] = [new Timing(), new Timing()]
  const stage: Stage = {
    hosts: world.hosts,
    fronts: world.fronts,
    keys: world.keys,
    history,
    // A separate seed, so that the faults are the same whatever the clients do.
    random: new SeededRandom(seed + 1),
    isOver: () => broken.isOver,
    sleep: (ms) => broken.sleep(ms),
    tell: (what, lost) => history.add({ kind: 'fault', at: history.now(), what, ...(lost && { lost }) }),
  }
  let grants = 0
  const scene: Scene = {
    requests: world.requests,
    random: new SeededRandom(seed),
    hosts: world.hosts.length,
    terms,
    isFinale: () => finale.isOver,
    sleep: (ms) => finale.sleep(ms),
    nextGrant: () => grants++,
    now: () => history.now(),
  }
  const owners: Owner[] = []
  const acting = [keepPopulated(scene, owners, { clients, seconds, retry }), ...others(scene, owners)]

  try {
    await Promise.all([world.run(stage), broken.sleep(seconds * 1000).then(() => broken.end())])
    stage.tell('all is healed')
    await finale.sleep(settling)
  } finally {
    broken.end()
    finale.end()
  }
  await Promise.all(acting)
}
