import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ServerName } from './lineup'
import { onServerCore } from './processor-cores'
import type { Paths } from './servers/contender'
import type { Order, Profile } from './servers/order'

/** A server of the line-up, in a process of its own on a core of its own. */
export class ServerProcess {
  readonly name: ServerName
  readonly port: number
  readonly paths: Paths
  readonly #process: ChildProcess

  private constructor(name: ServerName, { port, paths }: { port: number; paths: Paths }, child: ChildProcess) {
    this.name = name
    this.port = port
    this.paths = paths
    this.#process = child
  }

  /** @param redisPort The port of the Redis server that holds its state. */
  static async start(name: ServerName, redisPort: number): Promise<ServerProcess> {
    const script = join(__dirname, 'servers', 'serve.js')
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = fork(script, [name, `${redisPort}`], { env, ...onServerCore() })
    return new ServerProcess(name, (await answerOf(child, name)) as { port: number; paths: Paths }, child)
  }

  /** The CPU time that it has used, in microseconds, including the kernel's work for it and its helper threads. */
  async usedCpu(): Promise<number> {
    const { user, system } = (await this.#ask('cpu')) as NodeJS.CpuUsage
    return user + system
  }

  async issueCodes(count: number): Promise<string[]> {
    return (await this.#ask({ issueCodes: count })) as string[]
  }

  /** @returns What the server did during `work`. */
  async profileDuring(work: () => Promise<unknown>): Promise<Profile> {
    await this.#ask('start profile')
    await work()
    return (await this.#ask('end profile')) as Profile
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  #ask(order: Order): Promise<unknown> {
    this.#process.send(order)
    return answerOf(this.#process, this.name)
  }
}

async function answerOf(child: ChildProcess, name: ServerName): Promise<unknown> {
  const over = new AbortController()
  const ended = once(child, 'exit', over).then(([code]) => {
    throw new Error(`The server ${name} ended with status ${code}`)
  })
  try {
    const [answer] = await Promise.race([once(child, 'message', over), ended])
    return answer
  } finally {
    over.abort()
    ended.catch(() => {})
  }
}
