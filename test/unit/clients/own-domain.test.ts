import { answerMcp } from '../../../examples/mcp-server/mcp'
import { ApiHost } from '../../support/api-host'
import { consentForm } from '../../support/consent-form'
import { type McpConnection, sdks } from '../../support/mcp-connection'
import { NewAssistant } from '../../support/new-assistant'
import { storeOf } from '../../support/own-domain'

/** A host with an MCP server. The companies share 127.0.0.1, and acme has a domain of its own: localhost. */
async function hostOfDomains() {
  const domain = { baseUrl: '' }
  const host = await ApiHost.start({
    tenantStore: storeOf(() => [{ key: 'acme', name: 'Acme Air', ...(domain.baseUrl && domain) }, { key: 'globex' }]),
    authenticate: () => ({ subject: 'customer-1' }),
    refreshRetryWindow: 10,
  })
  domain.baseUrl = `http://localhost:${new URL(host.baseUrl).port}`
  const path = '/v1/:tenantKey/mcp'
  const paths = [path, '/mcp']
  host.app.all(paths, host.signIn.protectedResource({ path, scopes: 'profile' }))
  host.app.post(paths, answerMcp(host.signIn))
  host.app.all(paths, (_req, res) => res.sendStatus(405))
  return { host, domain: domain.baseUrl }
}

/** Opens the consent page in the customer's browser, and presses Allow. @returns What the browser brings back. */
async function allowed(authorizationUrl: URL): Promise<URLSearchParams> {
  const { action, token } = consentForm({ text: await (await fetch(authorizationUrl)).text() })
  const body = new URLSearchParams({ consent_token: token, decision: 'allow' })
  const answer = await fetch(new URL(action, authorizationUrl), { method: 'POST', body, redirect: 'manual' })
  return new URL(answer.headers.get('Location') ?? '').searchParams
}

const open: McpConnection[] = []
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation())
afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(open.splice(0).map((connection) => connection.close()))
})

describe.each(sdks)('an assistant on the MCP SDK %s', (_version, connectTo) => {
  it('connects to a company on its own domain by the address of its MCP server alone', async () => {
    const { domain } = await hostOfDomains()
    const assistant = new NewAssistant()
    const refused = connectTo(`${domain}/mcp`, assistant)
    await expect(refused.open()).rejects.toThrow('Unauthorized')
    expect(`${assistant.authorizationUrl}`).toContain(`${domain}/oauth/authorize?`)
    const callback = await allowed(assistant.authorizationUrl)
    expect(callback.get('iss')).toBe(domain)
    await refused.finishSignIn(callback)
    const connection = connectTo(`${domain}/mcp`, assistant)
    open.push(refused, connection)
    await connection.open()
    expect(JSON.stringify(await connection.whoAmI())).toContain('customer-1, customer of Acme Air')
  })
})
