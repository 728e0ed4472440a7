import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client as Client117 } from 'mcp-sdk-1.17.0/client/index.js'
import { StreamableHTTPClientTransport as Transport117 } from 'mcp-sdk-1.17.0/client/streamableHttp.js'
import { AssistantSession } from '../../support/assistant-session'
import { releaseClock, stopClock } from '../../support/clock'
import { CompanyHost } from '../../support/company-host'
import { mcpServer } from '../../support/mcp-server'

/** An assistant's connection to an MCP server. */
interface Connection {
  open(): Promise<void>
  finishSignIn(callback: URLSearchParams): Promise<void>
  /** Calls the server's only tool, which tells who the customer is. */
  whoAmI(): Promise<unknown>
  close(): Promise<void>
}

const assistant = { name: 'assistant', version: '1.0.0' }
const whoAmITool = { name: 'who_am_i', arguments: {} }

function onSdk117(api: string, authProvider: AssistantSession): Connection {
  const client = new Client117(assistant)
  const transport = new Transport117(new URL(api), { authProvider })
  return {
    open: () => client.connect(transport),
    finishSignIn: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    whoAmI: () => client.callTool(whoAmITool),
    close: () => client.close(),
  }
}

function onSdk1(api: string, authProvider: AssistantSession): Connection {
  const client = new Client1(assistant)
  const transport = new Transport1(new URL(api), { authProvider })
  return {
    open: () => client.connect(transport),
    finishSignIn: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    whoAmI: () => client.callTool(whoAmITool),
    close: () => client.close(),
  }
}

function onSdk2(api: string, authProvider: AssistantSession): Connection {
  const client = new Client2(assistant)
  const transport = new Transport2(new URL(api), { authProvider })
  return {
    open: () => client.connect(transport),
    finishSignIn: (callback) => transport.finishAuth(callback),
    whoAmI: () => client.callTool(whoAmITool),
    close: () => client.close(),
  }
}

const isCustomer1 = expect.objectContaining({ content: [{ type: 'text', text: 'customer-1' }] })

describe.each([
  ['1.17.0', onSdk117],
  ['newest 1', onSdk1],
  ['2', onSdk2],
])('an assistant on the MCP SDK %s', (_version, connectionTo) => {
  let host: CompanyHost
  let clock: ReturnType<typeof stopClock>
  const connections: Connection[] = []
  beforeEach(async () => {
    clock = stopClock()
    host = await CompanyHost.start({ api: mcpServer, refreshRetryWindow: 10, onEvent: () => {} })
  })
  afterEach(async () => {
    releaseClock()
    await host.stop()
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })

  async function connected(): Promise<Connection> {
    const session = new AssistantSession(host.issuer)
    const signedOut = connectionTo(host.api, session)
    await expect(signedOut.open()).rejects.toThrow('Unauthorized')
    const callback = await host.browse(session.authorizationUrl)
    await signedOut.finishSignIn(callback.searchParams)
    const connection = connectionTo(host.api, session)
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
})
