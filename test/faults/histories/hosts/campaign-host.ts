import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endedEarly, withComplaints } from '../../../support/ended-early'
import type { History } from '../history'
import type { HostMessage, HostSettings } from './settings'

const root = join(__dirname, '..', '..', '..', '..')

/** One of the host's processes, which a nemesis can kill, pause, and start again on its port. */
export class CampaignHost {
  readonly #number: number
  readonly #history: History
  readonly #clockShift: number
  #settings: HostSettings
  #child: ChildProcess | undefined

  /** @param clockShift By how many milliseconds its clock is ahead. */
  constructor(number: number, settings: HostSettings, clockShift: number, history: History) {
    this.#number = number
    this.#settings = settings
    this.#clockShift = clockShift
    this.#history = history
  }

  get port(): number {
    return this.#settings.port
  }

  /** Starts the process and waits until it listens. */
  async start(changes: Partial<HostSettings> = {}): Promise<void> {
    this.#settings = { ...this.#settings, ...changes }
    const child = fork(join(__dirname, 'main.ts'), {
      execArgv: [
        '--import',
        'tsx',
        '--import',
        pathToFileURL(join(__dirname, '..', '..', '..', 'support', 'clock-shift.ts')).href,
      ],
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOST_SETTINGS: JSON.stringify(this.#settings),
        CLOCK_SHIFT: String(this.#clockShift),
        // Makes imports of the package's name lead to its sources.
        TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
      },
      stdio: withComplaints,
    })
    this.#child = child
    running.add(child)
    child.once('exit', (code, signal) => {
      running.delete(child)
      if (this.#child === child) this.#tell({ event: 'died', detail: `${code ?? signal}` })
    })
    const listening = new Promise<void>((resolve) => {
      child.on('message', (message: HostMessage) => (message === 'listening' ? resolve() : this.#tell(message)))
    })
    await Promise.race([listening, endedEarly(child, `Host ${this.#number}`)])
  }

  /** Kills the process at once; its work in progress is lost. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    this.#tell({ event: 'killed' })
    await ended
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  #tell(message: Exclude<HostMessage, string>): void {
    this.#history.add({ kind: 'told', at: this.#history.now(), host: this.#number, ...message })
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
