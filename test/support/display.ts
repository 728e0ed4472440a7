import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeWith } from './describe-with'
import type { Customer, Engine } from './engines'

const commands = ['Xvfb', 'xdotool', 'openbox']
const missing = commands.filter((command) => spawnSync('which', [command]).status !== 0)

/** `describe` for suites that need a browser and a mouse. Without them, they are skipped with a warning, and in CI they fail. */
export function describeWithDisplay(engine: Engine, name: string, define: () => void): void {
  const needed = [...missing, ...(engine.program ? [] : [engine.name])]
  describeWith([...commands, engine.name].join(', '), needed.length === 0)(name, define)
}

const open: Display[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((display) => display.close()))
})

/** What a browser knows when it starts. */
export interface BrowseOptions {
  customer?: Customer | undefined
  /** An origin whose certificate, the one of the tests, the customer trusts. */
  trusted?: string | undefined
}

/**
 * A separate screen with a window manager and one browser on it, to which no debugger is attached. Its pages are in front, hidden or under
 * the mouse just as for a person, and its mouse is that of the X server. Without the window manager, a guard that counts the time in which
 * a page is covered looks as if it worked. Closed after the test.
 */
export class Display {
  readonly #env: NodeJS.ProcessEnv
  readonly #processes: ChildProcess[]
  readonly #home = mkdtempSync(join(tmpdir(), 'browser-'))
  readonly #hand: ChildProcess

  private constructor(server: ChildProcess, name: string) {
    this.#env = { ...process.env, DISPLAY: name, HOME: this.#home, NO_AT_BRIDGE: '1', MOZ_CRASHREPORTER_DISABLE: '1' }
    const manager = spawn('openbox', ['--sm-disable'], { env: this.#env, stdio: 'ignore' })
    this.#hand = spawn('xdotool', ['-'], { env: this.#env, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#processes = [this.#hand, manager, server]
  }

  static async open(): Promise<Display> {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    const [number] = await once(server.stdio[3] as NodeJS.ReadableStream, 'data')
    const display = new Display(server, `:${String(number).trim()}`)
    open.push(display)
    return display
  }

  /** Starts the browser with a page. */
  browse(engine: Engine, url: string, { customer, trusted }: BrowseOptions = {}): void {
    const args = engine.prepare({ url, profile: this.#home, customer, trusted })
    this.#processes.unshift(spawn(engine.program ?? '', args, { env: this.#env, stdio: 'ignore' }))
  }

  /** Uses the mouse or the keyboard with one command of `xdotool`, now. */
  do(...command: (string | number)[]): void {
    this.#hand.stdin?.write(`${command.join(' ')}\n`)
  }

  /** The title of the window in front. */
  title(): string {
    return spawnSync('xdotool', ['getactivewindow', 'getwindowname'], { env: this.#env, encoding: 'utf8' }).stdout
  }

  async close(): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill()
      await once(child, 'exit')
    }
    // Other processes of the browser may still be writing there.
    await rm(this.#home, { recursive: true, force: true, maxRetries: 20 })
  }
}
