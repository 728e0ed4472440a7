import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { browserArguments, findChromium } from '../../scripts/chromium'

const missing = [
  ...(findChromium() ? [] : ['Chromium']),
  ...['Xvfb', 'xdotool'].filter((command) => spawnSync('which', [command]).status !== 0),
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
 * A separate screen with one browser on it, to which no debugger is attached. Its pages are in front, hidden or under the mouse just as for
 * a person, and its mouse is that of the X server. Closed after the test.
 */
export class Display {
  readonly #server: ChildProcess
  readonly #name: string
  readonly #profile = mkdtempSync(join(tmpdir(), 'browser-'))
  #browser: ChildProcess | undefined

  private constructor(server: ChildProcess, name: string) {
    this.#server = server
    this.#name = name
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
    const args = [`--user-data-dir=${this.#profile}`, '--test-type', '--window-position=0,0', '--window-size=1200,1000']
    this.#browser = spawn(findChromium() ?? '', [...browserArguments, ...args, ...more, url], {
      env: { ...process.env, DISPLAY: this.#name },
      stdio: 'ignore',
    })
  }

  /** Uses mouse and keyboard with commands of `xdotool`; `sleep` waits for this many seconds between two events. */
  async input(...commands: (string | number)[]): Promise<void> {
    await promisify(execFile)('xdotool', commands.map(String), { env: { ...process.env, DISPLAY: this.#name } })
  }

  async close(): Promise<void> {
    for (const child of [this.#browser, this.#server]) {
      if (!child || child.exitCode !== null) continue
      child.kill()
      await once(child, 'exit')
    }
    // Other processes of the browser may still be writing there.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 20 })
  }
}
