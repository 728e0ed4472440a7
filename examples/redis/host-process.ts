import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { HostSettings } from './host'

/** A process of the host, on a port of its own. */
export class HostProcess {
  readonly name: string
  readonly port: number
  readonly #process: ChildProcess

  private constructor(name: string, port: number, child: ChildProcess) {
    this.name = name
    this.port = port
    this.#process = child
  }

  static async start(name: string, settings: HostSettings): Promise<HostProcess> {
    const env = { ...process.env, NODE_ENV: 'production', ...settings }
    // In a process group of its own: Ctrl+C reaches only the example, which then stops this process.
    const child = fork(join(__dirname, 'host.ts'), [name], { env, detached: true })
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [AddressInfo]
    ended.catch(() => {})
    return new HostProcess(name, port, child)
  }

  /** Ends the process. SIGTERM lets it answer open requests, SIGKILL does not. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill(signal)
    await once(this.#process, 'exit')
  }
}
