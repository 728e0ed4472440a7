import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port'

/** The Redis or Valkey server that is on the PATH. */
export const redisServerPath = pathOf('valkey-server') ?? pathOf('redis-server')

/** There is no server on the PATH, or it ended. */
export class NoRedisError extends Error {}

/** What a server is started with. */
export interface RedisProcessOptions {
  /** More settings, as on its command line: `['--maxmemory', '5mb']`. */
  settings?: readonly string[]
  /** The whole command line, in place of the usual settings and these. */
  commandLine?: (port: number, folder: string) => string[]
  /** Default: any free port. */
  port?: number
  /** More environment variables. */
  environment?: (folder: string) => NodeJS.ProcessEnv
  /** Whether it is in a process group of its own, so that Ctrl+C does not reach it. */
  detached?: boolean
}

/** A Redis or Valkey server on this machine, with a temporary folder of its own. It ends with this process at the latest. */
export class RedisProcess {
  readonly port: number
  readonly folder: string
  readonly #commandLine: readonly string[]
  readonly #spawnOptions: SpawnOptions
  #process: ChildProcess | undefined

  private constructor(port: number, options: RedisProcessOptions) {
    const { settings = [], commandLine, environment, detached = false } = options
    this.port = port
    this.folder = mkdtempSync(join(tmpdir(), 'redis-'))
    const usual = { port, bind: '127.0.0.1', dir: this.folder, save: '', 'protected-mode': 'no' }
    const usualSettings = Object.entries(usual).flatMap(([name, value]) => [`--${name}`, `${value}`])
    this.#commandLine = commandLine?.(port, this.folder) ?? [...usualSettings, ...settings]
    this.#spawnOptions = { stdio: 'ignore', detached, env: { ...process.env, ...environment?.(this.folder) } }
  }

  /**
   * Starts a server, and waits until it takes commands.
   *
   * @param attempts How often it tries, because another process may take a free port first.
   * @throws {NoRedisError}
   */
  static async start(options: RedisProcessOptions = {}, attempts = options.port ? 1 : 3): Promise<RedisProcess> {
    const server = new RedisProcess(options.port ?? (await freePort()), options)
    try {
      await server.run()
      return server
    } catch (error) {
      await server.stop()
      if (attempts === 1 || redisServerPath === undefined) throw error
      return RedisProcess.start(options, attempts - 1)
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /**
   * Starts the process again, unless it is running, and waits until it takes commands.
   *
   * @param settings More settings for this time.
   * @throws {NoRedisError}
   */
  async run(settings: readonly string[] = []): Promise<void> {
    if (!this.#process || hasEnded(this.#process)) this.#process = this.#spawn(settings)
    await this.takesCommands()
  }

  /**
   * Waits until the server takes commands.
   *
   * @throws {NoRedisError} if it ends first.
   */
  async takesCommands(): Promise<void> {
    while (!(await this.#answersPing())) {
      const child = this.#process
      if (!child || hasEnded(child)) throw new NoRedisError(`${redisServerPath} ended with ${child?.exitCode}`)
      await setTimeout(20)
    }
  }

  /** Sends a signal: SIGSTOP freezes the server, SIGCONT lets it go on. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Kills the process and waits for its end. Its folder stays, for another `run`. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (!child || hasEnded(child)) return
    child.ref()
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }

  /** Kills the process and removes its folder. */
  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #spawn(more: readonly string[]): ChildProcess {
    if (redisServerPath === undefined) {
      throw new NoRedisError('There is no redis-server or valkey-server: "npm run setup" installs one')
    }
    const child = spawn(redisServerPath, [...this.#commandLine, ...more], this.#spawnOptions)
    // A server that nobody has stopped must not keep this process alive.
    child.unref()
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }

  async #answersPing(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1').setTimeout(1000)
    try {
      socket.write('PING\r\n')
      const [reply] = await Promise.race(['data', 'timeout', 'close'].map((event) => once(socket, event)))
      return String(reply).startsWith('+PONG')
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** The whole path of a command on the PATH. */
export function pathOf(command: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
