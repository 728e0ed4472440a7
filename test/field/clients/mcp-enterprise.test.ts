import { auth, CrossAppAccessProvider, exchangeJwtAuthGrant } from '@modelcontextprotocol/client'
import { MemoryTenantStore, newClientSecret } from 'customer-sign-in'
import { ApiHost } from '../../support/api-host'
import { CompanyIssuer, jwtBearer } from '../../support/company-issuer'
import { DocumentServer, publishing } from '../../support/document-server'
import { redirectUri } from '../../support/sign-in'

// The clients of a company that has an identity provider of its own, each with the requests that it makes: of the SDK 2 its own code, of the
// others what their makers publish (the Python SDK's source `identity_assertion.py` of 1.28, and the pages on Claude of 2026-11-23).

const { secret, hash } = newClientSecret()
const clientId = 'mcp-client'
const scopes = { profile: 'Know who you are', 'trips:write': 'Book trips for you' }

/** A host whose MCP server requires `profile`, and at `/book` also `trips:write`, at a company that trusts its own identity provider. */
async function company() {
  const idp = await CompanyIssuer.start()
  const agents = await CompanyIssuer.start()
  const acme = {
    key: 'acme',
    id: 'acme',
    clients: [{ clientId, redirectUris: [redirectUri], secretHashes: [hash] }],
    trustedIssuers: [
      idp.trusted({ subject: 'email' }),
      agents.trusted({ kind: 'workload', subject: undefined, claims: { tenant: 'org_1' }, algorithms: ['ES256'] }),
    ],
    enterpriseOnly: true,
  }
  const host = await ApiHost.start({
    tenantStore: new MemoryTenantStore([acme]),
    clients: { documents: 'with-loopback', authentication: ['none', 'client_secret_basic', 'client_secret_post'] },
    scopes,
  })
  host.protect({
    scopes: 'profile',
    scopesSupported: 'trips:write',
    accepts: ['customer', 'workload'],
    checkRevocation: true,
  })
  host.app.use(
    '/v1/:tenantKey/book',
    host.signIn.requireAccessToken({
      tenantKey: ({ params }) => params.tenantKey,
      resource: `${host.baseUrl}/v1/acme/mcp`,
      scopes: ['profile', 'trips:write'],
    }),
    (_req, res) => void res.json({ booked: true }),
  )
  const server = `${host.baseUrl}/v1/acme/mcp`
  const person = (claims: Record<string, unknown>) =>
    idp.idJag(host.issuer(), { claims: { email: 'anna@acme.example', ...claims } })
  const call = (token: string | undefined, url = server) =>
    fetch(url, { method: 'POST', headers: token ? { Authorization: `Bearer ${token}` } : {} })
  return { host, agents, server, person, call }
}

type Form = Record<string, string>

/** `POST I/token` as a client without an SDK of ours sends it. */
async function post(url: string, form: Form, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) })
  return { status: response.status, body: Object(await response.json()) as Record<string, unknown> }
}

describe('the MCP SDK 2', () => {
  it('signs a customer in by its CrossAppAccessProvider, without a browser', async () => {
    const { host, server, person, call } = await company()
    const asked: unknown[] = []
    const provider = new CrossAppAccessProvider({
      assertion: async ({ authorizationServerUrl, resourceUrl, scope }) => {
        asked.push({ authorizationServerUrl, resourceUrl, scope })
        return person({ client_id: clientId, resource: resourceUrl, scope })
      },
      clientId,
      clientSecret: secret,
      expectedIssuer: host.issuer(),
    })
    expect(await auth(provider, { serverUrl: server })).toBe('AUTHORIZED')
    expect(asked).toEqual([
      { authorizationServerUrl: host.issuer(), resourceUrl: server, scope: 'profile trips:write' },
    ])
    const tokens = provider.tokens()
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(await (await call(tokens?.access_token)).json()).toMatchObject({ subject: 'anna@acme.example' })
    // It asks its identity provider again, and needs nobody.
    expect(await auth(provider, { serverUrl: server })).toBe('AUTHORIZED')
    expect(asked).toHaveLength(2)
  })

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'exchanges an assertion without scope and resource, by %s',
    async (authMethod) => {
      const { host, person, call } = await company()
      const tokens = await exchangeJwtAuthGrant({
        tokenEndpoint: `${host.issuer()}/token`,
        jwtAuthGrant: person({ client_id: clientId }),
        clientId,
        clientSecret: secret,
        authMethod,
      })
      expect((await call(tokens.access_token)).status).toBe(200)
    },
  )
})

describe('the MCP SDK for Python', () => {
  it('sends the secret in the form, with the resource, and asks again with the union of the scopes', async () => {
    const { host, server, person, call } = await company()
    const metadata = await (await fetch(`${host.baseUrl}/.well-known/oauth-authorization-server/v1/acme/oauth`)).json()
    // Its issuer is configured, and compared to the letter.
    expect(metadata).toMatchObject({ issuer: host.issuer(), grant_types_supported: [jwtBearer] })
    const ask = (scope: string) =>
      post(String(Object(metadata).token_endpoint), {
        grant_type: jwtBearer,
        assertion: person({ client_id: clientId }),
        client_id: clientId,
        client_secret: secret,
        resource: server,
        scope,
      })
    const first = await ask('profile')
    expect(first).toMatchObject({ status: 200, body: { scope: 'profile' } })
    const book = `${host.baseUrl}/v1/acme/book`
    const refused = await call(String(first.body.access_token), book)
    expect(refused.status).toBe(403)
    const wanted = /scope="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1] ?? ''
    const second = await ask(wanted)
    expect((await call(String(second.body.access_token), book)).status).toBe(200)
  })
})

describe('Claude', () => {
  it('asks by its document, where the metadata offers it, and gets another assertion after it was ended', async () => {
    const { host, server, person, call } = await company()
    const documents = await DocumentServer.start((self) =>
      publishing(self, { grant_types: ['authorization_code', 'refresh_token', jwtBearer] }),
    )
    const id = documents.url()
    const challenge = (await call(undefined)).headers.get('WWW-Authenticate') ?? ''
    const resourceMetadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
    const {
      authorization_servers: [issuer],
    } = Object(await (await fetch(resourceMetadata)).json())
    const found = Object(
      await (await fetch(`${host.baseUrl}/.well-known/oauth-authorization-server${new URL(issuer).pathname}`)).json(),
    )
    expect(found).toMatchObject({
      client_id_metadata_document_supported: true,
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    })
    expect(found.grant_types_supported).toContain(jwtBearer)
    const ask = (claims: Record<string, unknown> = {}) =>
      post(found.token_endpoint, {
        grant_type: jwtBearer,
        client_id: id,
        assertion: person({ client_id: id, scope: 'profile', resource: server, ...claims }),
        scope: 'profile',
        resource: server,
      })
    const { status, body } = await ask()
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'profile' })
    expect((await call(String(body.access_token))).status).toBe(200)
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'anna@acme.example' })
    expect((await call(String(body.access_token))).status).toBe(401)
    // The same moment is too early: the clocks may differ by a minute.
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    host.signIn.clock.advance(62)
    const later = Math.floor(host.signIn.clock.now() / 1000)
    const again = await ask({ iat: later, exp: later + 300 })
    expect((await call(String(again.body.access_token))).status).toBe(200)
  })
})

describe('Claude Tag', () => {
  it('comes as itself, without a client, and keeps its token', async () => {
    const { host, agents, call } = await company()
    const name = 'wimse://identity.anthropic.com/org/org_1/agent/7'
    const ask = (claims: Record<string, unknown> = {}) =>
      post(`${host.issuer()}/token`, {
        grant_type: jwtBearer,
        assertion: agents.workload(host.issuer(), {
          claims: { sub: name, tenant: 'org_1', aud: [host.issuer()], ...claims },
        }),
      })
    const { status, body } = await ask()
    expect(status).toBe(200)
    expect(body.expires_in).toBeGreaterThanOrEqual(300)
    expect(body.expires_in).toBeLessThanOrEqual(86_400)
    expect(await (await call(String(body.access_token))).json()).toMatchObject({
      subject: `workload:${agents.issuer}#${name}`,
    })
    expect(await ask({ tenant: 'org_2' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})
