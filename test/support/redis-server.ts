import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { ServerClock } from './server-clock'

const serverPath = ['valkey-server', 'redis-server'].map(pathOf).find((path) => path !== undefined)
const cliPath = ['valkey-cli', 'redis-cli'].map(pathOf).find((path) => path !== undefined)
const faketimePath = pathOf('faketime')

/**
 * `describe` for suites that need a Redis server: without one they are skipped, loudly, and in CI they fail.
 */
export const describeWithRedis = describeWith('valkey-server or redis-server', serverPath && cliPath)

/** The same for suites that need a server with a clock of its own. */
export const describeWithRedisClock = describeWith(
  'valkey-server or redis-server, or faketime,',
  serverPath && cliPath && faketimePath,
)

function describeWith(what: string, found: string | undefined): (name: string, define: () => void) => void {
  return (name, define) => {
    if (found) return describe(name, define)
    if (process.env.CI) return describe(name, () => it(`needs ${what}`, () => expect(found).toBeDefined()))
    process.stderr.write(`\nSKIPPED: ${name}: ${what} is not installed (npm run setup)\n\n`)
    describe.skip(name, define)
  }
}

/** A `redis-server` process of a test's own, in a temporary folder, on a free port. */
export class RedisServer {
  readonly port: number
  readonly #dir = mkdtempSync(join(tmpdir(), 'redis-'))
  readonly #args: string[]
  readonly #clock: ServerClock | undefined
  #process: ChildProcess | undefined

  private constructor(port: number, args: readonly string[], clock = false) {
    this.port = port
    this.#clock = clock ? new ServerClock(this.#dir) : undefined
    const own = { port, bind: '127.0.0.1', dir: this.#dir, save: '', appendonly: 'no', 'protected-mode': 'no' }
    this.#args = [...Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]), ...args]
  }

  /**
   * Starts a server.
   *
   * @param args More settings, as on its command line: `['--maxmemory', '5mb']`.
   * @param options.port Where a client expects it; by default any free port.
   * @param options.clock Whether it has a clock of its own.
   */
  static async start(
    args: readonly string[] = [],
    { port, clock }: { port?: number; clock?: boolean } = {},
  ): Promise<RedisServer> {
    const server = new RedisServer(port ?? (await freePort()), args, clock)
    await server.start()
    return server
  }

  /** Starts a Sentinel, which wants its settings in a file that it can write. */
  static async startSentinel(name: string, masterPort: number): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), [])
    const file = join(server.#dir, 'sentinel.conf')
    const settings = [
      `port ${server.port}`,
      `dir ${server.#dir}`,
      `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 5000`,
    ]
    writeFileSync(file, settings.join('\n'))
    server.#args.splice(0, server.#args.length, file, '--sentinel')
    await server.start()
    return server
  }

  /** The clock of a server that was started with one of its own. */
  get clock(): ServerClock {
    if (!this.#clock) throw new Error('The server was started without a clock of its own')
    return this.#clock
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /**
   * Starts the process unless it runs, as after a `kill`, and waits until it takes commands.
   *
   * @param args Settings for this time alone.
   */
  async start(args: readonly string[] = []): Promise<void> {
    if (!this.#process || !running.has(this.#process)) {
      this.#process = spawn(serverPath ?? '', [...this.#args, ...args], {
        stdio: 'ignore',
        env: { ...process.env, ...this.#clock?.environment },
      })
      running.add(this.#process)
    }
    await this.answers()
  }

  /** Waits until the server takes commands. */
  async answers(): Promise<void> {
    await eventually(async () => {
      const reply = await this.command('PING').catch(() => undefined)
      return reply === 'PONG'
    })
  }

  /** One command over a connection of its own. */
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
    this.#process?.kill(signal)
  }

  /** Kills the process and waits for its end; its folder stays for another `start`. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
    running.delete(child)
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** `redis-cli` with these arguments. */
export function redisCli(...args: string[]): string {
  return execFileSync(cliPath ?? '', args, { encoding: 'utf8' })
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** Waits for what another process does. */
export async function eventually(condition: () => Promise<boolean>, seconds = 30): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`It has not happened within ${seconds} seconds`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function pathOf(command: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
