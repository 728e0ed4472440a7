import { generateKeyPairSync } from 'node:crypto'
import { freePort } from '../support/redis-server'
import { SeededRandom } from '../support/seeded-random'
import { check, type Verdict } from './checker/check'
import type { Terms } from './checker/grant-history'
import { others } from './clients/others'
import type { Owner } from './clients/owner'
import { keepPopulated } from './clients/population'
import { Requests } from './clients/requests'
import { hangUp } from './clients/send'
import { History } from './history'
import { CampaignHost } from './hosts/campaign-host'
import type { DefectName } from './hosts/defects'
import { FrontProxy } from './hosts/front-proxy'
import { frameworks } from './hosts/settings'
import type { Nemesis, Stage } from './nemeses/nemesis'
import { startStore } from './stores/start-store'
import { Timing } from './timing'

/** What a campaign can be told. Times are seconds. */
export interface CampaignOptions {
  seconds: number
  seed: number
  clients: number
  window: number
  tolerance: number
  storeTimeout: number
  store: 'redis'
  defect?: DefectName
}

/** What one run came to; `file` is its history, where something is to be looked at. */
export interface RunResult extends Verdict {
  nemesis: string
  file?: string
}

const hostCount = frameworks.length
// How long clients of the store take to find it again.
const settled = 1500

/** Lets clients, thieves and a nemesis loose on four host processes, and checks the history. */
export async function runNemesis(nemesis: Nemesis, options: CampaignOptions): Promise<RunResult> {
  const history = new History()
  const random = new SeededRandom(options.seed)
  const promises = {
    refreshRetryWindow: options.window,
    replayTolerance: options.tolerance,
    storeTimeout: options.storeTimeout,
    ...nemesis.signIn,
  }
  const keys = { old: newKeys(), new: newKeys() }
  const { clocks = [] } = nemesis
  const stopping: (() => Promise<unknown>)[] = []

  try {
    const { store, run } = await startStore(nemesis, hostCount)
    stopping.unshift(() => store.stop())
    const hosts = await Promise.all(
      frameworks.map(async (framework, number) => {
        const settings = {
          framework,
          port: await freePort(),
          store: store.settingsFor(number),
          signIn: promises,
          signingKeys: [keys.old.signingKey],
          credentialSecrets: [keys.old.credentialSecret],
          ...(options.defect && { defect: options.defect }),
        }
        return new CampaignHost(number, settings, clocks[number] ?? 0, history)
      }),
    )
    stopping.unshift(() => Promise.all(hosts.map((host) => host.kill())))
    await Promise.all(hosts.map((host) => host.start()))

    const fronts: FrontProxy[] = []
    const requests = new Requests(history, (host) => (fronts[host] ?? hosts[host])?.port ?? 0)
    if (nemesis.fronts) {
      for (const [number, { port }] of hosts.entries()) {
        fronts.push(await FrontProxy.start({ number, port }, history, requests))
      }
      stopping.unshift(() => Promise.all(fronts.map((front) => front.stop())))
    }

    const timing = new Timing()
    const stage: Stage = {
      hosts,
      fronts,
      keys,
      history,
      // Of its own, so that the same faults come whatever the clients do.
      random: new SeededRandom(options.seed + 1),
      isOver: () => timing.isOver,
      sleep: (ms) => timing.sleep(ms),
      tell: (what, lost) => history.add({ kind: 'fault', at: history.now(), what, ...(lost && { lost }) }),
    }
    const finale = new Timing()
    let grants = 0
    const scene = {
      requests,
      random,
      hosts: hostCount,
      isFinale: () => finale.isOver,
      sleep: (ms: number) => finale.sleep(ms),
      nextGrant: () => grants++,
      now: () => history.now(),
      terms: { window: promises.refreshRetryWindow, tolerance: promises.replayTolerance },
    }

    const owners: Owner[] = []
    const actors = [
      keepPopulated(scene, owners, { clients: options.clients, seconds: options.seconds, retry: nemesis.retry }),
      ...others(scene, owners, { olderGenerations: nemesis.olderGenerations ?? false }),
    ]
    const broken = run(stage)
    await timing.sleep(options.seconds * 1000)
    timing.end()
    await broken
    stage.tell('all is healed')
    await finale.sleep(settled)
    finale.end()
    await Promise.all(actors)
  } finally {
    hangUp()
    for (const stop of stopping) await stop()
  }

  const terms: Terms = {
    window: promises.refreshRetryWindow,
    tolerance: promises.replayTolerance,
    clocks: clocks.map((ms) => ms / 1000),
  }
  const verdict = check(history.entries, terms)
  const file = verdict.violations.length > 0 ? history.save(nemesis.name) : undefined
  return { nemesis: nemesis.name, ...verdict, ...(file && { file }) }
}

function newKeys() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return { signingKey, credentialSecret: signingKey.slice(30, 90) }
}
