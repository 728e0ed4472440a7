import { MemoryTenantStore } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { DocumentServer, publishing } from '../../support/document-server'
import { acmeAddress, acmeHost } from '../../support/own-domain'
import { register } from '../../support/registration'
import { clientId, expectError, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const baseUrl = 'https://signin.example/auth'
const ours = 'https://signin.example:8443/callback'
const startedThere = () => started({ baseUrl, authenticate: asTheySay, clients: { documents: 'with-loopback' } })

describe('a redirect URI on the host of this server', () => {
  it('cannot be registered', async () => {
    const host = await startedThere()
    const response = await register({ url: `${host.url}/auth` }, { redirect_uris: [ours, 'javascript:1'] })
    const description = expectError(response, 400, 'invalid_redirect_uri')
    expect(description).toBe('redirect_uris[0] must not be on the host of this server')
    const redirect_uris = [redirectUri, ours]
    const { body } = await register({ url: `${host.url}/auth` }, { redirect_uris }).expect(201)
    expect(body.redirect_uris).toEqual([redirectUri])
  })

  it('is refused in a metadata document, and its other redirect URIs work', async () => {
    const host = await startedThere()
    const redirect_uris = ['javascript:1', ours, redirectUri]
    const server = await DocumentServer.start((self) => publishing(self, { redirect_uris }))
    const to = (redirect_uri: string) =>
      new Authorization({ url: `${host.url}/auth` }, { client_id: server.url(), redirect_uri }).open()
    await to(redirectUri).expect(200)
    expect(expectErrorPage(await to(ours))).toContain('redirect_uri is not registered for this client')
    const fault = 'must not be on the host of this server'
    expect((await host.told('denied')).at(-1)).toMatchObject({ reason: 'wrong_redirect_uri', detail: { fault } })
  })

  it('cannot be the only one in a metadata document', async () => {
    const host = await startedThere()
    const server = await DocumentServer.start((self) => publishing(self, { redirect_uris: ['javascript:1', ours] }))
    const query = { client_id: server.url(), redirect_uri: ours }
    expect(expectErrorPage(await new Authorization({ url: `${host.url}/auth` }, query).open())).toContain(
      'redirect_uris must not be on the host of this server (invalid_client)',
    )
    expect(await host.told('denied')).toMatchObject([{ reason: 'redirect_uris_refused' }])
  })

  it('is not registered in development either, when the address is taken from the request', async () => {
    jest.spyOn(process, 'emitWarning').mockImplementation()
    const host = await started({ baseUrl: undefined })
    const response = await register(host, { redirect_uris: [ours] }).set('Host', 'signin.example:3000')
    expectError(response, 400, 'invalid_redirect_uri')
    jest.restoreAllMocks()
  })

  it('is allowed for the tenant’s own client', async () => {
    const clients = [{ clientId, redirectUris: [ours] }]
    const tenantStore = new MemoryTenantStore([{ key: 'acme', clients }])
    const host = await started({ baseUrl, authenticate: asTheySay, tenantStore })
    await new Authorization({ url: `${host.url}/auth` }, { redirect_uri: ours }).open().expect(200)
  })
})

describe('a redirect URI on the domain of a company', () => {
  const shared = 'https://signin.example/auth'
  const tenantStore = new MemoryTenantStore([
    { key: 'acme', baseUrl: acmeAddress, formerBaseUrls: ['https://old.acme.example'] },
    { key: 'globex' },
  ])
  const registering = async (uri: string, at: { path: string; domain: string }) => {
    const host = await started({ baseUrl: shared, tenantStore })
    const test = request(host.url).post(at.path).set('Host', at.domain)
    return test.send({ redirect_uris: [uri] })
  }
  const onDomain = { path: '/oauth/register', domain: acmeHost }
  const onShared = { path: '/v1/globex/oauth/register', domain: 'signin.example' }

  it.each([`${acmeAddress}:8443/callback`, 'https://old.acme.example/callback', ours])(
    'cannot be registered there if it is %s: an address of this server',
    async (uri) => {
      expectError(await registering(uri, onDomain), 400, 'invalid_redirect_uri')
    },
  )

  it('can be registered there if it is another host', async () => {
    expect((await registering(redirectUri, onDomain)).status).toBe(201)
  })

  it('is not looked up for a company that shares the address of all', async () => {
    expect((await registering(`${acmeAddress}/callback`, onShared)).status).toBe(201)
    expectError(await registering(ours, onShared), 400, 'invalid_redirect_uri')
  })
})

describe('on a developer’s own machine', () => {
  it('an assistant can register with another port, and with any port', async () => {
    const host = await started()
    await register(host, { redirect_uris: ['http://127.0.0.1:1/callback', 'http://127.0.0.1/callback'] }).expect(201)
  })
})
