import { HostProcess } from '../../../support/host-process'
import { RedisServer } from '../../../support/redis-server'
import { SeededRandom } from '../../../support/seeded-random'
import { SlowFront } from '../../../support/slow-front'

/** How long a used refresh token can be presented again, in seconds. */
export const retryWindow = 300

const mcpPath = '/v1/:tenantKey/mcp'

/** A host with an MCP server: four processes over one Redis, behind a slow front. */
export class BurstSite {
  readonly front: SlowFront
  readonly #hosts: HostProcess[]
  readonly #redis: RedisServer

  private constructor(front: SlowFront, hosts: HostProcess[], redis: RedisServer) {
    this.front = front
    this.#hosts = hosts
    this.#redis = redis
    front.targets = hosts.map(({ url }) => url)
  }

  /** @param maxDelay The longest time that a request or a response takes, in milliseconds. */
  static async start({
    refreshRetryWindow = retryWindow,
    maxDelay = 300,
    seed = 1,
  }: {
    refreshRetryWindow?: number
    maxDelay?: number
    seed?: number
  } = {}): Promise<BurstSite> {
    const redis = await RedisServer.start()
    const front = await SlowFront.start(new SeededRandom(seed), maxDelay)
    // No tolerance after the window, so that a later repeat ends the grant.
    const strict = { refreshRetryWindow, replayTolerance: 0 }
    // All assistants belong to one customer and one client.
    const signIn = { baseUrl: front.url, ...strict, grants: { perClient: 10_000 } }
    const hosts = await HostProcess.startAll(4, { redis: { port: redis.port }, signIn, mcpPath })
    return new BurstSite(front, hosts, redis)
  }

  async stop(): Promise<void> {
    await this.front.stop()
    await Promise.all(this.#hosts.map((host) => host.stop()))
    await this.#redis.stop()
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

  /** The `error` events of all processes. */
  get errors(): string[] {
    return this.#hosts.flatMap(({ errors }) => errors)
  }
}
