import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endedEarly, withComplaints } from '../../support/ended-early'
import { root, snippetFolder } from '../pages'

/** A process of its own that runs a host made of snippets. */
export class SnippetProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child
    this.#folder = folder
    this.url = url
  }

  /** @param code An ES module, which listens at `PORT` and then calls `process.send(url)`. */
  static async start(code: string, environment: NodeJS.ProcessEnv = {}): Promise<SnippetProcess> {
    const folder = snippetFolder()
    const file = join(folder, 'host.mts')
    writeFileSync(file, code)
    const child = fork(file, {
      execArgv: ['--import', 'tsx'],
      cwd: root,
      // Makes imports of the package's name lead to its sources.
      env: { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'), ...environment },
      stdio: withComplaints,
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const listening = new Promise<string>((resolve) => {
      child.once('message', (message) => resolve(String(message)))
    })
    const url = await Promise.race([listening, endedEarly(child, 'The process')])
    // The channel would keep the process alive.
    child.disconnect()
    return new SnippetProcess(child, folder, url)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** How the process ended, once it has. */
  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
    return { code: this.#child.exitCode, signal: this.#child.signalCode }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
