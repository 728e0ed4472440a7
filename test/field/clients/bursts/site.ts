import { HostProcess } from '../../../support/host-process'
import type { HostSettings } from '../../../support/host-process/settings'
import { RedisServer } from '../../../support/redis-server'
import { SeededRandom } from '../../../support/seeded-random'
import { SlowFront } from '../../../support/slow-front'

/** How long a used refresh token can be presented again, in seconds. */
export const retryWindow = 300

const mcpPath = '/v1/:tenantKey/mcp'

/** What keeps the grants of a site. */
export interface SiteStore {
  start(): Promise<{ port: number; stop(): Promise<void> }>
  settingsFor(port: number): Pick<HostSettings, 'redis' | 'postgres' | 'inMemory'>
}

export const onRedis: SiteStore = {
  start: () => RedisServer.start(),
  settingsFor: (port) => ({ redis: { port } }),
}

/** A host with an MCP server: four processes over one database, behind a slow front. */
export class BurstSite {
  readonly front: SlowFront
  readonly #hosts: HostProcess[]
  readonly #server: { stop(): Promise<void> }

  private constructor(front: SlowFront, hosts: HostProcess[], server: { stop(): Promise<void> }) {
    this.front = front
    this.#hosts = hosts
    this.#server = server
    front.targets = hosts.map(({ url }) => url)
  }

  /**
   * @param maxDelay The longest time that a request or a response takes, in milliseconds.
   * @param clockOffsets How far the clock of each process is ahead, in seconds.
   */
  static async start({
    database = onRedis,
    clockOffsets = [0, 0, 0, 0],
    refreshRetryWindow = retryWindow,
    maxDelay = 300,
    seed = 1,
  }: {
    database?: SiteStore
    clockOffsets?: readonly number[]
    refreshRetryWindow?: number
    maxDelay?: number
    seed?: number
  } = {}): Promise<BurstSite> {
    const server = await database.start()
    const front = await SlowFront.start(new SeededRandom(seed), maxDelay)
    // No tolerance after the window, so that a later repeat ends the grant.
    const strict = { refreshRetryWindow, replayTolerance: 0 }
    // All assistants belong to one customer and one client.
    const signIn = { baseUrl: front.url, ...strict, grants: { perClient: 10_000 } }
    const settings = { ...database.settingsFor(server.port), signIn, mcpPath }
    const start = (clockOffset: number) => HostProcess.start({ ...settings, clockOffset })
    return new BurstSite(front, await Promise.all(clockOffsets.map(start)), server)
  }

  async stop(): Promise<void> {
    await this.front.stop()
    await Promise.all(this.#hosts.map((host) => host.stop()))
    await this.#server.stop()
  }

  /** One of the processes, without the slow front. */
  get host(): HostProcess {
    return this.#hosts[0] as HostProcess
  }

  get issuer(): string {
    return `${this.front.url}/v1/acme/oauth`
  }

  /** The MCP server's address. */
  get mcp(): string {
    return `${this.front.url}${mcpPath.replace(':tenantKey', 'acme')}`
  }

  /** How often an event occurred in all processes. */
  told(event: string): number {
    return this.#hosts.reduce((sum, { events }) => sum + (events[event] ?? 0), 0)
  }

  /** The `error` events of all processes. */
  get errors(): string[] {
    return this.#hosts.flatMap(({ errors }) => errors)
  }
}
