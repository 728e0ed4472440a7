import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ownedFolder } from '../../../scripts/postgres-process'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'

// `npx tsx examples/postgres/main.ts`
const command = ['--import', 'tsx', join('examples', 'postgres', 'main.ts')]

let folder: string
beforeAll(() => {
  folder = ownedFolder('example-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** @param more With a `DATABASE_URL`, the example starts no server. */
function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return { ...env, ...more }
}

function runOnce(env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [...command, '--once'], {
    encoding: 'utf8',
    timeout: 300_000,
    env: environment(env),
  })
}

/** The folders of servers that the example has not stopped. */
function servers(): string[] {
  return readdirSync(folder).filter((name) => /^postgres-(?!template)/.test(name))
}

describeWithPostgres('the PostgreSQL example at a server of your own', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.stop())

  it('goes through the whole flow, ends by itself, and can be run again', () => {
    for (const _ of ['the first time', 'again']) {
      const { status, stdout, stderr } = runOnce({ DATABASE_URL: server.url })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout.match(/^\d+\. .+$/gm)).toEqual(['1. Sign-in', '2. Refresh', '3. A new company', '4. Sign-out'])
      expect(stdout).toMatch(/token refresh_token +process 1: 200\n.*token refresh_token +process 2: 200\n/)
      expect(stdout).toMatch(/Every step went as it should\.\s*$/)
      expect(stdout).not.toMatch(/csi[cr]_[\w-]{84}|eyJ[\w-]+\.[\w-]+\.[\w-]+/)
    }
  })

  it('keeps everything in a schema of its own', async () => {
    const found = await server.query(
      "select distinct schemaname from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    )
    expect(found).toEqual([{ schemaname: 'sign_in_example' }])
  })

  it('fails with a non-zero exit code if a response is wrong', () => {
    const forgiving = `
      import { ServerResponse } from 'node:http'
      const { writeHead } = ServerResponse.prototype
      ServerResponse.prototype.writeHead = function (status, ...more) {
        return writeHead.call(this, status === 404 ? 200 : status, ...more)
      }`
    const surprised = runOnce({
      DATABASE_URL: server.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(forgiving)}`,
    })
    expect(surprised.status).toBe(1)
    expect(surprised.stderr).toContain('That was not expected')
    expect(surprised.stdout).not.toContain('Every step went as it should')
  })
})

describeWithPostgres('the PostgreSQL example with --once', () => {
  it('starts a server, goes through the whole flow, and ends by itself with nothing left behind', () => {
    const { status, stdout, stderr } = runOnce({ TMPDIR: folder })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/Every step went as it should\.\s*$/)
    expect(servers()).toEqual([])
  })
})

describe('the PostgreSQL example without a server', () => {
  it('says that no server answers at DATABASE_URL, without showing the password', () => {
    const { status, stderr } = runOnce({ DATABASE_URL: 'postgres://sign_in:secret@127.0.0.1:1/app' })
    expect(status).toBe(1)
    expect(stderr.trim()).toBe('The server at DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:1')
  })
})

describeWithPostgres('the PostgreSQL example, serving on', () => {
  let example: ChildProcess
  beforeAll(async () => {
    example = spawn(process.execPath, command, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment({ TMPDIR: folder }),
    })
    let stdout = ''
    await new Promise<void>((resolve, reject) => {
      example.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
      example.stdout?.on('data', (chunk) => {
        stdout += chunk
        if (/Everything is in the schema .*\n/.test(stdout)) resolve()
      })
    })
  })
  afterAll(() => example.kill())

  it('starts a server, and stops everything on Ctrl+C', async () => {
    expect(servers()).toHaveLength(1)
    const exited = once(example, 'exit')
    example.kill('SIGINT')
    expect(await exited).toEqual([0, null])
    expect(servers()).toEqual([])
  })
})
