import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

const root = join(__dirname, '..', '..')

let child: ChildProcess | undefined

/** The output of the process, and how it ended. */
async function ranToItsEnd(): Promise<{ code: number | null; said: { tried: number; wrong: string[] } | undefined }> {
  const started = fork(join(__dirname, 'hostile-host', 'main.ts'), {
    execArgv: ['--import', 'tsx', '--no-warnings'],
    cwd: root,
    env: { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
  })
  child = started
  let said: { tried: number; wrong: string[] } | undefined
  started.on('message', (message: typeof said) => {
    said = message
  })
  const code = await new Promise<number | null>((resolve) => started.once('exit', resolve))
  return { code, said }
}

// A request without an answer keeps the process for ever.
afterEach(() => child?.kill())

describe('whatever a host’s hooks and stores throw, give or reject with', () => {
  it('is answered, can be logged, and never ends the process', async () => {
    expect(await ranToItsEnd()).toEqual({ code: 0, said: { tried: expect.any(Number), wrong: [] } })
  }, 300_000)
})
