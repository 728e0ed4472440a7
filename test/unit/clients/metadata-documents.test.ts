import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CustomerSignInOptions, MemoryTenantStore, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { registered } from '../../support/registration'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

afterEach(releaseClock)

const packageVersion = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')).version

const startedWith = (options: Partial<CustomerSignInOptions> = {}) =>
  started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } }, options)

describe('a client with a metadata document', () => {
  it('connects without being registered: from the code to the refresh', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
    expect(decode(tokens.access_token)).toMatchObject({ client_id })
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
    expect(await host.told('registered')).toEqual([])
  })

  it('is shown with its name, its publisher and a word of caution', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const { text } = await new Authorization(host, { client_id: server.url() }).open().expect(200)
    expect(textOf(text)).toContain('Connect “Assistant” to Acme?')
    expect(textOf(text)).toContain(`Published by${new URL(server.origin).host}`)
    expect(textOf(text)).toContain('Acme has not checked this app')
  })

  it('is shown as the host of its document if it has no name of its own', async () => {
    const server = await DocumentServer.start((self) => publishing(self, { client_name: '\u034f' }))
    const client_id = server.url(`/${'long/'.repeat(300)}client.json`)
    const { text } = await new Authorization(await startedWith(), { client_id }).open().expect(200)
    expect(textOf(text)).toContain(`Connect “${new URL(server.origin).host}” to Acme?`)
    expect(textOf(text)).not.toContain('long/')
  })

  it('can go to those of its redirect URIs that are accepted here, whatever else its document lists', async () => {
    const redirect_uris = ['grokbot://elsewhere/callback', redirectUri, 'http://assistant.example/', 7]
    const server = await DocumentServer.start((self) => publishing(self, { redirect_uris }))
    const host = await startedWith()
    const client_id = server.url()
    expectTokens(await host.exchange(await new Authorization(host, { client_id }).allowed(), { client_id }))
    for (const redirect_uri of ['grokbot://elsewhere/callback', 'http://assistant.example/']) {
      expectErrorPage(await new Authorization(host, { client_id, redirect_uri }).open())
      const detail = { clientId: client_id, asked: redirect_uri, fault: expect.stringMatching(/^must be https/) }
      expect((await host.told('denied')).at(-1)).toMatchObject({ reason: 'wrong_redirect_uri', detail })
    }
  })

  it('may have null for members that it does not use, and empty lists of types', async () => {
    const members = { client_uri: null, scope: null, grant_types: [], response_types: null, client_secret: null }
    const server = await DocumentServer.start((self) => publishing(self, members))
    await new Authorization(await startedWith(), { client_id: server.url() }).open().expect(200)
  })

  it('is sent only a request for its document', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const client_id = server.url('/apps/client.json?version=2')
    await new Authorization(host, { client_id })
      .open()
      .set('Cookie', 'session=1')
      .set('Authorization', 'Basic x')
      .expect(200)
    expect(server.requests).toHaveLength(1)
    const [{ method, url, headers } = {}] = server.requests
    expect({ method, url, ...headers }).toEqual({
      method: 'GET',
      url: '/apps/client.json?version=2',
      accept: 'application/json',
      'user-agent': `customer-sign-in/${packageVersion}`,
      host: new URL(server.origin).host,
      connection: 'close',
    })
  })

  it('can be sent to the redirect URIs of its document and to no others', async () => {
    const server = await DocumentServer.start((self) =>
      publishing(self, { redirect_uris: ['http://127.0.0.1/callback'] }),
    )
    const host = await startedWith()
    const to = (redirect_uri: string) => new Authorization(host, { client_id: server.url(), redirect_uri })
    await to('http://127.0.0.1:41234/callback').open().expect(200)
    expectErrorPage(await to(redirectUri).open())
    expectErrorPage(await to(server.url()).open())
  })

  it('redeems without a look-up, because its grant is bound to its address', async () => {
    const called: string[] = []
    const tokenStore = wrapStore(new MemoryTokenStore(), ({ method, apply }) => {
      called.push(method)
      return apply()
    })
    const [host, server] = [await startedWith({ tokenStore }), await DocumentServer.start()]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const fetched = server.requests.length
    called.length = 0
    const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
    expect(called).toEqual(['swapCredential', 'swapCredential'])
    expect(server.requests).toHaveLength(fetched)
  })

  it('stays connected while its publisher is out of reach', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const client_id = server.url()
    const tokens = expectTokens(
      await host.exchange(await new Authorization(host, { client_id }).allowed(), { client_id }),
    )
    await server.stop()
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
  })

  it('that changes its document stays connected, and only its redirect URIs of now count', async () => {
    let redirect_uris = [redirectUri, 'https://assistant.example/old']
    const server = await DocumentServer.start(
      (self) => (req, res) => publishing(self, { redirect_uris, client_name: 'Renamed' })(req, res),
    )
    const [host, clock] = [await startedWith(), stopClock()]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    redirect_uris = ['https://assistant.example/new']
    clock.advance(59)
    const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
    clock.advance(1)
    expectErrorPage(await new Authorization(host, { client_id }).open())
    const redirect_uri = 'https://assistant.example/new'
    await new Authorization(host, { client_id, redirect_uri }).open().expect(200)
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
  })

  it('cannot redeem a code of another document of the same publisher', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const signedIn = await new Authorization(host, { client_id: server.url('/a') }).allowed()
    expectError(await host.exchange(signedIn, { client_id: server.url('/b') }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { client_id: server.url('/a') }))
  })

  it('may ask for every scope that the tenant offers, whatever its document names', async () => {
    const scope = 'openid calendar'
    const [host, server] = [await startedWith(), await DocumentServer.start((self) => publishing(self, { scope }))]
    const client_id = server.url()
    for (const asked of ['profile', 'calendar profile']) {
      const signedIn = await new Authorization(host, { client_id, scope: asked }).allowed()
      expect(expectTokens(await host.exchange(signedIn, { client_id })).scope).toBe(asked)
    }
    const none = await new Authorization(host, { client_id, scope: 'mail' }).open()
    expect(expectErrorPage(none)).toContain('(invalid_scope)')
  })

  it('may ask for all scopes, if its document names only scopes that the tenant does not offer', async () => {
    const scope = 'openid email'
    const [host, server] = [await startedWith(), await DocumentServer.start((self) => publishing(self, { scope }))]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    expect(expectTokens(await host.exchange(signedIn, { client_id })).scope).toBe('profile calendar')
  })

  it.each(['none', undefined])('is public if its document names the method %s', async (method) => {
    const server = await DocumentServer.start((self) => publishing(self, { token_endpoint_auth_method: method }))
    const host = await startedWith()
    const client_id = server.url()
    expectTokens(await host.exchange(await new Authorization(host, { client_id }).allowed(), { client_id }))
  })

  it('works with a host’s own authorize page too', async () => {
    const [host, server] = [await startedWith(), await DocumentServer.start()]
    const client_id = server.url()
    expectTokens(await host.exchange(await host.asCustomer({ clientId: client_id }), { client_id }))
  })

  it('that the tenant has registered itself is what the tenant says, and no document is fetched', async () => {
    const server = await DocumentServer.start()
    const clients = [{ clientId: server.url(), clientName: 'Our own', redirectUris: [redirectUri] }]
    const host = await startedWith({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
    const { text } = await new Authorization(host, { client_id: server.url() }).open().expect(200)
    expect(textOf(text)).toContain('Connect Our own to acme?')
    expect(server.requests).toEqual([])
  })
})

describe('a client that states grant_types without refresh_token', () => {
  const grant_types = ['authorization_code']

  it.each(['document', 'registration'])(
    'stays signed in, like the clients that leave it out and refresh all the same: %s',
    async (kind) => {
      const server = await DocumentServer.start((self) => publishing(self, { grant_types }))
      const host = await startedWith()
      const client_id = kind === 'document' ? server.url() : await registered(host, { grant_types })
      const signedIn = await new Authorization(host, { client_id }).allowed()
      const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
      expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
    },
  )
})

describe('metadata documents', () => {
  it.each([
    [true, true],
    ['with-loopback' as const, true],
    [{ ports: [443, 8443] }, true],
    [false, undefined],
  ])('set to %j are announced as %j', async (metadataDocuments, announced) => {
    const host = await started({ clients: { documents: metadataDocuments } })
    const { body } = await request(host.issuer()).get('/.well-known/oauth-authorization-server')
    expect(body.client_id_metadata_document_supported).toBe(announced)
  })

  it('can be turned off: none is fetched, and a client that has connected by one is told to register', async () => {
    const server = await DocumentServer.start()
    const client_id = server.url()
    const tokenStore = new MemoryTokenStore()
    const before = await startedWith({ tokenStore })
    const tokens = expectTokens(
      await before.exchange(await new Authorization(before, { client_id }).allowed(), { client_id }),
    )
    const host = await startedWith({ tokenStore, clients: { documents: false } })
    const fetched = server.requests.length
    expectErrorPage(await new Authorization(host, { client_id }).open())
    expectError(await host.refresh(tokens.refresh_token, { client_id }), 401, 'invalid_client')
    expect(server.requests).toHaveLength(fetched)
    expectTokens(await host.exchange(await host.asCustomer()))
  })

  it('are fetched only from the ports that the host names', async () => {
    const host = await started({ authenticate: asTheySay, clients: { documents: { ports: [8443] } } })
    for (const client_id of ['https://1.1.1.1/client.json', 'https://1.1.1.1:9443/client.json']) {
      expectErrorPage(await new Authorization(host, { client_id }).open())
      const [denied] = (await host.told('denied')).slice(-1)
      expect(denied?.detail.reason).toMatch(/^Port \d+ is not one of 8443$/)
    }
  })

  it('change nothing for other clients', async () => {
    const host = await startedWith()
    expectTokens(await host.exchange(await new Authorization(host, { client_id: clientId }).allowed()))
  })
})

describe('a company', () => {
  /** Two companies; `globex` has this setting of its own. */
  async function startedWhere(globex: Partial<Tenant>, options: Partial<CustomerSignInOptions> = {}) {
    const tenantStore = new MemoryTenantStore([{ key: 'acme' }, { key: 'globex', ...globex }])
    const [host, server] = [await startedWith({ tenantStore, ...options }), await DocumentServer.start()]
    const opened = (tenantKey: string) => new Authorization(host, { client_id: server.url() }, tenantKey).open()
    const announced = async (tenantKey: string) => {
      const { body } = await request(host.issuer(tenantKey)).get('/.well-known/oauth-authorization-server')
      return body.client_id_metadata_document_supported
    }
    return { host, server, opened, announced }
  }

  it.each<Partial<Tenant>>([
    { metadataDocuments: false },
    { registration: false },
    { registration: false, metadataDocuments: false },
  ])(
    'with %j takes no client by a metadata document, fetches none and announces none, and other companies still do',
    async (globex) => {
      const { host, server, opened, announced } = await startedWhere(globex)
      const page = expectErrorPage(await opened('globex'))
      expect(page).toContain('There is no client with this client_id')
      const issued = host.asCustomer({ tenantKey: 'globex', clientId: server.url() })
      await expect(issued).rejects.toMatchObject({ code: 'invalid_client' })
      expect(server.requests).toEqual([])
      expect([await announced('acme'), await announced('globex')]).toEqual([true, undefined])
      await opened('acme').expect(200)
    },
  )

  it.each<Partial<Tenant>>([{}, { metadataDocuments: true }, { registration: false, metadataDocuments: true }])(
    'with %j takes them',
    async (globex) => {
      const { opened, announced } = await startedWhere(globex)
      await opened('globex').expect(200)
      expect(await announced('globex')).toBe(true)
    },
  )

  it('takes them if registration is off for all: only its own setting counts', async () => {
    const { opened } = await startedWhere({}, { clients: { registration: false } })
    await opened('globex').expect(200)
  })

  it('takes none if the host takes none, whatever its own setting', async () => {
    const { opened, announced } = await startedWhere({ metadataDocuments: true }, { clients: { documents: false } })
    expectErrorPage(await opened('globex'))
    expect(await announced('globex')).toBeUndefined()
  })

  it('that no longer takes them says so in its metadata at once', async () => {
    const globex: Tenant = { key: 'globex' }
    const { opened, announced } = await startedWhere({}, { tenantStore: { findTenant: () => globex } })
    expect(await announced('globex')).toBe(true)
    globex.metadataDocuments = false
    expect(await announced('globex')).toBeUndefined()
    expectErrorPage(await opened('globex'))
  })

  it('that no longer takes them keeps the connections of its customers until those are ended', async () => {
    const globex: Tenant = { key: 'globex' }
    const { host, server } = await startedWhere({}, { tenantStore: { findTenant: () => globex } })
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }, 'globex').allowed()
    globex.metadataDocuments = false
    const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
    const { refresh_token } = expectTokens(await host.refresh(tokens.refresh_token, { client_id }, 'globex'))
    await host.signIn.grants.revokeAll({ tenantKey: 'globex', clientId: client_id })
    expectError(await host.refresh(refresh_token, { client_id }, 'globex'), 400, 'invalid_grant')
  })

  it('whose setting is neither true nor false is misconfigured', async () => {
    const { opened } = await startedWhere({ metadataDocuments: 'no' as never })
    expectErrorPage(await opened('globex'), 500)
  })
})

describe('the server of a metadata document', () => {
  it('may send interim responses first', async () => {
    const server = await DocumentServer.start((self) => (req, res) => {
      for (let count = 0; count < 3; count++) res.writeEarlyHints({ link: '</style.css>; rel=preload' })
      publishing(self)(req, res)
    })
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    await new Authorization(host, { client_id: server.url() }).open().expect(200)
  })
})
