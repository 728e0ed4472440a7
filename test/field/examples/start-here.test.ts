import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { postgresSchema } from 'customer-sign-in/postgres'
import { freePort } from '../../../scripts/free-port'
import { hiddenFields } from '../../support/consent-form'
import { Customer } from '../../support/customer'
import { describeWith } from '../../support/describe-with'
import { modernSdks, sdks } from '../../support/mcp-connection'
import { NewAssistant } from '../../support/new-assistant'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { eventually } from '../../support/redis-server'

const root = join(__dirname, '../../..')
const example = join(root, 'examples/start-here')
const environment = { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') }
const withPackages = describeWith('examples/start-here/node_modules', existsSync(join(example, 'node_modules')))

const callback = 'http://localhost:9/callback'

withPackages('the app of docs/start-here.md', () => {
  it.each(['as it is', 'after the changes for a tool that needs more'])('has the right types %s', (when) => {
    const folder = mkdtempSync(join(tmpdir(), 'start-here-'))
    try {
      const copy = copyIn(folder)
      if (when !== 'as it is') execFileSync('git', ['apply', '-p0', 'step-up.diff'], { cwd: copy })
      const options = { extends: join(example, 'tsconfig.json'), include: ['*.ts'] }
      writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(options))
      execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', copy], { stdio: 'pipe' })
    } finally {
      rmSync(folder, { recursive: true })
    }
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

    const onSdk1 = sdks.filter(([version]) => version === 'newest 1')
    const onSdk2 = [...sdks, ...modernSdks].filter(([version]) => version !== '1.17.0')

    it.each([
      ...onSdk1.map((client) => ['mcp-sdk-1', ...client] as const),
      ...onSdk2.map((client) => ['mcp-sdk-2', ...client] as const),
    ])('connects its MCP server in %s.ts to a client of the SDK %s', async (name, _, connect) => {
      const [app, origin] = await start(copyWith(name))
      try {
        const assistant = new NewAssistant({ callback })
        const first = connect(`${origin}/v1/acme/mcp`, assistant)
        await expect(first.open()).rejects.toThrow(/Unauthorized/)

        const ada = new Customer(callback)
        expect((await ada.open(assistant.authorizationUrl.href)).url.pathname).toBe('/acme/login')
        await first.finishSignIn(await allow(ada, assistant))

        const connection = connect(`${origin}/v1/acme/mcp`, assistant)
        await connection.open()
        const bookings = await connection.call('list_bookings')
        expect(JSON.stringify(bookings)).toMatch(/The bookings of [0-9a-f-]{36} at acme/)
        await connection.close()

        await disconnectAll(ada, origin)
        await expect(connect(`${origin}/v1/acme/mcp`, assistant).open()).rejects.toThrow(/Unauthorized/)
      } finally {
        app.kill()
        await once(app, 'exit')
      }
    })

    it.each([
      ['mcp-sdk-1', ...sdks.filter(([version]) => version === '2').flat()] as never,
      ...modernSdks.map((client) => ['mcp-sdk-2', ...client] as const),
    ])('asks for more for a tool that needs it, after the changes of the page: %s.ts, %s', async (name, _, connect) => {
      const copy = copyWith(name)
      execFileSync('git', ['apply', '-p0', 'step-up.diff'], { cwd: copy })
      const [app, origin] = await start(copy)
      try {
        const assistant = new NewAssistant({ callback })
        const ada = new Customer(callback)
        const first = connect(`${origin}/v1/acme/mcp`, assistant)
        await expect(first.open()).rejects.toThrow(/Unauthorized/)
        await first.finishSignIn(await allow(ada, assistant))

        const connection = connect(`${origin}/v1/acme/mcp`, assistant)
        await connection.open()
        expect(JSON.stringify(await connection.call('list_bookings'))).toContain('at acme')
        await expect(connection.call('cancel_booking')).rejects.toThrow(/Unauthorized/)
        await connection.finishSignIn(await allow(ada, assistant))
        expect(JSON.stringify(await connection.call('cancel_booking'))).toContain('Cancelled')
        await connection.close()

        await disconnectAll(ada, origin)
        await expect(connect(`${origin}/v1/acme/mcp`, assistant).open()).rejects.toThrow(/Unauthorized/)
      } finally {
        app.kill()
        await once(app, 'exit')
      }
    })

    it('shows everybody how to connect, and lets the staff of a company alone block an assistant', async () => {
      const [app, origin] = await start(copyIn(folder))
      try {
        const ada = new Customer(callback)
        expect((await ada.open(`${origin}/acme/connect`)).text).toContain('/v1/acme/mcp')
        const login = (await ada.open(`${origin}/acme/admin`)).url
        expect(login.pathname).toBe('/acme/login')
        expect((await ada.open(login.href, { email: 'ada@example.com' })).text).toBe('For staff only')

        const sam = new Customer(callback)
        expect((await sam.open(login.href, { email: 'sam@example.com' })).url.pathname).toBe('/acme/admin')
        const block = { ask: 'block', list: 'redirectHosts', value: 'evil.example' }
        const form = formOn(await sam.open(`${origin}/acme/admin`, block))
        expect((await sam.open(`${origin}/acme/admin`, form)).text).toContain('<b><bdi>evil.example</bdi></b>')
        const { status } = await fetch(`${origin}/v1/acme/oauth/register`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ redirect_uris: ['https://evil.example/callback'] }),
        })
        expect(status).toBe(400)
      } finally {
        app.kill()
        await once(app, 'exit')
      }
    })

    it('limits registrations by address, and refusals of the token endpoint', async () => {
      const copy = copyIn(folder)
      const limits = join(copy, 'rate-limits.ts')
      // A slow machine must not see the end of a minute within this test.
      writeFileSync(limits, readFileSync(limits, 'utf8').replaceAll('60_000', '600_000'))
      const [app, origin] = await start(copy)
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
        await eventually(async () => (await refuse()).status === 429)
        const { status } = await fetch(`${origin}/v1/acme/oauth/token`, { method: 'POST' })
        expect(status).toBe(400)
      } finally {
        app.kill()
        await once(app, 'exit')
      }
    })

    /** The app with the MCP server of one SDK. */
    function copyWith(name: string): string {
      const copy = copyIn(folder)
      const file = join(copy, 'app.ts')
      writeFileSync(file, readFileSync(file, 'utf8').replace('./mcp-sdk-1.js', `./${name}.js`))
      return copy
    }

    /** Starts the app as soon as it is ready. */
    async function start(copy: string): Promise<[app: ChildProcess, origin: string]> {
      const port = await freePort()
      const origin = `http://localhost:${port}`
      const env = {
        ...environment,
        PORT: String(port),
        // Pasted as people do, with a slash at the end.
        BASE_URL: `${origin}/`,
        KEYS_FOLDER: join(folder, 'secrets'),
        DATABASE_URL: server.url,
        SIGN_IN_DATABASE_URL: server.url,
        SESSION_SECRET: 'a secret of the app',
      }
      const command = ['--import', pathToFileURL(require.resolve('tsx')).href, join(copy, 'app.ts')]
      const app = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const isReady = async () => (await fetch(`${origin}/ready`).catch(() => undefined))?.ok === true
      while (app.exitCode === null && !(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50))
      return [app, origin]
    }

    /** Ada of Acme logs in, if she has to, and allows what the assistant asks for. @returns What brings her back. */
    async function allow(ada: Customer, { authorizationUrl }: NewAssistant): Promise<URLSearchParams> {
      const { url } = await ada.open(authorizationUrl.href)
      if (url.pathname !== '/acme/login') return url.searchParams
      return (await ada.open(url.href, { email: 'ada@example.com' })).url.searchParams
    }

    /** Ada disconnects every app. */
    async function disconnectAll(ada: Customer, origin: string): Promise<void> {
      const form = formOn(await ada.open(`${origin}/acme/apps`, { disconnect: 'all' }))
      const apps = await ada.open(`${origin}/acme/apps`, form)
      expect(apps.text).toContain('You have connected no apps to')
    }
  })
})

/** The form of a question, answered with yes. */
function formOn(page: { text: string }): Record<string, string> {
  return { ...hiddenFields(page), decision: 'allow' }
}

/** Copies the files of the app into a folder of their own. @returns Its path. */
function copyIn(folder: string): string {
  const copy = mkdtempSync(join(folder, 'app-'))
  cpSync(example, copy, { recursive: true, filter: (path) => !path.includes('node_modules') })
  symlinkSync(join(example, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
