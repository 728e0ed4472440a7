import type { CustomerSignIn } from 'customer-sign-in'
import type { RequestHandler } from 'express'
import { AssistantSession } from '../../support/assistant-session'
import { releaseClock, stopClock } from '../../support/clock'
import { CompanyHost } from '../../support/company-host'
import { type McpConnection, modernSdks, sdks } from '../../support/mcp-connection'
import { mcpServer, mcpServerOfToday } from '../../support/mcp-server'

type Api = (signIn: CustomerSignIn) => RequestHandler

const servers: [server: string, api: Api, clients: typeof sdks][] = [
  ['on SDK 1', mcpServer, [...sdks, ...modernSdks.filter(([version]) => !version.includes('pinned'))]],
  ['of MCP 2026-07-28 and before', mcpServerOfToday(), [...sdks, ...modernSdks]],
  ['of MCP 2026-07-28 alone', mcpServerOfToday('reject'), modernSdks],
]
const pairs = servers.flatMap(([server, api, clients]) =>
  clients.map((client) => [client[0], server, client[1], api] as const),
)

const isCustomer1 = expect.objectContaining({ content: [{ type: 'text', text: 'customer-1' }] })

describe.each(pairs)('an assistant on the MCP SDK %s, at a server %s', (_version, _server, connectTo, api) => {
  let host: CompanyHost
  let clock: ReturnType<typeof stopClock>
  const connections: McpConnection[] = []
  beforeEach(async () => {
    // SDK 2 prints a warning at every sign-out.
    jest.spyOn(console, 'warn').mockImplementation()
    clock = stopClock()
    host = await CompanyHost.start({ api, refreshRetryWindow: 10, onEvent: () => {} })
  })
  afterEach(async () => {
    jest.restoreAllMocks()
    releaseClock()
    await host.stop()
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })

  async function connected(session = new AssistantSession(host.issuer)): Promise<McpConnection> {
    const signedOut = connectTo(host.api, session)
    await expect(signedOut.open()).rejects.toThrow('Unauthorized')
    const callback = await host.browse(session.authorizationUrl)
    await signedOut.finishSignIn(callback.searchParams)
    const connection = connectTo(host.api, session)
    connections.push(connection)
    await connection.open()
    return connection
  }

  it('calls a tool for the customer who has signed in', async () => {
    const { whoAmI } = await connected()
    expect(await whoAmI()).toEqual(isCustomer1)
  })

  it('stays connected for weeks, although each access token expires after an hour', async () => {
    const { whoAmI } = await connected()
    for (let week = 0; week < 8; week++) {
      clock.advance(7 * 86_400)
      expect(await whoAmI()).toEqual(isCustomer1)
    }
  })

  it('stays connected when several calls at once find the access token expired', async () => {
    const { whoAmI } = await connected()
    clock.advance(3601)
    // SDK 1 has a circuit breaker that can fail such a call; the connection must outlive that.
    await Promise.allSettled([1, 2, 3].map(() => whoAmI()))
    expect(await whoAmI()).toEqual(isCustomer1)
    clock.advance(3601)
    expect(await whoAmI()).toEqual(isCustomer1)
  })

  it('asks the customer to sign in again once the grant has been revoked and the access token has expired', async () => {
    const session = new AssistantSession(host.issuer)
    const { whoAmI } = await connected(session)
    const signedIn = session.authorizationUrl.href
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    clock.advance(3601)
    await expect(whoAmI()).rejects.toThrow('Unauthorized')
    expect(session.authorizationUrl.href).not.toBe(signedIn)
    expect(await (await connected(session)).whoAmI()).toEqual(isCustomer1)
  })
})
