import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserArguments, findChromium } from '../../scripts/chromium'

const missing = [
  ...(findChromium() ? [] : ['Chromium']),
  ...['Xvfb', 'xdotool', 'openbox'].filter((command) => spawnSync('which', [command]).status !== 0),
].join(', ')

/** `describe` for suites that need a browser and a mouse. Without them, they are skipped with a warning, and in CI they fail. */
export const describeWithDisplay: (name: string, define: () => void) => void = (name, define) => {
  if (!missing) return describe(name, define)
  if (process.env.CI) return describe(name, () => it(`needs ${missing}`, () => expect(missing).toBe('')))
  process.stderr.write(`\nSKIPPED: ${name}: there is no ${missing} (npm run setup)\n\n`)
  describe.skip(name, define)
}

const open: Display[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((display) => display.close()))
})

/**
 * A separate screen with a window manager and one browser on it, to which no debugger is attached. Its pages are in front, hidden or under
 * the mouse just as for a person, and its mouse is that of the X server. Without the window manager, a guard that counts the time in which
 * a page is covered looks as if it worked. Closed after the test.
 */
export class Display {
  readonly #env: NodeJS.ProcessEnv
  readonly #processes: ChildProcess[]
  readonly #profile = mkdtempSync(join(tmpdir(), 'browser-'))
  readonly #hand: ChildProcess

  private constructor(server: ChildProcess, name: string) {
    this.#env = { ...process.env, DISPLAY: name }
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
  browse(url: string, more: readonly string[] = []): void {
    const args = [
      `--user-data-dir=${this.#profile}`,
      '--test-type',
      '--window-position=40,40',
      '--window-size=1100,900',
    ]
    const all = [...browserArguments, ...args, ...more, url]
    this.#processes.unshift(spawn(findChromium() ?? '', all, { env: this.#env, stdio: 'ignore' }))
  }

  /** Uses the mouse or the keyboard with one command of `xdotool`, now. */
  do(...command: (string | number)[]): void {
    this.#hand.stdin?.write(`${command.join(' ')}\n`)
  }

  async close(): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill()
      await once(child, 'exit')
    }
    // Other processes of the browser may still be writing there.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 20 })
  }
}
