import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresSchema } from 'customer-sign-in/postgres'
import { freePort } from '../../../scripts/free-port'
import { Customer } from '../../support/customer'
import { describeWith } from '../../support/describe-with'
import { sdks } from '../../support/mcp-connection'
import { NewAssistant } from '../../support/new-assistant'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'

const root = join(__dirname, '../../..')
const example = join(root, 'examples/start-here')
const environment = { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
const withPackages = describeWith('examples/start-here/node_modules', existsSync(join(example, 'node_modules')))

jest.setTimeout(60_000)

withPackages('the app of docs/start-here.md', () => {
  it('has the right types', () => {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', example], { stdio: 'pipe' })
  })
})

withPackages('the app of docs/start-here.md, on PostgreSQL', () => {
  describeWithPostgres('running', () => {
    let server: PostgresServer
    let folder: string
    beforeAll(async () => {
      server = await PostgresServer.start()
      await server.query(readFileSync(join(example, 'schema.sql'), 'utf8'))
      await server.query(postgresSchema())
      folder = mkdtempSync(join(tmpdir(), 'start-here-'))
      const command = ['--import', 'tsx', 'src/commands/cli.ts', 'keys', '--folder', join(folder, 'secrets')]
      execFileSync(process.execPath, command, { cwd: root, env: environment })
    })
    afterAll(async () => {
      await server.stop()
      rmSync(folder, { recursive: true })
    })

    const newest = sdks.filter(([version]) => version !== '1.17.0')

    it.each(newest)(
      'connects a client of the SDK %s to its MCP server of the same version',
      async (version, connect) => {
        const [app, origin] = await start(version === '2' ? './mcp-sdk-2.js' : './mcp-sdk-1.js')
        try {
          const callback = 'http://localhost:9/callback'
          const assistant = new NewAssistant({ callback })
          const first = connect(`${origin}/v1/acme/mcp`, assistant)
          await expect(first.open()).rejects.toThrow(/Unauthorized/)

          const ada = new Customer(callback)
          const { url: asked } = await ada.open(assistant.authorizationUrl.href)
          expect(asked.pathname).toBe('/acme/login')
          const { url } = await ada.open(asked.href, { email: 'ada@example.com' })
          await first.finishSignIn(url.searchParams)

          const connection = connect(`${origin}/v1/acme/mcp`, assistant)
          await connection.open()
          const bookings = await connection.call('list_bookings')
          expect(JSON.stringify(bookings)).toMatch(/The bookings of [0-9a-f-]{36} at acme/)
          await connection.close()

          const apps = await ada.open(`${origin}/acme/apps`)
          const [, path = ''] = /action="([^"]+)"/.exec(apps.text) ?? []
          expect((await ada.open(origin + path, {})).text).not.toContain('Disconnect')
          await expect(connect(`${origin}/v1/acme/mcp`, assistant).open()).rejects.toThrow(/Unauthorized/)
        } finally {
          app.kill()
          await once(app, 'exit')
        }
      },
    )

    it('limits registrations by address, and refusals of the token endpoint', async () => {
      const [app, origin] = await start('./mcp-sdk-1.js')
      try {
        const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.7' }
        const body = JSON.stringify({ redirect_uris: ['https://assistant.example/callback'] })
        const register = async () =>
          (await fetch(`${origin}/v1/acme/oauth/register`, { method: 'POST', headers, body })).status
        const statuses: number[] = []
        for (let each = 0; each < 21; each++) statuses.push(await register())
        expect(statuses).toEqual([...Array<number>(20).fill(201), 429])

        const refuse = () =>
          fetch(`${origin}/v1/acme/oauth/token`, { method: 'POST', headers: { 'X-Forwarded-For': '192.0.2.8' } })
        for (let each = 0; each < 300; each++) expect((await refuse()).status).toBe(400)
        const deadline = Date.now() + 10_000
        while ((await refuse()).status !== 429) expect(Date.now()).toBeLessThan(deadline)
        const { status } = await fetch(`${origin}/v1/acme/oauth/token`, { method: 'POST' })
        expect(status).toBe(400)
      } finally {
        app.kill()
        await once(app, 'exit')
      }
    })

    /** Starts the app with one of its two MCP servers, as soon as it is ready. */
    async function start(mcp: string): Promise<[app: ChildProcess, origin: string]> {
      const port = await freePort()
      const file = join(example, `app-${port}.ts`)
      writeFileSync(file, readFileSync(join(example, 'app.ts'), 'utf8').replace('./mcp-sdk-1.js', mcp))
      const origin = `http://localhost:${port}`
      const env = {
        ...environment,
        PORT: String(port),
        BASE_URL: origin,
        KEYS_FOLDER: join(folder, 'secrets'),
        DATABASE_URL: server.url,
        SIGN_IN_DATABASE_URL: server.url,
      }
      const app = spawn(process.execPath, ['--import', 'tsx', file], { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const isReady = async () => (await fetch(`${origin}/ready`).catch(() => undefined))?.ok === true
      while (app.exitCode === null && !(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50))
      rmSync(file)
      return [app, origin]
    }
  })
})
