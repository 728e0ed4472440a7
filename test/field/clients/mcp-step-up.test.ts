import { MemoryTenantStore } from 'customer-sign-in'
import type { ErrorRequestHandler } from 'express'
import { answerMcp } from '../../../examples/mcp-server/mcp'
import { ApiHost } from '../../support/api-host'
import { consentForm, textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { type McpConnection, sdks } from '../../support/mcp-connection'
import { NewAssistant } from '../../support/new-assistant'

const [sdk117, sdk1, sdk2] = sdks
const booked = { content: [{ type: 'text', text: 'Booked for customer-1 with Acme Air' }] }
const isCustomer1 = { content: [{ type: 'text', text: 'customer-1, customer of Acme Air' }] }

/** A host whose MCP server requires `profile`, and has a tool that requires `trips:write`. Its customer is logged in. */
async function mcpHost() {
  const scopes = { profile: 'Know who you are', 'trips:write': 'Book trips for you', mail: 'Read your mail' }
  const host = await ApiHost.start({
    tenantStore: new MemoryTenantStore([{ key: 'acme' }]),
    authenticate: () => ({ subject: 'customer-1' }),
    clients: { documents: 'with-loopback' },
    refreshRetryWindow: 10,
    scopes,
  })
  const mcp = { path: '/v1/:tenantKey/mcp', scopes: 'profile', scopesSupported: 'trips:write' }
  host.app.all(mcp.path, host.signIn.protectedResource(mcp))
  host.app.post(mcp.path, answerMcp(host.signIn))
  host.app.all(mcp.path, (_req, res) => res.sendStatus(405))
  const answerRefusal: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error.status).set(error.headers).json(error)
  }
  host.app.use(answerRefusal)
  return { host, server: `${host.baseUrl}/v1/acme/mcp` }
}

/** Opens the consent page in the customer's browser, and presses Allow. @returns The page's text, and what the browser brings back. */
async function allowed(authorizationUrl: URL): Promise<{ page: string; callback: URLSearchParams }> {
  const text = await (await fetch(authorizationUrl)).text()
  const { action, token } = consentForm({ text })
  const body = new URLSearchParams({ consent_token: token, decision: 'allow' })
  const answer = await fetch(new URL(action, authorizationUrl), { method: 'POST', body, redirect: 'manual' })
  expect(answer.status).toBe(303)
  return { page: textOf(text), callback: new URL(answer.headers.get('Location') ?? '').searchParams }
}

const open: McpConnection[] = []
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation())
afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(open.splice(0).map((connection) => connection.close()))
})

type Sdk = (typeof sdks)[number]

async function connected([, connectTo]: Sdk, server: string, assistant: NewAssistant): Promise<McpConnection> {
  const refused = connectTo(server, assistant)
  await expect(refused.open()).rejects.toThrow('Unauthorized')
  const { page, callback } = await allowed(assistant.authorizationUrl)
  expect(page).toContain('Know who you are')
  expect(page).not.toContain('Book trips for you')
  await refused.finishSignIn(callback)
  const connection = connectTo(server, assistant)
  await connection.open()
  open.push(refused, connection)
  return connection
}

describe('an assistant on the MCP SDK 2 that calls a tool which needs more than it has', () => {
  it.each<[known: string, assistant: () => Promise<NewAssistant>]>([
    ['that registered itself', async () => new NewAssistant()],
    ['with a metadata document', async () => new NewAssistant({ clientId: (await DocumentServer.start()).url() })],
    [
      'whose metadata document names less',
      async () => {
        const documents = await DocumentServer.start((self) => publishing(self, { scope: 'profile' }))
        return new NewAssistant({ clientId: documents.url() })
      },
    ],
  ])('asks the customer for that too, if it is one %s', async (_, create) => {
    const { server } = await mcpHost()
    const assistant = await create()
    const connection = await connected(sdk2 as Sdk, server, assistant)
    const { clientId } = assistant

    await expect(connection.call('book_trip')).rejects.toThrow('Unauthorized')
    expect(assistant.authorizationUrl.searchParams.get('scope')).toBe('profile trips:write')
    const { page, callback } = await allowed(assistant.authorizationUrl)
    for (const words of ['Know who you are', 'Book trips for you']) expect(page).toContain(words)
    expect(page).not.toContain('Read your mail')
    await connection.finishSignIn(callback)

    expect(await connection.call('book_trip')).toMatchObject(booked)
    expect(await connection.whoAmI()).toMatchObject(isCustomer1)
    expect(assistant.clientId).toBe(clientId)
  })

  it('goes on with what it has if the customer does not want to allow more', async () => {
    const { server } = await mcpHost()
    const connection = await connected(sdk2 as Sdk, server, new NewAssistant())
    for (const _again of [1, 2]) await expect(connection.call('book_trip')).rejects.toThrow('Unauthorized')
    expect(await connection.whoAmI()).toMatchObject(isCustomer1)
  })
})

// They refresh in place of asking the customer, or do nothing at all.
describe.each([sdk117 as Sdk, sdk1 as Sdk])('an assistant on the MCP SDK %s', (...sdk) => {
  it('is refused by a tool that needs more than it has, and stays connected', async () => {
    const { server } = await mcpHost()
    const connection = await connected(sdk, server, new NewAssistant())
    await expect(connection.call('book_trip')).rejects.toThrow('403')
    expect(await connection.whoAmI()).toMatchObject(isCustomer1)
  })
})
