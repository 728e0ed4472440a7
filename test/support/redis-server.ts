import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pathOf, RedisProcess, redisServerPath } from '../../scripts/redis-process'
import { describeWith } from './describe-with'
import { ServerClock } from './server-clock'

const faketimePath = pathOf('faketime')

/**
 * `describe` for suites that need a Redis server. Without one, they are skipped with a warning, and in CI they fail.
 */
export const describeWithRedis = describeWith('valkey-server or redis-server', redisServerPath)

/** The same for suites that need a server with its own clock. */
export const describeWithRedisClock = describeWith(
  'valkey-server or redis-server, or faketime,',
  redisServerPath && faketimePath,
)

/** A separate Redis server for a test. */
export class RedisServer {
  readonly #process: RedisProcess
  readonly #clock: ServerClock | undefined

  private constructor(server: RedisProcess, clock?: ServerClock) {
    this.#process = server
    this.#clock = clock
  }

  /**
   * Starts a server.
   *
   * @param settings More settings, as on its command line: `['--maxmemory', '5mb']`.
   * @param options.port The port on which a client expects it. Default: any free port.
   * @param options.clock Whether it has a clock of its own.
   */
  static async start(
    settings: readonly string[] = [],
    { port, clock = false }: { port?: number; clock?: boolean } = {},
  ): Promise<RedisServer> {
    let serverClock: ServerClock | undefined
    const environment = (folder: string) => {
      serverClock = clock ? new ServerClock(folder) : undefined
      return serverClock?.environment ?? {}
    }
    const server = await RedisProcess.start({ settings, environment, ...(port !== undefined && { port }) })
    return new RedisServer(server, serverClock)
  }

  /** Starts a Sentinel, which needs its settings in a file that it can write. */
  static async startSentinel(name: string, masterPort: number): Promise<RedisServer> {
    const commandLine = (port: number, folder: string) => {
      const file = join(folder, 'sentinel.conf')
      const settings = [
        `port ${port}`,
        `dir ${folder}`,
        `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
        `sentinel down-after-milliseconds ${name} 1000`,
        `sentinel failover-timeout ${name} 5000`,
      ]
      writeFileSync(file, settings.join('\n'))
      return [file, '--sentinel']
    }
    return new RedisServer(await RedisProcess.start({ commandLine }))
  }

  get port(): number {
    return this.#process.port
  }

  get url(): string {
    return this.#process.url
  }

  /** The clock of a server that was started with its own clock. */
  get clock(): ServerClock {
    if (!this.#clock) throw new Error('The server was started without a clock of its own')
    return this.#clock
  }

  /**
   * Starts the server again after a `kill`, and waits until it takes commands.
   *
   * @param settings Settings for this time only.
   */
  start(settings: readonly string[] = []): Promise<void> {
    return this.#process.run(settings)
  }

  /** Sends one command over a separate connection. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const redis = new Redis(this.port, '127.0.0.1', {
      lazyConnect: true,
      retryStrategy: null,
      enableReadyCheck: false,
      disconnectTimeout: 10,
    })
    redis.on('error', () => {})
    try {
      await redis.connect()
      return await redis.call(name, ...args)
    } finally {
      redis.disconnect()
    }
  }

  /** Sends a signal: SIGSTOP freezes the server, SIGCONT lets it go on. */
  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal)
  }

  /** Kills the server and waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void> {
    return this.#process.kill(signal)
  }

  /** Kills the server and removes its files. */
  stop(): Promise<void> {
    return this.#process.stop()
  }
}

// For a process that hangs: whatever works is sooner, on the busiest machine. Milliseconds.
const longestWait = 300_000

/** Waits until a condition is true that another process brings about. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + longestWait
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`The condition was not true within ${longestWait / 1000} seconds`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
