import { type ClientRule, type CustomerSignInOptions, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { register, registered } from '../../support/registration'
import { expectError, expectTokens, type FormFields, formBody, type TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const callback = 'https://claude.ai/api/mcp/auth_callback'
const document = 'https://claude.ai/oauth/client.json'
const fetched = jest.fn(async (url: string) =>
  Response.json({ client_id: url, client_name: 'Claude', redirect_uris: [callback] }),
)

beforeEach(() => fetched.mockClear())

/** A host with one company, which has these rules. */
function company(record: Partial<Tenant> = {}, options: Partial<CustomerSignInOptions> = {}): Promise<TestSignIn> {
  return started(
    {
      tenantStore: new MemoryTenantStore([{ ...tenants[0], key: 'acme', name: 'Acme <Air>', ...record }]),
      authenticate: asTheySay,
      clients: { fetch: fetched },
    },
    options,
  )
}

const metadataOf = async (host: TestSignIn) =>
  (await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth').expect(200)).body

const authorizes = (host: TestSignIn, client_id: string, redirect_uri = callback) =>
  new Authorization(host, { client_id, redirect_uri }).open()

describe('a client that the company does not allow', () => {
  it('is refused on a page that names the company and its rule, and the operator is told', async () => {
    const host = await company({ allowedClients: { documentHosts: ['chatgpt.com'] } })
    const page = expectErrorPage(await authorizes(host, document), 403)
    const name = '<bdi>Acme &#60;Air&#62;</bdi>'
    expect(page).toContain(`<p>${name} does not allow this app to connect. If you need it, please ask ${name}.</p>`)
    expect(page).toContain('The company does not allow this client (unauthorized_client)')
    expect(page).not.toContain('connect it again')
    expect(await host.told('denied')).toMatchObject([
      {
        where: 'authorize',
        tenantKey: 'acme',
        error: 'unauthorized_client',
        reason: 'client_not_allowed',
        status: 403,
        detail: { clientId: document, rule: 'allowedClients' },
      },
    ])
  })

  it('is not asked for its metadata document', async () => {
    const host = await company({ blockedClients: { documentHosts: ['claude.ai'] } })
    expectErrorPage(await authorizes(host, document), 403)
    expect(fetched).not.toHaveBeenCalled()
  })

  it('is named by its key where the company has no name, and in the customer’s language', async () => {
    const host = await company({ name: null, allowedClients: {} })
    const { text } = await authorizes(host, document).set('Accept-Language', 'de').expect(403)
    expect(text).toContain('<bdi>acme</bdi> erlaubt dieser App nicht, sich zu verbinden.')
  })

  it('is refused to the host’s own authorize page as well', async () => {
    const host = await company({ allowedClients: {} })
    const issuing = host.asCustomer({ clientId: document, redirectUri: callback })
    await expect(issuing).rejects.toMatchObject({ code: 'unauthorized_client', reason: 'client_not_allowed' })
  })

  it.each<[why: string, record: Partial<Tenant>]>([
    ['its redirect host is not among the allowed ones', { allowedClients: { redirectHosts: ['chatgpt.com'] } }],
    ['one of its redirect hosts is blocked', { blockedClients: { redirectHosts: ['localhost'] } }],
  ])('is refused although it registered before: %s', async (_, rules) => {
    const record: Partial<Tenant> = {}
    const tenant = { ...tenants[0], key: 'acme' }
    const host = await company({}, { tenantStore: { findTenant: () => ({ ...tenant, ...record }) } })
    const redirect_uris = [callback, 'http://127.0.0.1/callback']
    const clientId = await registered(host, { redirect_uris })
    Object.assign(record, rules)
    expectErrorPage(await authorizes(host, clientId), 403)
    expect(await host.told('denied')).toMatchObject([{ detail: { clientId, redirectUris: redirect_uris } }])
    expectError(await register(host, { redirect_uris }), 400, 'invalid_redirect_uri')
  })

  it('is refused because of a redirect URI in its metadata document', async () => {
    const host = await company({ blockedClients: { redirectHosts: ['claude.ai'] } })
    expectErrorPage(await authorizes(host, 'https://publisher.example/client.json'), 403)
  })

  it('cannot register, and the operator is told with what', async () => {
    const host = await company({ allowedClients: { redirectHosts: ['claude.ai'] } })
    const redirect_uris = ['https://claude.ai/callback', 'https://evil.example/']
    const description = expectError(await register(host, { redirect_uris }), 400, 'invalid_redirect_uri')
    expect(description).toBe('redirect_uris must lead where the company allows clients')
    expect(await host.told('denied')).toMatchObject([
      { where: 'register', reason: 'client_not_allowed', detail: { rule: 'allowedClients', asked: redirect_uris } },
    ])
    expect(await host.told('registered')).toEqual([])
  })
})

describe('a client that the company allows', () => {
  it.each<[why: string, allowedClients: ClientRule]>([
    ['by the host of its document', { documentHosts: ['claude.ai'] }],
    ['by its address', { clientIds: [document] }],
  ])('signs in with its document: %s', async (_, allowedClients) => {
    const host = await company({ allowedClients })
    const authorization = new Authorization(host, { client_id: document, redirect_uri: callback })
    const signedIn = await authorization.allowed()
    expectTokens(await host.exchange(signedIn, { client_id: document, redirect_uri: callback }))
  })

  it.each([
    ['a web address', 'claude.ai', 'https://claude.ai/callback'],
    ['a port of it', 'claude.ai', 'https://claude.ai:8443/callback'],
    ['a name on loopback', 'localhost', 'http://localhost/callback'],
    ['an address on loopback', 'localhost', 'http://127.0.0.1/callback'],
    ['an app', 'cursor:', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    ['an app with a dotted scheme', 'com.example.app:', 'com.example.app:/callback'],
  ])('registers and signs in with %s', async (_, host, redirectUri) => {
    const server = await company({ allowedClients: { redirectHosts: [host] } })
    const clientId = await registered(server, { redirect_uris: [redirectUri] })
    const authorization = new Authorization(server, { client_id: clientId, redirect_uri: redirectUri })
    const signedIn = await authorization.allowed()
    expectTokens(await server.exchange(signedIn, { client_id: clientId, redirect_uri: redirectUri }))
    expectError(await register(server, { redirect_uris: ['https://x.claude.ai/'] }), 400, 'invalid_redirect_uri')
  })

  it('is the company’s own, whatever the rules say', async () => {
    const blockedClients = { clientIds: ['assistant-app'], redirectHosts: ['assistant.example'] }
    const host = await company({ allowedClients: {}, blockedClients })
    expectTokens(await host.exchange(await new Authorization(host).allowed()))
  })
})

describe('a client with a document and a key', () => {
  const key = clientKey()
  const fetchedWithKey = jest.fn(async (url: string) =>
    Response.json({
      client_id: url,
      client_name: 'Claude',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://claude.ai/keys',
      keys: [key.jwk],
    }),
  )
  const withKeys = (record: Partial<Tenant>) =>
    company(record, { clients: { fetch: fetchedWithKey, authentication: ['none', 'private_key_jwt'] } })
  const asserted = (host: TestSignIn) => withAssertion(assertionOf(key, document, host.issuer()))
  const revoke = (host: TestSignIn, token: string, fields: FormFields) =>
    request(host.url)
      .post('/v1/acme/oauth/revoke')
      .type('form')
      .send(formBody({ token, ...fields }))

  beforeEach(() => fetchedWithKey.mockClear())

  it.each<[why: string, record: Partial<Tenant>]>([
    ['is blocked', { blockedClients: { documentHosts: ['claude.ai'] } }],
    ['is not allowed', { allowedClients: { documentHosts: ['chatgpt.com'] } }],
  ])('that %s cannot make this server fetch anything', async (_, record) => {
    const host = await withKeys(record)
    expectError(await host.refresh('any', asserted(host)), 400, 'invalid_grant')
    expectError(await revoke(host, 'any', asserted(host)), 400, 'invalid_grant')
    expect(fetchedWithKey).not.toHaveBeenCalled()
    const detail = { clientId: document }
    expect(await host.told('denied')).toMatchObject([
      { where: 'token', reason: 'client_not_allowed', detail },
      { where: 'revoke', reason: 'client_not_allowed', detail },
    ])
  })

  it('that is allowed authenticates, and can end its grants', async () => {
    const host = await withKeys({ allowedClients: { documentHosts: ['claude.ai'] } })
    const signedIn = await new Authorization(host, { client_id: document, redirect_uri: callback }).allowed()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { ...asserted(host), redirect_uri: callback }))
    await revoke(host, refresh_token, asserted(host)).expect(200)
    expectError(await host.refresh(refresh_token, asserted(host)), 400, 'invalid_grant')
    expect(await host.told('revoked')).toMatchObject([{ clientId: document, reason: 'client' }])
  })
})

it.each(['none', 'client_secret_post'] as const)(
  'a client that registered itself can end its grants although it is blocked now: %s',
  async (method) => {
    const record: Partial<Tenant> = {}
    const tenant = { ...tenants[0], key: 'acme' }
    const host = await company(
      {},
      {
        tenantStore: { findTenant: () => ({ ...tenant, ...record }) },
        clients: { authentication: ['none', 'client_secret_post'] },
      },
    )
    const { body: client } = await register(host, { redirect_uris: [callback], token_endpoint_auth_method: method })
    const fields = { client_id: client.client_id, client_secret: client.client_secret, redirect_uri: callback }
    const signedIn = await host.asCustomer({ clientId: client.client_id, redirectUri: callback })
    const { refresh_token } = expectTokens(await host.exchange(signedIn, fields))
    record.blockedClients = { redirectHosts: ['claude.ai'] }
    const form = formBody({ token: refresh_token, client_id: client.client_id, client_secret: client.client_secret })
    await request(host.url).post('/v1/acme/oauth/revoke').type('form').send(form).expect(200)
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client' }])
  },
)

it('a public client with a document can end its grants although it is blocked now, and nothing is fetched', async () => {
  const record: Partial<Tenant> = {}
  const tenant = { ...tenants[0], key: 'acme' }
  const host = await company({}, { tenantStore: { findTenant: () => ({ ...tenant, ...record }) } })
  const fields = { client_id: document, redirect_uri: callback }
  const { refresh_token } = expectTokens(await host.exchange(await new Authorization(host, fields).allowed(), fields))
  Object.assign(record, { blockedClients: { documentHosts: ['claude.ai'] } })
  fetched.mockClear()
  const form = formBody({ token: refresh_token, client_id: document })
  await request(host.url).post('/v1/acme/oauth/revoke').type('form').send(form).expect(200)
  expect(await host.told('revoked')).toMatchObject([{ clientId: document, reason: 'client' }])
  expect(fetched).not.toHaveBeenCalled()
})

it('a client with a document stays connected at a company that blocks another host', async () => {
  const host = await company({ blockedClients: { redirectHosts: ['evil.example'] } })
  const fields = { client_id: document, redirect_uri: callback }
  const { refresh_token } = expectTokens(await host.exchange(await new Authorization(host, fields).allowed(), fields))
  expectTokens(await host.refresh(refresh_token, fields))
})

describe('the metadata', () => {
  it.each<[rule: ClientRule | null, registers: boolean, documents: boolean]>([
    [null, true, true],
    [{}, false, false],
    [{ clientIds: ['dcr_EJlC0'] }, false, false],
    [{ clientIds: [document] }, false, true],
    [{ documentHosts: ['claude.ai'] }, false, true],
    [{ documentHosts: [], redirectHosts: [] }, false, false],
    [{ redirectHosts: ['claude.ai'] }, true, false],
    [{ redirectHosts: ['claude.ai'], documentHosts: ['claude.ai'] }, true, true],
  ])('and registration say what %j allows', async (allowedClients, registers, documents) => {
    const host = await company({ allowedClients })
    const metadata = await metadataOf(host)
    expect('registration_endpoint' in metadata).toBe(registers)
    expect(metadata.client_id_metadata_document_supported ?? false).toBe(documents)
    const response = await register(host, { redirect_uris: [callback] })
    if (registers) expect(response.status).toBe(201)
    else expectError(response, 403, 'access_denied')
  })

  it('still says what the record and the options turn off', async () => {
    const allowedClients = { redirectHosts: ['claude.ai'], documentHosts: ['claude.ai'] }
    const off = await metadataOf(await company({ allowedClients, registration: false }))
    expect(off).not.toHaveProperty('registration_endpoint')
    expect(off).not.toHaveProperty('client_id_metadata_document_supported')
    const offForAll = { clients: { registration: false, documents: false } }
    const all = await metadataOf(await company({ allowedClients }, offForAll))
    expect(all).not.toHaveProperty('registration_endpoint')
    expect(all).not.toHaveProperty('client_id_metadata_document_supported')
  })
})

describe('the rules of all companies', () => {
  const signsIn = async (record: Partial<Tenant>, options: Partial<CustomerSignInOptions>) =>
    (await authorizes(await company(record, options), document)).status

  it('apply where the record does not say', async () => {
    expect(await signsIn({}, { clients: { allowed: { documentHosts: ['claude.ai'] } } })).toBe(200)
    expect(await signsIn({ allowedClients: null }, { clients: { allowed: { documentHosts: ['chatgpt.com'] } } })).toBe(
      403,
    )
    expect(await signsIn({}, { clients: { blocked: { documentHosts: ['claude.ai'] } } })).toBe(403)
  })

  it('give way to what the record allows, but not to what it does not block', async () => {
    const [claude, chatgpt] = [{ documentHosts: ['claude.ai'] }, { documentHosts: ['chatgpt.com'] }]
    expect(await signsIn({ allowedClients: claude }, { clients: { allowed: chatgpt } })).toBe(200)
    expect(await signsIn({ allowedClients: chatgpt }, { clients: { allowed: claude } })).toBe(403)
    expect(await signsIn({ blockedClients: chatgpt }, { clients: { blocked: claude } })).toBe(403)
    expect(await signsIn({ blockedClients: claude }, { clients: { blocked: chatgpt } })).toBe(403)
    expect(await signsIn({ blockedClients: chatgpt }, { clients: { blocked: {} } })).toBe(200)
  })
})
