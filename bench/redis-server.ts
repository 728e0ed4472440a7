import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

/** For each command how often it ran, and how many microseconds one call took. */
export type CommandStats = Record<string, { calls: number; microseconds: number }>

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/** A Redis or Valkey server of the benchmark's own, and a client to it. */
export class RedisServer {
  readonly redis: Redis
  readonly port: number
  readonly #process: ChildProcess
  readonly #dir: string

  private constructor(server: ChildProcess, port: number, dir: string) {
    this.port = port
    this.#process = server
    running.add(server)
    this.#dir = dir
    this.redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null })
    this.redis.on('error', () => {})
  }

  /** @param more Further settings, as on the command line: `['--appendonly', 'yes']`. */
  static async start(more: readonly string[] = []): Promise<RedisServer> {
    const port = await freePort()
    const dir = mkdtempSync(join(tmpdir(), 'bench-'))
    const own = { port, bind: '127.0.0.1', dir, save: '' }
    const settings = [...Object.entries(own).flatMap(([name, value]) => [`--${name}`, `${value}`]), ...more]
    const child = spawn(serverPath(), settings, { stdio: 'ignore' })
    const server = new RedisServer(child, port, dir)
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The Redis server ended with status ${code}`)
    })
    try {
      await Promise.race([server.redis.ping(), ended])
      return server
    } catch (error) {
      await server.stop()
      throw error
    } finally {
      ended.catch(() => {})
    }
  }

  /** The name and version of the installed server. */
  static async version(): Promise<string> {
    const server = await RedisServer.start()
    try {
      return await server.#version()
    } finally {
      await server.stop()
    }
  }

  async #version(): Promise<string> {
    const { valkey_version, redis_version } = await this.info('server')
    return valkey_version ? `Valkey ${valkey_version}` : `Redis ${redis_version}`
  }

  /** A section of `INFO`. */
  async info(section: string): Promise<Record<string, string>> {
    const lines = (await this.redis.info(section)).split('\r\n').filter((line) => line.includes(':'))
    return Object.fromEntries(lines.map((line) => line.split(/:(.*)/, 2)))
  }

  /** The `INFO commandstats` of the time during `work`. */
  async commandsDuring(work: () => Promise<unknown>): Promise<CommandStats> {
    await this.redis.config('RESETSTAT')
    await work()
    const stats = Object.entries(await this.info('commandstats')).map(([name, line]) => {
      const [, calls, microseconds] = /^calls=(\d+),.*usec_per_call=([\d.]+)/.exec(line) ?? []
      return [name.replace('cmdstat_', ''), { calls: Number(calls), microseconds: Number(microseconds) }]
    })
    return Object.fromEntries(stats)
  }

  /** The CPU time that the server has used, in microseconds: commands, network and all. */
  async usedCpu(): Promise<number> {
    const { used_cpu_user, used_cpu_sys } = await this.info('cpu')
    return (Number(used_cpu_user) + Number(used_cpu_sys)) * 1e6
  }

  /** The bytes that the server has allocated, as `INFO memory` counts them. */
  async usedMemory(): Promise<number> {
    return Number((await this.info('memory')).used_memory)
  }

  async stop(): Promise<void> {
    this.redis.disconnect()
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    running.delete(this.#process)
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

function serverPath(): string {
  const look = 'command -v redis-server || command -v valkey-server'
  try {
    return execFileSync('/bin/sh', ['-c', look], { encoding: 'utf8' }).trim()
  } catch {
    throw new Error('Neither redis-server nor valkey-server is on the PATH (npm run setup installs one)')
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
