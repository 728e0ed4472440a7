import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ServerName } from './lineup'
import { onServerCore } from './processor-cores'
import { type Paths, setup } from './servers/contender'
import type { Memory, Order, Profile, Times } from './servers/order'

// While a process waits, V8 collects garbage again and again, and throws compiled code away. It does not do that to a process under load, which
// is what is measured.
const staysWarm = '--no-memory-reducer'

/** A server in a process of its own, on the core of the servers. */
export class ServerProcess {
  readonly name: string
  readonly port: number
  readonly paths: Paths
  readonly #process: ChildProcess

  private constructor(name: string, { port, paths }: { port: number; paths: Paths }, child: ChildProcess) {
    this.name = name
    this.port = port
    this.paths = paths
    this.#process = child
  }

  /**
   * Starts a server of the line-up.
   *
   * @param databasePort The port of the database that holds its state.
   * @param flags Flags for Node.
   */
  static start(name: ServerName, databasePort: number, flags: readonly string[] = []): Promise<ServerProcess> {
    return ServerProcess.fork(name, 'serve.js', [name, `${databasePort}`], flags)
  }

  /** Starts a script of `servers/` that serves. */
  static async fork(
    name: string,
    script: string,
    args: readonly string[],
    flags: readonly string[] = [],
  ): Promise<ServerProcess> {
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = fork(join(__dirname, 'servers', script), args, { env, ...onServerCore([staysWarm, ...flags]) })
    return new ServerProcess(name, (await answerOf(child, name)) as { port: number; paths: Paths }, child)
  }

  /** The CPU time that it has used, in microseconds, including the kernel's work for it and its helper threads. */
  async usedCpu(): Promise<number> {
    const { user, system } = (await this.#ask('cpu')) as NodeJS.CpuUsage
    return user + system
  }

  /** The times of the process so far. The first call starts to count the pauses of the garbage collector. */
  async times(): Promise<Times> {
    return (await this.#ask('times')) as Times
  }

  /** Collects the server's garbage. It must have been started with `--expose-gc`. */
  async collectGarbage(): Promise<Memory> {
    return (await this.#ask('collect garbage')) as Memory
  }

  async issueCodes(count: number, clientId: string = setup.clientId): Promise<string[]> {
    return (await this.#ask({ issueCodes: count, clientId })) as string[]
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

async function answerOf(child: ChildProcess, name: string): Promise<unknown> {
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
