import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(__dirname, '..', '..')

let child: ChildProcess | undefined

// However busy the machine is, no place takes as long as this. Milliseconds.
const longestAtPlace = 60_000

/** How the process ended, and what it said last: at which place it was, or what it found. */
async function ranToItsEnd(): Promise<{ code: number | null; said: unknown }> {
  const started = fork(join(__dirname, 'hostile-host', 'main.ts'), {
    execArgv: ['--import', 'tsx', '--no-warnings'],
    cwd: root,
    env: { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
  })
  child = started
  let said: unknown
  const watch = setTimeout(() => started.kill(), longestAtPlace)
  started.on('message', (message) => {
    said = message
    watch.refresh()
  })
  const [code] = await once(started, 'exit')
  clearTimeout(watch)
  return { code, said }
}

// The watch ends the process long before.
jest.setTimeout(30 * 60_000)
afterEach(() => child?.kill())

describe('whatever a host’s hooks and stores throw, give or reject with', () => {
  it('is answered, can be logged, and never ends the process', async () => {
    expect(await ranToItsEnd()).toEqual({ code: 0, said: { tried: expect.any(Number), wrong: [] } })
  })
})
