import http from 'node:http'
import https from 'node:https'
import type { CustomerSignInOptions } from 'customer-sign-in'
import { answerMcp } from '../../../examples/mcp-server/mcp'
import { ApiHost } from '../../support/api-host'
import { releaseClock, stopClock } from '../../support/clock'
import { consentForm } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { type McpConnection, sdks } from '../../support/mcp-connection'
import { NewAssistant } from '../../support/new-assistant'

const isCustomer1 = expect.objectContaining({
  content: [{ type: 'text', text: expect.stringMatching(/^customer-1, customer of/) }],
})
const day = 86_400

afterEach(() => {
  releaseClock()
  jest.restoreAllMocks()
})

/** A host whose customer is logged in, with an MCP server for every company. */
async function mcpHost(options: Partial<CustomerSignInOptions> = {}): Promise<{ host: ApiHost; server: string }> {
  const host = await ApiHost.start({
    authenticate: () => ({ subject: 'customer-1' }),
    refreshRetryWindow: 10,
    ...options,
  })
  const mcp = { path: '/v1/:tenantKey/mcp', scopes: ['profile'] }
  host.app.all(mcp.path, host.signIn.protectedResource(mcp))
  host.app.post(mcp.path, answerMcp(host.signIn))
  host.app.all(mcp.path, (_req, res) => res.sendStatus(405))
  return { host, server: `${host.baseUrl}/v1/acme/mcp` }
}

/** What the customer's browser does: opens the page and sends its form. @returns What the browser brings back to the assistant. */
async function answered(authorizationUrl: URL, decision: 'allow' | 'deny' = 'allow'): Promise<URLSearchParams> {
  const page = await fetch(authorizationUrl)
  const { action, token } = consentForm({ text: await page.text() })
  const body = new URLSearchParams({ consent_token: token, decision })
  const answer = await fetch(new URL(action, authorizationUrl), { method: 'POST', body, redirect: 'manual' })
  expect(answer.status).toBe(303)
  return new URL(answer.headers.get('Location') ?? '').searchParams
}

describe.each(sdks)('an assistant on the MCP SDK %s', (version, connectTo) => {
  const open: McpConnection[] = []
  beforeEach(() => jest.spyOn(console, 'warn').mockImplementation())
  afterEach(() => Promise.all(open.splice(0).map((connection) => connection.close())))

  /** Connects from the bare address: the first request is refused, the customer agrees, and the second is let in. */
  async function connected(server: string, assistant: NewAssistant): Promise<McpConnection> {
    const refused = connectTo(server, assistant)
    await expect(refused.open()).rejects.toThrow('Unauthorized')
    const callback = await answered(assistant.authorizationUrl)
    expect(callback.get('state')).toBe(assistant.state())
    await refused.finishSignIn(callback)
    const connection = connectTo(server, assistant)
    await connection.open()
    open.push(refused, connection)
    return connection
  }

  it('needs only the address: it registers, asks the customer, and calls a tool', async () => {
    const { host, server } = await mcpHost()
    const assistant = new NewAssistant()
    expect(await (await connected(server, assistant)).whoAmI()).toEqual(isCustomer1)
    expect((await host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants).toMatchObject([
      { clientId: assistant.clientId, clientName: 'Assistant' },
    ])
  })

  it('is identified by its metadata document, and registers nothing', async () => {
    // By its IP address, so that no test asks the name servers of the internet.
    const clientId = 'https://93.184.215.14/client.json'
    const documents = await DocumentServer.start((server) => publishing(server, { client_id: clientId }))
    // The only part of the internet that this test needs.
    jest
      .spyOn(https, 'request')
      .mockImplementation(((_url: URL, options: https.RequestOptions) =>
        http.request(documents.url(), options)) as typeof https.request)
    const registered = jest.fn()
    const { server } = await mcpHost({
      onEvent: ({ type }) => {
        if (type === 'registered') registered()
      },
    })
    // 1.17.0 does not know such documents, but accepts any client id.
    const identity = version === '1.17.0' ? { clientId } : { metadataUrl: clientId }
    const assistant = new NewAssistant(identity)
    expect(await (await connected(server, assistant)).whoAmI()).toEqual(isCustomer1)
    expect(assistant.clientId).toBe(clientId)
    expect(registered).not.toHaveBeenCalled()
  })

  it('is identified by a document on the developer’s own machine, if the host allows that', async () => {
    const clientId = (await DocumentServer.start()).url()
    const { server } = await mcpHost({ clients: { documents: 'with-loopback' } })
    expect(await (await connected(server, new NewAssistant({ clientId }))).whoAmI()).toEqual(isCustomer1)
  })

  it('signs in with the id that it has, however long it was away', async () => {
    const clock = stopClock()
    const { server } = await mcpHost()
    const assistant = new NewAssistant()
    const connection = await connected(server, assistant)
    const { clientId } = assistant
    clock.advance(365 * day)
    await expect(connection.whoAmI()).rejects.toThrow('Unauthorized')
    await connectTo(server, assistant).finishSignIn(await answered(assistant.authorizationUrl))
    expect(await connection.whoAmI()).toEqual(isCustomer1)
    expect(assistant.clientId).toBe(clientId)
  })

  it('registers again when the server does not know its id, and is connected as soon as the customer agrees', async () => {
    const clock = stopClock()
    const { server } = await mcpHost()
    const assistant = new NewAssistant()
    const connection = await connected(server, assistant)
    assistant.saveClientInformation({ client_id: 'dcr_of-another-server' })
    clock.advance(3601)
    await expect(connection.whoAmI()).rejects.toThrow('Unauthorized')
    expect(assistant.clientId).not.toBe('dcr_of-another-server')
    await connectTo(server, assistant).finishSignIn(await answered(assistant.authorizationUrl))
    expect(await connection.whoAmI()).toEqual(isCustomer1)
  })

  it('is not let in if the customer refuses, and may ask again', async () => {
    const { server } = await mcpHost()
    const assistant = new NewAssistant()
    await expect(connectTo(server, assistant).open()).rejects.toThrow('Unauthorized')
    const answer = await answered(assistant.authorizationUrl, 'deny')
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'access_denied', state: assistant.state() })
    expect(await (await connected(server, assistant)).whoAmI()).toEqual(isCustomer1)
  })
})
