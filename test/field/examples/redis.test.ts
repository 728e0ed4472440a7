import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

// `npx tsx examples/redis/main.ts`
const command = ['--import', 'tsx', join('examples', 'redis', 'main.ts')]
const credential = /csi[cr]_[\w-]{84}|eyJ[\w-]+\.[\w-]+\.[\w-]+/

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'example-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { REDIS_URL: _, ...env } = process.env
  return { ...env, TMPDIR: folder, ...more }
}

function runOnce(env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, '--once'], {
    encoding: 'utf8',
    timeout: 300_000,
    env: environment(env),
  })
  return { status, stdout, stderr }
}

/** The folders of Redis servers that the example has not stopped. */
function leftovers(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('redis-'))
}

describeWithRedis('the Redis example with --once', () => {
  let ended: ReturnType<typeof runOnce>
  beforeAll(() => {
    ended = runOnce()
  })

  it('goes through the whole flow and ends by itself', () => {
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(ended.stdout.match(/^\d+\. .+$/gm)).toEqual([
      '1. Sign-in',
      '2. Refresh',
      '3. One refresh token, twice at once',
      '4. A used refresh token comes back',
      '5. Signed out everywhere',
      '6. A process is killed',
    ])
    expect(ended.stdout).toMatch(/Every step went as it should\.\s*$/)
  })

  it('shows which process answered, and that killing a process breaks nothing', () => {
    expect(ended.stdout).toMatch(/token refresh_token +process 1: 200/)
    expect(ended.stdout).toMatch(/token refresh_token +process 2: 200/)
    expect(ended.stdout).toMatch(/token refresh_token +process \d: 400 invalid_grant/)
    expect(ended.stdout).toMatch(/token refresh_token +no process: 502\n.* refresh_token +process \d: 200\n/)
  })

  it('shows no complete code or token', () => {
    expect(ended.stdout).not.toMatch(credential)
  })

  it('stops the Redis server that it started', () => {
    expect(leftovers()).toEqual([])
  })

  it('fails with a non-zero exit code, and leaves nothing behind, if a response is wrong', () => {
    const forgiving = `
      import { ServerResponse } from 'node:http'
      const { writeHead } = ServerResponse.prototype
      ServerResponse.prototype.writeHead = function (status, ...more) {
        return writeHead.call(this, status === 401 ? 200 : status, ...more)
      }`
    const surprised = runOnce({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(forgiving)}` })
    expect(surprised.status).toBe(1)
    expect(surprised.stderr).toContain('That was not expected')
    expect(surprised.stdout).not.toContain('Every step went as it should')
    expect(leftovers()).toEqual([])
  })
})

describeWithRedis('the Redis example at a server of your own', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  it('works on the server at REDIS_URL, under its own keys, and leaves the server running', async () => {
    expect(runOnce({ REDIS_URL: server.url, PATH: '' })).toMatchObject({ status: 0, stderr: '' })
    const keys = (await server.command('KEYS', '*')) as string[]
    expect(keys).not.toEqual([])
    for (const key of keys) expect(key).toMatch(/^example:/)
  })
})

describe('the Redis example without a server', () => {
  it('says what to do if no server is installed', () => {
    const { status, stderr } = runOnce({ PATH: '' })
    expect(status).toBe(1)
    expect(stderr.trim()).toBe(
      'There is no redis-server or valkey-server: "npm run setup" installs one, or set REDIS_URL',
    )
  })

  it('says that no server answers at REDIS_URL, without showing the password', () => {
    const { status, stderr } = runOnce({ REDIS_URL: 'redis://:secret@127.0.0.1:1' })
    expect(status).toBe(1)
    expect(stderr.trim()).toBe('The server at REDIS_URL does not answer: connect ECONNREFUSED 127.0.0.1:1')
  })
})

describeWithRedis('the Redis example, serving on', () => {
  let example: ChildProcess
  let stdout = ''
  beforeAll(async () => {
    example = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'], env: environment({}) })
    await new Promise<void>((resolve, reject) => {
      example.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
      example.stdout?.on('data', (chunk) => {
        stdout += chunk
        if (/example:\*"\n/.test(stdout)) resolve()
      })
    })
  })
  afterAll(() => example.kill())

  /** Pastes the command under a comment into a shell. */
  function paste(comment: string): string {
    const [, line] =
      stdout
        .split('\n# ')
        .find((text) => text.startsWith(comment))
        ?.split('\n') ?? []
    if (line === undefined) throw new Error(`There is no command for ${comment}`)
    return execFileSync('sh', ['-c', line], { encoding: 'utf8' })
  }

  it('prints commands that work when pasted, and answers them with two processes again', () => {
    const answers = [paste('the bookings'), paste('the bookings')]
    for (const answer of answers) expect(answer).toContain('London to Turin, seat 12A')
    expect(new Set(answers.map((answer) => /X-Answered-By: (.*)\r/.exec(answer)?.[1])).size).toBe(2)
    expect(paste('all that Redis stores')).toMatch(/^example:g:\{acme:/m)
  })

  it('stops everything on Ctrl+C', async () => {
    const exited = once(example, 'exit')
    example.kill('SIGINT')
    expect(await exited).toEqual([0, null])
    expect(leftovers()).toEqual([])
  })
})
