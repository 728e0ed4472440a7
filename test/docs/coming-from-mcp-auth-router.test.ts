import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express } from 'express'
import request from 'supertest'
import { installed } from '../field/other-clients/client-app'
import { Customer } from '../support/customer'
import { describeWith } from '../support/describe-with'
import { HostApp } from '../support/host-app'
import { type McpConnection, sdks } from '../support/mcp-connection'
import { NewAssistant } from '../support/new-assistant'
import { redirectUri } from '../support/sign-in'
import { blockUnder, root, snippetFolder, tableUnder, textOf } from './pages'

const page = 'docs/coming-from-mcp-auth-router.md'
// A host with one MCP server, and a provider that is as small as one can be.
const before = textOf('test/docs/mcp-auth-router-host.txt')
const after = blockUnder('## After', page).code
const both = blockUnder('## Both at once', page).code

// What the reader's app has already: its sessions, its login page and its MCP server.
const readersApp = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
const session = (req) => ({ customerId: /customer=(\\w+)/.exec(req.headers.cookie ?? '')?.[1] })
const mcp = async (req, res) => {
  if (req.method !== 'POST') return res.status(405).end()
  const server = new McpServer({ name: 'your-company', version: '1.0.0' })
  server.registerTool('who_am_i', {}, ({ authInfo }) => ({
    content: [{ type: 'text', text: authInfo.subject ?? authInfo.extra.customerId }],
  }))
  const transport = new StreamableHTTPServerTransport()
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
}
`
const loginPage = `
app.get('/login', (req, res) => res.cookie('customer', 'ada').redirect(req.query.next))
export { app, mcp, session }
`
const besides = `
import { MemoryTokenStore } from 'customer-sign-in'
import { app, mcp, session } from './host'
const tokenStore = new MemoryTokenStore()
const authenticate = (req, res, { url }) => {
  const { customerId } = session(req)
  return customerId ? { subject: customerId } : res.redirect(303, '/login?next=' + encodeURIComponent(url))
}
export { app }
`

/** The files of a host, by their names. The last one exports the app. */
type Files = Record<string, string>

const hostOf = (code: string): Files => ({ 'host.ts': readersApp + code + loginPage })
const bothAtOnce: Files = { ...hostOf(before), 'moved.ts': besides + both }
const lastStep: Files = {
  ...hostOf(after.replace('resources: [resource]', "resources: [resource, baseUrl + '/v1/main/mcp']")),
  'moved.ts': `import { app, mcp, signIn } from './host'
    const moved = { path: '/v1/:tenantKey/mcp', scopes: ['profile'] }
    app.all(moved.path, signIn.protectedResource(moved), mcp)
    export { app }`,
}
lastStep['host.ts'] += 'export { signIn }\n'

// SDK 2 has these parts in packages that are not installed at the root.
const ofSdk2 = join(root, 'test/field/other-clients/node_modules/@modelcontextprotocol')
const onSdk2 = (code: string) =>
  code
    .replace(/'@modelcontextprotocol\/sdk\/server\/auth\/middleware\/\w+\.js'/, `'${ofSdk2}/express/dist/index.cjs'`)
    .replace(/import { InvalidTokenError } .*/, `import { OAuthError, OAuthErrorCode } from '${ofSdk2}/server'`)
    .replace('new InvalidTokenError(', 'new OAuthError(OAuthErrorCode.InvalidToken, ')
const onLegacySdk2 = (code: string) =>
  code.replace(
    /'@modelcontextprotocol\/sdk\/(server|shared)\/auth.*\.js'/g,
    `'${ofSdk2}/server-legacy/dist/auth/index.cjs'`,
  )

const folder = snippetFolder()
const connections: McpConnection[] = []
let server: HostApp
let app: Express | undefined
let hosts = 0
beforeAll(async () => {
  server = await HostApp.start(() => (req, res) => app?.(req, res))
  // About the signing key that is made up, and of the SDK about the refreshes that fail.
  jest.spyOn(process, 'emitWarning').mockImplementation()
  jest.spyOn(console, 'warn').mockImplementation()
})
afterEach(() => Promise.all(connections.splice(0).map((connection) => connection.close())))
afterAll(async () => {
  jest.restoreAllMocks()
  await server.stop()
  rmSync(folder, { recursive: true })
})

describe('the two hosts of docs/coming-from-mcp-auth-router.md', () => {
  describe.each([
    ['before', hostOf(before)],
    ['after', hostOf(after)],
  ])('%s', (_, files) => connectsAssistants(files))

  describeWith('test/field/other-clients/node_modules', installed.npm)('with the packages of SDK 2', () => {
    describe.each([
      ['before', hostOf(onLegacySdk2(before))],
      ['after', hostOf(onSdk2(after))],
    ])('%s', (_, files) => connectsAssistants(files))
  })
})

/** Forgets the discovered addresses when the sign-in is over. */
class ForgetfulAssistant extends NewAssistant {
  override saveTokens(tokens: Parameters<NewAssistant['saveTokens']>[0]): void {
    super.saveTokens(tokens)
    this.invalidateCredentials('discovery')
  }
}

const tokenRoute = `app.post('/token'`
const withoutTokenRoute = after.replace(tokenRoute, `app.post('/elsewhere'`)

describe('the move', () => {
  it.each(sdks)('asks the customer of an assistant on the MCP SDK %s to sign in once more', async (_, connect) => {
    expect(after).toContain(tokenRoute)
    const assistant = new ForgetfulAssistant()
    const oldClient = await movedUnder(assistant, connect, hostOf(withoutTokenRoute))
    const again = await signedIn(assistant, connect, '/mcp')
    expect(assistant.authorizationUrl.pathname).toBe('/v1/main/oauth/authorize')
    expect(assistant.clientId).not.toBe(oldClient)
    expect(await again.whoAmI()).toEqual(isAda)
  })

  it('makes an assistant on the MCP SDK 1.32 forget the addresses that it has kept', async () => {
    const assistant = new NewAssistant()
    await movedUnder(assistant, sdk('newest 1'), hostOf(after))
    const again = await signedIn(assistant, sdk('newest 1'), '/mcp')
    expect(assistant.authorizationUrl.pathname).toBe('/v1/main/oauth/authorize')
    expect(await again.whoAmI()).toEqual(isAda)
  })

  it('cannot do so without the route at the old token endpoint', async () => {
    const assistant = new NewAssistant()
    await movedUnder(assistant, sdk('newest 1'), hostOf(withoutTokenRoute))
    expect(assistant.authorizationUrl.pathname).toBe('/authorize')
  })

  it('cannot make an assistant on the MCP SDK 2 forget them', async () => {
    const assistant = new NewAssistant()
    await movedUnder(assistant, sdk('2'), hostOf(after))
    await expect(sdk('2')(`${server.origin}/mcp`, assistant).open()).rejects.toThrow('Cannot POST /register')
  })

  it.each(sdks)(
    'can be made with both at once, and keeps an assistant on the MCP SDK %s signed in',
    async (_, connect) => {
      app = await appOf(bothAtOnce)
      const [old, moved] = [new NewAssistant(), new NewAssistant()]
      const connections = [await signedIn(old, connect, '/mcp'), await signedIn(moved, connect, '/v1/main/mcp')]
      expect(old.authorizationUrl.pathname).toBe('/authorize')
      expect(moved.authorizationUrl.pathname).toBe('/v1/main/oauth/authorize')

      const otherTokens: [string, NewAssistant][] = [
        ['/mcp', moved],
        ['/v1/main/mcp', old],
      ]
      for (const [path, other] of otherTokens) {
        const { status } = await request(server.origin)
          .post(path)
          .auth(other.tokens()?.access_token ?? '', { type: 'bearer' })
        expect({ path, status }).toEqual({ path, status: 401 })
      }
      for (const assistant of [old, moved]) expire(assistant)
      for (const { whoAmI } of connections) expect(await whoAmI()).toEqual(isAda)
    },
  )

  it.each(sdks)(
    'ends with both addresses at the new server, for an assistant on the MCP SDK %s',
    async (_, connect) => {
      app = await appOf(lastStep)
      for (const path of ['/mcp', '/v1/main/mcp']) {
        const assistant = new NewAssistant()
        const { whoAmI } = await signedIn(assistant, connect, path)
        expect(await whoAmI()).toEqual(isAda)
        expect(assistant.authorizationUrl.pathname).toBe('/v1/main/oauth/authorize')
      }
    },
  )
})

describe('the tables of docs/coming-from-mcp-auth-router.md', () => {
  it.each([
    ['before', 1, before],
    ['after', 2, after],
  ])('have the addresses of the host %s', async (_, column, code) => {
    app = await appOf(hostOf(code))
    const table = tableUnder('## What changes for clients', page)
    const address = (name: string) => table.find(([cell]) => cell === name)?.[column]?.replaceAll('`', '') ?? ''
    const challenge = (await request(server.origin).post(address('MCP server')).expect(401)).headers['www-authenticate']
    expect(challenge).toContain(`resource_metadata="${server.origin}${address('its metadata')}"`)
    await request(server.origin).get(address('its metadata')).expect(200)
    const { body } = await request(server.origin).get(address('metadata of the issuer')).expect(200)
    expect(table.slice(3).map(([name = '']) => [name, address(name)])).toEqual(
      [
        ['authorization endpoint', body.authorization_endpoint],
        ['token endpoint', body.token_endpoint],
        ['registration endpoint', body.registration_endpoint],
        ['revocation endpoint', body.revocation_endpoint],
        ['key set', body.jwks_uri ?? 'none'],
      ].map(([name, url]) => [name, url.replace(server.origin, '')]),
    )
  })

  it('have the rate limits of mcpAuthRouter', async () => {
    app = await appOf(hostOf(before))
    const rows = tableUnder('## What becomes of the provider', page)
    const [limits = ''] = rows.map(([of = '']) => of).filter((of) => of.startsWith('rate limits'))
    const found: string[] = []
    for (const path of ['/authorize', '/token', '/revoke', '/register']) {
      const { headers } = await request(server.origin).post(path)
      found.push(
        `${headers['ratelimit-limit']} in ${Number.parseInt(headers['ratelimit-policy']?.split('w=')[1] ?? '', 10) / 60}`,
      )
    }
    expect(found).toEqual(['100 in 15', '50 in 15', '50 in 15', '20 in 60'])
    expect(limits).toBe(
      'rate limits: 100 requests in 15 minutes to `/authorize`, 50 to `/token` and `/revoke`, 20 in an hour to `/register`',
    )
  })
})

/** The access token of an assistant is no longer accepted. */
function expire(assistant: NewAssistant): void {
  assistant.saveTokens({ token_type: 'Bearer', ...assistant.tokens(), access_token: 'expired' })
}

const isAda = expect.objectContaining({ content: [{ type: 'text', text: 'ada' }] })

function connectsAssistants(files: Files): void {
  beforeAll(async () => {
    app = await appOf(files)
  })

  it.each(sdks)('connects an assistant on the MCP SDK %s, which refreshes', async (_, connect) => {
    const assistant = new NewAssistant()
    const connection = await signedIn(assistant, connect, '/mcp')
    expect(await connection.whoAmI()).toEqual(isAda)
    const first = assistant.tokens()
    expire(assistant)
    expect(await connection.whoAmI()).toEqual(isAda)
    expect(assistant.tokens()?.refresh_token).not.toBe(first?.refresh_token)
  })
}

type Connect = (server: string, assistant: NewAssistant) => McpConnection

function sdk(version: string): Connect {
  const [, connect] = sdks.find(([name]) => name === version) ?? []
  if (!connect) throw new Error(`The tests have no SDK ${version}`)
  return connect
}

/** Connects an assistant to the old host and moves the host. The next call fails. @returns The client id at the old host. */
async function movedUnder(assistant: NewAssistant, connect: Connect, to: Files): Promise<string | undefined> {
  app = await appOf(hostOf(before))
  const { whoAmI } = await signedIn(assistant, connect, '/mcp')
  const { clientId } = assistant
  app = await appOf(to)
  await expect(whoAmI()).rejects.toThrow()
  return clientId
}

/** The customer connects an assistant to the MCP server at a path. */
async function signedIn(assistant: NewAssistant, connect: Connect, path: string): Promise<McpConnection> {
  const signedOut = connect(server.origin + path, assistant)
  await expect(signedOut.open()).rejects.toThrow('Unauthorized')
  const { url } = await new Customer(redirectUri).open(assistant.authorizationUrl.href)
  await signedOut.finishSignIn(url.searchParams)
  const connection = connect(server.origin + path, assistant)
  connections.push(connection)
  await connection.open()
  return connection
}

/** A host whose files are loaded anew, so that it has forgotten everything. */
async function appOf(files: Files): Promise<Express> {
  const inner = join(folder, `${hosts++}`)
  mkdirSync(inner)
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(join(inner, name), code.replaceAll('https://your.host', server.origin))
  }
  const loaded: { app: Express } = await import(join(inner, Object.keys(files).at(-1) ?? ''))
  return loaded.app
}
