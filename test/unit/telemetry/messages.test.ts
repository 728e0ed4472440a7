import { inspect } from 'node:util'
import { OAuthError } from 'customer-sign-in'
import request from 'supertest'
import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { ApiHost } from '../../support/api-host'
import { Authorization, asTheySay } from '../../support/authorization'
import { Heard } from '../../support/channels'
import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer, publishing } from '../../support/document-server'
import { faultyStore, hangs, rejects } from '../../support/faulty-store'
import { acmeHost, onDomains, storeOf } from '../../support/own-domain'
import { publicClients } from '../../support/public-clients'
import { register } from '../../support/registration'
import { clientId, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

/** An error as a database client may have it: its code is read from something that is gone. */
class Unreadable extends Error {
  get code(): string {
    throw new Error('There is no connection')
  }
}

describe('the channel of requests', () => {
  it('tells of a refresh', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const heard = Heard.start()
    await host.refresh(refresh_token)
    expect(await heard.only('request')).toEqual({
      endpoint: 'token',
      method: 'POST',
      route: '/v1/:tenantKey/oauth/token',
      path: '/v1/acme/oauth/token',
      baseUrl: host.url,
      tenantKey: 'acme',
      tenantId: 'acme',
      clientId,
      outcome: 'answered',
      status: 200,
      duration: expect.any(Number),
    })
  })

  it('tells why a request was denied', async () => {
    const host = await started()
    const heard = Heard.start()
    await host.refresh('csir_of-somebody-else')
    expect(await heard.only('request')).toMatchObject({
      outcome: 'denied',
      status: 400,
      error: 'invalid_grant',
      description: expect.stringContaining('refresh token'),
      reason: 'malformed_credential',
    })
  })

  it('changes no answer, even if the code of an error cannot be read', async () => {
    const host = await started({ tenantStore: { findTenant: () => Promise.reject(new Unreadable('down')) } })
    const heard = Heard.start()
    expect((await host.refresh('csir_x')).status).toBe(503)
    expect(await heard.of('store')).toMatchObject([{ method: 'findTenant', error: 'Error' }])
    expect(await heard.of('request')).toMatchObject([{ outcome: 'failed', reason: 'tenant_store_failed' }])
  })

  it('tells what has failed, with the tenant of the path although it is not known to exist', async () => {
    const host = await started({ tenantStore: { findTenant: () => Promise.reject(new Error('down')) } })
    const heard = Heard.start()
    await host.refresh('csir_x')
    const message = await heard.only('request')
    expect(message).toMatchObject({
      outcome: 'failed',
      status: 503,
      error: 'temporarily_unavailable',
      reason: 'tenant_store_failed',
      tenantKey: 'acme',
    })
    expect(message.tenantId).toBeUndefined()
  })

  it('tells the id of the tenant beside its key', async () => {
    const [acme] = onDomains
    const tenantStore = { findTenant: (key: string) => ({ ...acme, key, id: 'the id', baseUrl: undefined }) }
    const host = await started({ tenantStore })
    const heard = Heard.start()
    await request(host.url).get('/v1/key/oauth/jwks').expect(200)
    expect(await heard.only('request')).toMatchObject({ endpoint: 'jwks', tenantKey: 'key', tenantId: 'the id' })
  })

  it.each([
    [
      '/.well-known/oauth-authorization-server/v1/acme/oauth',
      '/.well-known/oauth-authorization-server/v1/:tenantKey/oauth',
    ],
    [
      '/v1/acme/oauth/.well-known/oauth-authorization-server',
      '/v1/:tenantKey/oauth/.well-known/oauth-authorization-server',
    ],
    ['/v1/acme/oauth/jwks', '/v1/:tenantKey/oauth/jwks'],
    ['/.well-known/oauth-protected-resource/v1/acme/mcp', '/.well-known/oauth-protected-resource/v1/:tenantKey/mcp'],
  ])('gives %s the route %s', async (path, route) => {
    const { baseUrl } = (await ApiHost.start()).protect()
    const heard = Heard.start()
    await request(baseUrl).get(`${path}?secret=hunter2`).expect(200)
    expect(await heard.only('request')).toMatchObject({ path, route })
  })

  it.each([
    ['/auth/v1/acme/oauth/jwks', '/auth/v1/:tenantKey/oauth/jwks'],
    [
      '/.well-known/oauth-authorization-server/auth/v1/acme/oauth',
      '/.well-known/oauth-authorization-server/auth/v1/:tenantKey/oauth',
    ],
    [
      '/.well-known/oauth-protected-resource/auth/v1/acme/mcp',
      '/.well-known/oauth-protected-resource/auth/v1/:tenantKey/mcp',
    ],
  ])('tells the whole path where the router is mounted at one: %s', async (path, route) => {
    const { baseUrl } = (await ApiHost.start({}, '/auth')).protect()
    const heard = Heard.start()
    await request(new URL(baseUrl).origin).get(path).expect(200)
    expect(await heard.only('request')).toMatchObject({ path, route })
  })

  it.each([
    ['/oauth/jwks', '/oauth/jwks', 'jwks'],
    ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource/mcp', 'protected-resource'],
  ])("tells of %s on a company's own domain", async (path, route, endpoint) => {
    const { baseUrl } = (await ApiHost.start({ tenantStore: storeOf(() => onDomains) })).protect()
    const heard = Heard.start()
    await request(baseUrl).get(path).set('Host', acmeHost).expect(200)
    expect(await heard.only('request')).toMatchObject({ endpoint, route, tenantKey: 'acme', tenantId: 'acme' })
    await request(baseUrl).get(path).set('Host', 'elsewhere.example').expect(404)
    const [passed] = await heard.of('request')
    expect(passed).toMatchObject({ outcome: 'passed', tenantKey: undefined })
    expect(passed?.status).toBeUndefined()
  })

  it('names the client at each endpoint that has one', async () => {
    const host = await started({ authenticate: asTheySay })
    const heard = Heard.start()
    await new Authorization(host).open().expect(200)
    expect(await heard.only('request')).toMatchObject({ endpoint: 'authorize', clientId, outcome: 'answered' })
    await host.revoke({ token: 'csir_x' }).expect(200)
    expect(await heard.only('request')).toMatchObject({ endpoint: 'revoke', clientId })
    const { body } = await register(host).expect(201)
    expect(await heard.only('request')).toMatchObject({ endpoint: 'register', clientId: body.client_id, status: 201 })
  })

  it('counts an error that is sent to the client in a redirect as denied', async () => {
    const host = await started({ authenticate: asTheySay })
    const heard = Heard.start()
    await new Authorization(host, { response_type: 'token' }).open().expect(303)
    expect(await heard.only('request')).toMatchObject({
      outcome: 'denied',
      status: 303,
      error: 'unsupported_response_type',
      reason: 'unsupported_response_type',
    })
  })

  it('counts an error page as denied', async () => {
    const host = await started({ authenticate: asTheySay })
    const heard = Heard.start()
    await new Authorization(host, { redirect_uri: 'https://elsewhere.example/' }).open().expect(400)
    expect(await heard.only('request')).toMatchObject({ outcome: 'denied', status: 400, reason: 'wrong_redirect_uri' })
  })
})

describe('the channel of guards', () => {
  const api = (host: ApiHost, token?: string, path = '/v1/acme/mcp?token=hunter2') =>
    request(host.baseUrl)
      .get(path)
      .set(token === undefined ? {} : { Authorization: `Bearer ${token}` })

  it('tells of a request that it lets through, and of one without a token', async () => {
    const host = (await ApiHost.start()).protect()
    const token = await host.token()
    const heard = Heard.start()
    await api(host, token).expect(200)
    expect(await heard.only('guard')).toEqual({
      guard: 'protectedResource',
      method: 'GET',
      path: '/v1/acme/mcp',
      tenantKey: 'acme',
      tenantId: 'acme',
      clientId,
      outcome: 'passed',
      duration: expect.any(Number),
    })
    await api(host).expect(401)
    const challenged = await heard.only('guard')
    expect(challenged).toMatchObject({ outcome: 'challenged', status: 401, tenantId: 'acme' })
    expect(challenged.error).toBeUndefined()
  })

  it('tells why a token was refused', async () => {
    const host = (await ApiHost.start()).protect()
    const heard = Heard.start()
    await api(host, await host.token({ tenantKey: 'globex' })).expect(401)
    const messages = await heard.of('guard')
    expect(messages).toMatchObject([{ outcome: 'denied', status: 401, error: 'invalid_token', reason: 'wrong_tenant' }])
  })

  it('tells what has failed', async () => {
    const { store, always } = faultyStore()
    const host = await ApiHost.start({ tokenStore: store })
    host.app.get(
      '/me',
      host.signIn.requireAccessToken({ tenantKey: 'acme', resource: host.issuer(), checkRevocation: true }),
    )
    const token = await host.token({ resource: host.issuer() })
    always('findGrant', rejects)
    const heard = Heard.start()
    await api(host, token, '/me').expect(503)
    expect(await heard.only('guard')).toMatchObject({
      guard: 'requireAccessToken',
      outcome: 'failed',
      status: 503,
      reason: 'token_store_failed',
    })
  })

  it('tells of a verifier', async () => {
    const host = await started()
    const { access_token } = await host.connected()
    const verifier = host.signIn.verifier({ tenantKey: 'acme', invalidToken: (description) => new Error(description) })
    const heard = Heard.start()
    await verifier.verifyAccessToken(access_token)
    expect(await heard.only('guard')).toEqual({
      guard: 'verifier',
      tenantKey: 'acme',
      tenantId: 'acme',
      clientId,
      outcome: 'passed',
      duration: expect.any(Number),
    })
    await expect(verifier.verifyAccessToken('none')).rejects.toThrow()
    expect(await heard.only('guard')).toMatchObject({ outcome: 'denied', status: 401, reason: 'unknown_token' })
  })
})

describe('the channel of stores', () => {
  it('tells of each call, and what it came to', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const heard = Heard.start()
    await host.refresh(refresh_token)
    await heard.of('request')
    const duration = expect.any(Number)
    expect(await heard.of('store')).toEqual([
      { store: 'tenantStore', method: 'findTenant', system: 'MemoryTenantStore', duration },
      { store: 'tokenStore', method: 'swapCredential', system: 'MemoryTokenStore', outcome: 'swapped', duration },
    ])
  })

  it('tells of calls whose results come one by one, and of pages', async () => {
    const host = await started()
    await host.connected()
    const heard = Heard.start()
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    await host.signIn.tenants.erase({ tenantId: 'acme' })
    await host.signIn.grants.list({ tenantKey: 'acme', anyCustomer: true })
    const calls = await heard.of('store')
    expect(calls.map(({ method }) => method)).toEqual(expect.arrayContaining(['deleteGrants', 'listGrants']))
    for (const { duration, error } of calls) expect({ duration, error }).toEqual({ duration: expect.any(Number) })
  })

  it.each([
    ['a call that fails', rejects, 'Error'],
    ['one that takes too long', hangs, 'ETIMEDOUT'],
  ])('has a word for %s', async (_, fault, error) => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store, hostTimeout: 0.1 })
    always('listGrants', fault)
    const heard = Heard.start()
    await expect(host.signIn.grants.list({ tenantKey: 'acme', subject: 'one' })).rejects.toThrow(OAuthError)
    expect(await heard.of('store', 2)).toMatchObject([{}, { method: 'listGrants', error }])
  })

  it('has a word for results that stop coming', async () => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store })
    always('deleteGrants', rejects)
    const heard = Heard.start()
    await expect(host.signIn.tenants.erase({ tenantId: 'acme' })).rejects.toThrow(OAuthError)
    expect(await heard.only('store')).toMatchObject({ method: 'deleteGrants', error: 'Error' })
  })

  it('calls a store without a class an Object', async () => {
    const host = await started({ tenantStore: Object.assign(Object.create(null), { findTenant: () => undefined }) })
    const heard = Heard.start()
    await request(host.url).get('/v1/acme/oauth/jwks').expect(404)
    expect(await heard.only('store')).toMatchObject({ store: 'tenantStore', system: 'Object' })
  })
})

describe('the channel of fetches', () => {
  const open = (host: { url: string }, client_id: string) => new Authorization(host, { client_id }).open()

  it('tells the address without its query, and the status', async () => {
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const heard = Heard.start()
    await open(host, `${server.url()}?secret=hunter2`)
    expect(await heard.only('fetch')).toEqual({
      url: server.url(),
      byHost: false,
      status: 200,
      duration: expect.any(Number),
    })
  })

  it.each([
    ['http://127.0.0.1:1/client.json', 'ECONNREFUSED'],
    ['https://10.0.0.1/client.json', 'ForbiddenFetch'],
  ])('has a word for the failure of %s', async (url, error) => {
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const heard = Heard.start()
    await open(host, url)
    const message = await heard.only('fetch')
    expect(message).toMatchObject({ url, error })
    expect(message.status).toBeUndefined()
  })

  it('has a word for a server that takes too long', async () => {
    const server = await DocumentServer.start(() => () => {})
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const heard = Heard.start()
    await open(host, server.url())
    expect(await heard.only('fetch')).toMatchObject({ error: 'ETIMEDOUT' })
  })

  it("tells of the host's own fetch", async () => {
    const host = await started({
      authenticate: asTheySay,
      clients: { fetch: async () => new Response('', { status: 404 }) },
    })
    const heard = Heard.start()
    await open(host, 'https://assistant.example/client.json')
    expect(await heard.only('fetch')).toMatchObject({ byHost: true, status: 404 })
  })
})

describe('the channel of documents', () => {
  it('tells how many are in memory, when that changes', async () => {
    let isThere = true
    const server = await DocumentServer.start(
      (self) => (req, res) => (isThere ? publishing(self)(req, res) : res.writeHead(404).end()),
    )
    const documents = new MetadataDocuments(
      { allowLoopback: true, ports: [443], lookUp: async () => ['127.0.0.1'] },
      publicClients,
    )
    const clock = stopClock()
    const heard = Heard.start()
    const find = () => documents.find(server.url(), { id: 'acme', key: 'acme' })
    await find()
    clock.advance(3600)
    await find()
    expect(await heard.of('documents')).toEqual([{ kept: 1, change: 1 }])
    isThere = false
    clock.advance(3600)
    await expect(find()).rejects.toThrow(OAuthError)
    expect(await heard.of('documents', 2)).toEqual([
      { kept: 1, change: 1 },
      { kept: 0, change: -1 },
    ])
  })
})

describe('the channel of events', () => {
  it('tells what onEvent is told', async () => {
    const host = await started()
    const heard = Heard.start()
    await host.connected()
    const events = await host.told('issued')
    expect(await heard.of('event')).toEqual(events)
  })

  it('tells it also where nobody has set onEvent', async () => {
    const host = await started({ onEvent: undefined })
    const heard = Heard.start()
    await host.connected()
    expect(await heard.of('event')).toMatchObject([{ type: 'issued' }])
  })
})

describe('the messages', () => {
  it('have no code, token, verifier, cookie or header in them, at any step of any flow', async () => {
    const { store, next } = faultyStore()
    const secrets: string[] = []
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' }, tokenStore: store })
    const heard = Heard.start()
    for (const client_id of [clientId, server.url(), (await register(host)).body.client_id]) {
      const authorization = new Authorization(host, { client_id })
      const form = await authorization.form()
      const signedIn = authorization.signedIn(await authorization.answer(form).set('Cookie', 'session=hunter2'))
      next('swapCredential', rejects, rejects)
      await host.exchange(signedIn, { client_id }).expect(503)
      const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
      const again = expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
      await host.refresh(tokens.refresh_token, { client_id })
      await host.refresh(`${tokens.refresh_token}x`, { client_id })
      await host.exchange(signedIn, { client_id })
      await host.revoke({ token: again.access_token, client_id })
      const verifier = host.signIn.verifier({ tenantKey: 'acme', invalidToken: (text) => new Error(text) })
      await verifier.verifyAccessToken(again.access_token)
      await new Authorization(host, { client_id, redirect_uri: 'https://elsewhere.example/?secret=hunter2' }).open()
      secrets.push(form.token, signedIn.code, signedIn.codeVerifier, tokens.access_token, tokens.refresh_token)
      secrets.push(again.access_token, again.refresh_token)
    }
    await heard.of('request', 31)
    const messages = heard.all.filter(({ channel }) => channel !== 'event')
    expect(new Set(messages.map(({ channel }) => channel))).toEqual(
      new Set(['request', 'guard', 'store', 'fetch', 'documents']),
    )
    const text = inspect(messages, { depth: null, maxArrayLength: null, maxStringLength: null })
    for (const secret of [...secrets, 'hunter2', 'Bearer', 'customer-1', redirectUri])
      expect(text).not.toContain(secret)
    for (const { message } of messages) {
      for (const value of Object.values(message as object))
        expect(['string', 'number', 'boolean', 'undefined']).toContain(typeof value)
    }
  })
})
