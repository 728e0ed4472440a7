import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { freePort } from '../../../scripts/free-port'
import { Requests } from './clients/requests'
import { hangUp } from './clients/send'
import type { History } from './history'
import { CampaignHost } from './hosts/campaign-host'
import { FrontProxy } from './hosts/front-proxy'
import { frameworks, type HostSettings } from './hosts/settings'
import type { Nemesis, Stage } from './nemeses/nemesis'
import type { CampaignOptions } from './options'
import { type StartedStore, startStore } from './stores/start-store'

/** The processes of one run: the store, the hosts, and the proxies in front of them. */
export class World {
  readonly hosts: CampaignHost[] = []
  readonly fronts: FrontProxy[] = []
  readonly keys: Stage['keys'] = { old: newKeys(), new: newKeys() }
  readonly requests: Requests
  #store: StartedStore | undefined

  private constructor(history: History) {
    this.requests = new Requests(history, (host) => (this.fronts[host] ?? this.hosts[host])?.port ?? 0)
  }

  static async start(
    nemesis: Nemesis,
    signIn: HostSettings['signIn'],
    { store: kind, defect }: CampaignOptions,
    history: History,
  ): Promise<World> {
    const world = new World(history)
    try {
      const started = await startStore(nemesis, kind, frameworks.length)
      world.#store = started
      for (const [number, framework] of frameworks.entries()) {
        const settings: HostSettings = {
          framework,
          port: await freePort(),
          store: started.store.settingsFor(number),
          signIn,
          signingKeys: [world.keys.old.signingKey],
          credentialSecrets: [world.keys.old.credentialSecret],
          ...(defect && { defect }),
        }
        world.hosts.push(new CampaignHost(number, settings, nemesis.clocks?.[number] ?? 0, history))
      }
      await Promise.all(world.hosts.map((host) => host.start()))
      for (const [number, { port }] of nemesis.fronts ? world.hosts.entries() : []) {
        world.fronts.push(await FrontProxy.start({ number, port }, history, world.requests))
      }
      return world
    } catch (error) {
      await world.stop()
      throw error
    }
  }

  /** Runs the nemesis until the stage says that its time is over. */
  async run(stage: Stage): Promise<void> {
    await this.#store?.run(stage)
  }

  async stop(): Promise<void> {
    hangUp()
    await Promise.all(this.fronts.map((front) => front.stop()))
    await Promise.all(this.hosts.map((host) => host.kill()))
    await this.#store?.store.stop()
  }
}

function newKeys() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return { signingKey, credentialSecret: randomBytes(32).toString('hex') }
}
