import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { submitForm } from './submit-form'

const modules = join(__dirname, 'node_modules')
const ownNode = join(modules, `node-linux-${process.arch}/bin/node`)
const [major] = process.versions.node.split('.')

/** The Node.js that the clients run on, which need 24 or later. Undefined if there is none, or the clients are not installed. */
export const nodeOfClients = [
  ...(existsSync(ownNode) ? [ownNode] : []),
  ...(Number(major) >= 24 ? [process.execPath] : []),
].find(() => existsSync(join(modules, 'mcporter')))

/** The answer to one call of the tool. */
export interface ClientAnswer {
  text?: string
  error?: string
}

type Message = { authorize: string } | { started: true } | { results: ClientAnswer[] }

/** A client that others wrote, in a process of its own. Its customer allows whatever it asks for. */
export class RealClient {
  /** How often it has asked its customer to sign in. */
  signIns = 0
  readonly #child: ChildProcess
  readonly #folder: string
  #errors = ''
  #received: (message: Message) => void = () => {}

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child
    this.#folder = folder
    child.stderr?.on('data', (data) => {
      this.#errors += data
    })
    child.on('message', (message: Message) => {
      if ('authorize' in message) this.#visit(new URL(message.authorize)).catch((error) => this.#giveUp(error))
      else this.#received(message)
    })
  }

  /**
   * Starts it with the address of an MCP server, and signs its customer in.
   *
   * @param name The file in `harness/` that runs it.
   */
  static async start(name: string, { server, issuer }: { server: string; issuer: string }): Promise<RealClient> {
    const folder = mkdtempSync(join(tmpdir(), 'client-'))
    const child = fork(join(__dirname, 'harness/main.mjs'), {
      execPath: nodeOfClients ?? '',
      execArgv: [],
      env: { PATH: process.env.PATH, HOME: folder, CLIENT: name, SERVER: server, ISSUER: issuer, FOLDER: folder },
      silent: true,
    })
    const client = new RealClient(child, folder)
    await client.#next(() => {})
    return client
  }

  /** Calls the tool this many times at once. */
  async call(times = 1): Promise<ClientAnswer[]> {
    const message = await this.#next(() => this.#child.send({ call: times }))
    return 'results' in message ? message.results : []
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve))
      this.#child.kill()
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20 })
  }

  #next(ask: () => void): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#child.once('exit', (code) => reject(new Error(`The client ended with ${code}:\n${this.#errors}`)))
      this.#received = resolve
      ask()
    })
  }

  /** Some clients name the address before they listen there, because a person takes longer than this. */
  async #open(callback: URL): Promise<void> {
    while (this.#child.exitCode === null && this.#child.signalCode === null) {
      if (await fetch(callback).catch(() => undefined)) return
      await delay(20)
    }
  }

  #giveUp(error: Error): void {
    this.#errors += error.stack
    this.#child.kill()
  }

  /** Allows what the client asks for. If the client listens for the answer itself, the browser goes there. */
  async #visit(url: URL): Promise<void> {
    this.signIns++
    const callback = await submitForm(url)
    if (callback.protocol === 'http:') await this.#open(callback)
    // It may have been stopped meanwhile.
    if (this.#child.connected) this.#child.send({ visited: callback.href })
  }
}
