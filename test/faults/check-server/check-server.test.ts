import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from '../../../histories/check'
import { storiesOf } from '../../../histories/stories'
import { TokenEndpoint } from '../../../histories/token-endpoint'
import { judge } from '../../../histories/verdict'
import { type Fault, ToyServer } from './toy-server'

const terms = { sizes: [2, 8], waits: [1], late: 3, rounds: 2 }
const root = join(__dirname, '../../..')

/** What a check finds that is not as it should be. */
async function brokenBy(fault?: Fault): Promise<string[]> {
  const server = await ToyServer.start(fault)
  try {
    const plans = storiesOf(terms)
    const tokens = plans.map(() => ({ token: server.newToken(), clientId: 'app' }))
    const stories = await check(new TokenEndpoint(new URL(server.url), 200, {}), plans, tokens)
    const { rotates, undecided, rows } = judge(stories)
    expect({ rotates, undecided }).toEqual({ rotates: true, undecided: 0 })
    const broken = rows.flatMap(({ promise, kept, of }) => (kept < of ? [promise] : []))
    // Whether the server has got the request of a client that hung up is chance.
    return broken.filter((promise) => !promise.includes('hung up'))
  } finally {
    await server.stop()
  }
}

describe('the check of a token endpoint', () => {
  it('finds nothing at a server that keeps every promise', async () => {
    expect(await brokenBy()).toEqual([])
  })

  it.each<[Fault, string[]]>([
    ['two winners', ['a burst leaves one live token']],
    [
      'no theft noticed',
      ['a used token that comes late ends the grant', 'a thief who was first loses the grant when its client comes'],
    ],
    ['a wrong client uses the token up', ['another client uses nothing up']],
    [
      'a lost answer signs out',
      [
        'a client whose answer was lost stays signed in when it repeats the request after 1 s',
        'a process that shares its token with another stays signed in when the other presents it after 1 s',
        'the other process is answered after 1 s',
      ],
    ],
    [
      'a burst signs out',
      [
        'a burst of 2 has no refusal, which MCP SDKs take for the end',
        'a burst of 8 has no refusal, which MCP SDKs take for the end',
      ],
    ],
  ])('tells apart: %s', async (fault, promises) => {
    expect(await brokenBy(fault)).toEqual(promises)
  })
})

describe('npm run check-server', () => {
  let server: ToyServer
  let folder: string
  beforeEach(async () => {
    server = await ToyServer.start()
    folder = mkdtempSync(join(tmpdir(), 'check-server-'))
  })
  afterEach(async () => {
    rmSync(folder, { recursive: true })
    await server.stop()
  })

  /** @returns The exit code, and what was printed. */
  function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const command = ['--import', 'tsx', 'histories/main.ts', ...args]
    return new Promise((resolve) => {
      execFile(process.execPath, command, { cwd: root }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      )
    })
  }

  it('says what it will do, reports, and writes no token anywhere', async () => {
    const tokens = Array.from({ length: 16 }, () => server.newToken())
    const [file, json] = [join(folder, 'tokens'), join(folder, 'verdict.json')]
    writeFileSync(file, tokens.join('\n'))
    const short = [
      '--client-id',
      'app',
      '--sizes',
      '2',
      '--waits',
      '1',
      '--rounds',
      '1',
      '--tokens',
      file,
      '--json',
      json,
    ]
    const { code, out, err } = await run(server.url, ...short)
    expect(err).toContain(`At most`)
    expect(err).toContain(` requests go to ${server.url}, and nowhere else`)
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^ok {3}refreshes in turn keep a client signed in/),
    })
    const written = readFileSync(json, 'utf8')
    expect(JSON.parse(written).stories).toHaveLength(11)
    expect(tokens.filter((token) => (out + err + written).includes(token))).toEqual([])
  })

  it.each([
    [['http://auth.example/token', '--client-id', 'app', '--tokens', 'none'], 'is not an https URL'],
    [['https://auth.example/token', '--client-id', 'app'], 'Give one of --tokens and --command'],
    [['https://auth.example/token', '--client-id', 'app', '--tokens', 'none', '--sizes', '1'], '--sizes: "1" is not'],
    [['https://auth.example/token', '--client-id', 'app', '--command', 'true'], 'refresh tokens are needed'],
  ])('refuses %j before it sends anything', async (args, why) => {
    const { code, err } = await run(...args)
    expect(err).toContain(why)
    expect(code).toBe(2)
  })
})
