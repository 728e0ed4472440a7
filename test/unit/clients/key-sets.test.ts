import { promises as dns } from 'node:dns'
import type { RequestListener } from 'node:http'
import { type Client, type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import { KeySets } from '../../../src/clients/key-sets'
import type { FetchGuard } from '../../../src/documents/guarded-fetch'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { assertionOf, type ClientKey, clientKey, withAssertion } from '../../support/confidential-clients'
import { DocumentServer, publishing } from '../../support/document-server'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const [key, newKey] = [clientKey(), clientKey()]
const guard: FetchGuard = { allowLoopback: false, ports: [443], lookUp: async () => [] }

/** A web server with the key set of a client, which a test can change. */
class KeyServer {
  keys: readonly object[] = [key.jwk]
  headers: Record<string, string> = {}
  status = 200
  body: string | undefined

  static async start(): Promise<{ server: DocumentServer; published: KeyServer }> {
    const published = new KeyServer()
    return { server: await DocumentServer.start(() => published.#answer), published }
  }

  readonly #answer: RequestListener = (_req, res) => {
    const { keys, headers, status, body } = this
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body ?? JSON.stringify({ keys }))
  }
}

async function startedWith(jwksUri: string, options: Partial<CustomerSignInOptions> = {}) {
  const client: Client = { clientId, redirectUris: [redirectUri], jwksUri }
  const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', clients: [client] }])
  const clients = { authentication: ['none', 'private_key_jwt'], documents: 'with-loopback' } as const
  return started({ tenantStore, clients }, options)
}

const exchange = async (host: TestSignIn, by: ClientKey = key) =>
  host.exchange(await host.asCustomer(), withAssertion(assertionOf(by, clientId, host.issuer())))

afterEach(() => {
  releaseClock()
  jest.restoreAllMocks()
})

describe('the keys at a jwks_uri', () => {
  it('authenticate the client, and are fetched once', async () => {
    const { server } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    for (let request = 0; request < 3; request++) expectTokens(await exchange(host))
    expect(server.requests.map(({ url }) => url)).toEqual(['/jwks'])
  })

  it('are fetched once for all requests that wait for them', async () => {
    const { server } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    for (const response of await Promise.all([1, 2, 3].map(() => exchange(host)))) expectTokens(response)
    expect(server.requests).toHaveLength(1)
  })

  it.each<[string | undefined, number]>([
    [undefined, 300],
    ['max-age=0', 60],
    ['max-age=120', 120],
    ['max-age=86400', 3600],
  ])('are fetched again after their time, a minute to an hour: %j', async (cacheControl, seconds) => {
    const { server, published } = await KeyServer.start()
    if (cacheControl !== undefined) published.headers = { 'Cache-Control': cacheControl }
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    clock.advance(seconds - 1)
    expectTokens(await exchange(host))
    expect(server.requests).toHaveLength(1)
    clock.advance(1)
    published.keys = [newKey.jwk]
    expectError(await exchange(host), 401, 'invalid_client')
    expect(server.requests).toHaveLength(2)
  })

  it('are fetched again for a new key of the client, at most once a minute, and the client keeps what it has meanwhile', async () => {
    const { server, published } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    clock.advance(60)
    expectError(await exchange(host, newKey), 401, 'invalid_client')
    published.keys = [key.jwk, newKey.jwk]
    const tooSoon = await exchange(host, newKey)
    expectError(tooSoon, 503, 'temporarily_unavailable')
    expect(tooSoon.headers['retry-after']).toBe('60')
    expectTokens(await exchange(host))
    expect(server.requests).toHaveLength(2)
    clock.advance(60)
    expectTokens(await exchange(host, newKey))
    expect(server.requests).toHaveLength(3)
  })

  it.each<[string, Partial<KeyServer>]>([
    ['is away', { status: 503 }],
    ['says for a while that there is nothing', { status: 404 }],
    ['refuses bots', { status: 403 }],
    ['shows a page in their place', { body: '<html>' }],
  ])('are used on for a day while their address %s, and then the client keeps what it has', async (_, failure) => {
    const { server, published } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    Object.assign(published, failure)
    clock.advance(86_400 + 299)
    expectTokens(await exchange(host))
    clock.advance(60)
    expectError(await exchange(host), 503, 'temporarily_unavailable')
    clock.advance(60)
    Object.assign(published, { status: 200, body: undefined })
    expectTokens(await exchange(host))
  })

  it.each<[string, string[]]>([
    ['no address', []],
    ['an address inside', ['10.0.0.1']],
  ])(
    'are used on while the look-up of their server gives %s, and then the client keeps what it has',
    async (_, inside) => {
      const { server } = await KeyServer.start()
      const host = await startedWith(server.url('/jwks', 'localhost'))
      const clock = stopClock()
      const lookUp = jest.spyOn(dns, 'lookup') as unknown as jest.SpyInstance<Promise<{ address: string }[]>>
      lookUp.mockResolvedValue([{ address: '127.0.0.1' }])
      expectTokens(await exchange(host))
      lookUp.mockResolvedValue(inside.map((address) => ({ address })))
      clock.advance(300)
      expectTokens(await exchange(host))
      clock.advance(86_400)
      expectError(await exchange(host), 503, 'temporarily_unavailable')
      expect(server.requests).toHaveLength(1)
    },
  )

  it.each<[string, (server: DocumentServer, published: KeyServer) => unknown]>([
    ['does not answer', (server) => server.stop()],
    ['fails', (_, published) => Object.assign(published, { status: 500 })],
    ['shows a page in their place', (_, published) => Object.assign(published, { body: '<html>' })],
  ])('are asked for again after five seconds if their server %s', async (_, spoil) => {
    const { server, published } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    await spoil(server, published)
    const response = await exchange(host)
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toBe('5')
  })

  it('are not used on if their headers forbid it', async () => {
    const { server, published } = await KeyServer.start()
    published.headers = { 'Cache-Control': 'no-store' }
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    published.status = 500
    clock.advance(300)
    expectError(await exchange(host), 503, 'temporarily_unavailable')
  })

  it.each<[string, Partial<KeyServer>]>([
    ['no key set is there', { body: '[]' }],
    ['a private key is there', { keys: [{ ...key.jwk, d: 'x' }] }],
    ['no key of a known kind is there', { keys: [{ kty: 'magic' }] }],
    ['a key is nested without end', { body: `{"keys":[{"kty":${'['.repeat(20_000)}${']'.repeat(20_000)}}]}` }],
  ])('are forgotten if %s now, and nothing is used up', async (_, change) => {
    const { server, published } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    clock.advance(300)
    Object.assign(published, change)
    expect(expectError(await exchange(host), 401, 'invalid_client')).toMatch(/^The keys of the client cannot be used/)
    expectError(await exchange(host), 401, 'invalid_client')
    const [denied] = await host.told('denied')
    const detail = { clientId, reason: expect.stringContaining('what is at jwks_uri must') }
    expect(denied).toMatchObject({ detail })
    clock.advance(60)
    published.status = 503
    expectError(await exchange(host), 503, 'temporarily_unavailable')
    clock.advance(60)
    Object.assign(published, { status: 200, body: undefined, keys: [key.jwk] })
    expectTokens(await exchange(host))
  })

  it('are asked for again after five seconds if what was there at first cannot be used', async () => {
    const { server, published } = await KeyServer.start()
    published.body = '[]'
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    for (const _ of ['once', 'twice']) {
      expectError(await exchange(host), 401, 'invalid_client')
      clock.advance(5)
    }
    published.body = undefined
    expectTokens(await exchange(host))
  })

  it('are fetched from several sites for several companies at the same time', async () => {
    const names = ['one', 'two', 'three']
    const fetched: string[] = []
    await new Promise<void>((resolve) => {
      const byHost = (href: string) => {
        if (fetched.push(href) === names.length) resolve()
        return new Promise<never>(() => {})
      }
      const sets = new KeySets({ ...guard, byHost })
      for (const name of names) {
        sets.find(`https://${name}.example/jwks`, () => true, { clientId, tenantId: name }).catch(() => {})
      }
    })
    expect(fetched).toHaveLength(3)
  })

  it('are not fetched from an address that is not https', async () => {
    const byHost = jest.fn()
    const sets = new KeySets({ ...guard, byHost })
    for (const url of ['http://keys.example/jwks', 'https://user@keys.example/jwks']) {
      const found = sets.find(url, () => true, { clientId, tenantId: 'acme' })
      await expect(found).rejects.toMatchObject({ code: 'invalid_client' })
    }
    expect(byHost).not.toHaveBeenCalled()
  })

  it('are fetched once in five seconds while there are none, however many assertions come', async () => {
    const { server, published } = await KeyServer.start()
    published.status = 500
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    for (let request = 0; request < 10; request++) {
      expectError(await exchange(host, clientKey()), 503, 'temporarily_unavailable')
    }
    expect(server.requests).toHaveLength(1)
    const told = { reason: 'temporarily_unavailable', detail: { clientId, reason: 'The status is 500' } }
    expect((await host.told('denied'))[0]).toMatchObject(told)
    clock.advance(4.999)
    expectError(await exchange(host), 503, 'temporarily_unavailable')
    expect(server.requests).toHaveLength(1)
    clock.advance(0.001)
    expectError(await exchange(host), 503, 'temporarily_unavailable')
    expect(server.requests).toHaveLength(2)
  })

  it('are not fetched again for a flood of assertions with unknown keys', async () => {
    const { server } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    const clock = stopClock()
    expectTokens(await exchange(host))
    for (let request = 0; request < 10; request++) {
      clock.advance(1)
      expectError(await exchange(host, clientKey()), 503, 'temporarily_unavailable')
    }
    expect(server.requests).toHaveLength(1)
    expectTokens(await exchange(host))
  })

  it.each<[string, (index: number) => { url: string; tenantId: string }]>([
    ['site', (index) => ({ url: `https://keys.example/${index}`, tenantId: String(index) })],
    ['company', (index) => ({ url: `https://keys${index}.example/`, tenantId: 'acme' })],
  ])('are fetched 600 times a minute for a %s, if they were not fetched before', async (_, addressOf) => {
    stopClock()
    const fetched: string[] = []
    const sets = new KeySets({
      ...guard,
      byHost: async (href) => {
        fetched.push(href)
        return Response.json({ keys: [key.jwk] })
      },
    })
    const find = (index: number) => {
      const { url, tenantId } = addressOf(index)
      return sets.find(url, () => true, { clientId, tenantId })
    }
    for (let index = 0; index < 600; index++) await find(index)
    await expect(find(600)).rejects.toMatchObject({ code: 'temporarily_unavailable', headers: { 'Retry-After': '60' } })
    expect(fetched).toHaveLength(600)
    await find(599)
    await sets.find('https://elsewhere.example/jwks', () => true, { clientId, tenantId: 'another' })
  })

  it('stay, however many sets strangers publish on the same site', async () => {
    stopClock()
    const fetched: string[] = []
    const byHost = async (href: string) => {
      fetched.push(href)
      return Response.json({ keys: [key.jwk] }, { headers: { 'Cache-Control': 'max-age=3600' } })
    }
    const sets = new KeySets({ ...guard, byHost })
    const find = (name: string, tenantId: string) =>
      sets.find(`https://${name}.vercel.app/jwks`, () => true, { clientId, tenantId })
    await find('good', 'acme')
    for (let index = 0; index < 290; index++) await find(`stranger-${index}`, 'acme')
    await find('good', 'acme')
    expect(fetched.filter((url) => url.includes('good'))).toHaveLength(1)
  })

  it('can be had at a tenant while another tenant has used its share of the fetches up', async () => {
    const { server, published } = await KeyServer.start()
    const flood = Array.from({ length: 301 }, (_, index) => `client-${index}`)
    const clients = flood.map((id) => ({
      clientId: id,
      redirectUris: [redirectUri],
      jwksUri: server.url(id === 'client-300' ? '/jwks' : `/none/${id}`),
    }))
    const own = { clientId, redirectUris: [redirectUri], jwksUri: server.url('/jwks') }
    const tenants = [
      { key: 'globex', id: 'globex', clients },
      { key: 'acme', id: 'acme', clients: [own] },
    ]
    const host = await startedWith(server.url('/jwks'), { tenantStore: new MemoryTenantStore(tenants) })
    const signedIn = await host.asCustomer()
    const atGlobex = (id: string) =>
      host.token('globex', {
        grant_type: 'refresh_token',
        ...withAssertion(assertionOf(key, id, host.issuer('globex'))),
      })
    published.status = 404
    stopClock()
    for (const id of flood.slice(0, 300)) await atGlobex(id)
    expect(server.requests).toHaveLength(300)
    published.status = 200
    expectError(await atGlobex('client-300'), 503, 'temporarily_unavailable')
    expectTokens(await host.exchange(signedIn, withAssertion(assertionOf(key, clientId, host.issuer()))))
  })

  it('are not fetched for an assertion that cannot be valid', async () => {
    const { server } = await KeyServer.start()
    const host = await startedWith(server.url('/jwks'))
    const claims = { aud: 'https://elsewhere.example' }
    const [, ours] = assertionOf(key, clientId, host.issuer()).split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${ours}.x`
    for (const assertion of [assertionOf(key, clientId, host.issuer(), { claims }), unsigned]) {
      const response = await host.exchange(await host.asCustomer(), withAssertion(assertion))
      expectError(response, 401, 'invalid_client')
    }
    expect(server.requests).toEqual([])
  })

  it('are fetched by the host’s own function, if it has one, whose faults are told as its own', async () => {
    const asked: string[] = []
    const answers: (() => unknown)[] = [() => 'keys', () => Response.json({ keys: [key.jwk] })]
    const host = await startedWith('https://keys.example/jwks', {
      clients: {
        documents: true,
        fetch: async (url) => {
          asked.push(url)
          return answers.shift()?.() as Response
        },
      },
    })
    const clock = stopClock()
    expectError(await exchange(host), 503, 'temporarily_unavailable')
    expect(await host.told('error')).toMatchObject([{ reason: 'hook_failed' }])
    clock.advance(5)
    expectTokens(await exchange(host))
    expect(asked).toEqual(['https://keys.example/jwks', 'https://keys.example/jwks'])
  })

  it('are not fetched from this machine, except for development', async () => {
    const { server } = await KeyServer.start()
    for (const metadataDocuments of [true, false]) {
      const host = await startedWith(server.url('/jwks'), { clients: { documents: metadataDocuments } })
      expectError(await exchange(host), 401, 'invalid_client')
      const secure = await startedWith(server.url('/jwks').replace('http:', 'https:'), {
        clients: { documents: metadataDocuments },
      })
      expectError(await exchange(secure), 401, 'invalid_client')
    }
    expect(server.requests).toEqual([])
  })
})

describe('a client with a metadata document and a key', () => {
  const methods = { clients: { authentication: ['none', 'private_key_jwt'] } } as const
  const document = (changes: object) => DocumentServer.start((self) => publishing(self, { ...changes }))
  const startedHost = (options: Partial<CustomerSignInOptions> = methods) =>
    started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } }, options)
  const byKey = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } }
  const asserted = (host: TestSignIn, id: string) => withAssertion(assertionOf(key, id, host.issuer()))

  it('signs a customer in with the keys in its document, and stays signed in', async () => {
    const [host, server] = [await startedHost(), await document(byKey)]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    expectError(await host.exchange(signedIn, { client_id }), 401, 'invalid_client')
    const { refresh_token } = expectTokens(await host.exchange(signedIn, asserted(host, client_id)))
    expectError(await host.refresh(refresh_token, { client_id }), 401, 'invalid_client')
    expectTokens(await host.refresh(refresh_token, asserted(host, client_id)))
  })

  it('signs a customer in with the keys at its jwks_uri', async () => {
    const { server: keys } = await KeyServer.start()
    const [host, server] = [
      await startedHost(),
      await document({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keys.url('/jwks') }),
    ]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    expectTokens(await host.exchange(signedIn, asserted(host, client_id)))
  })

  it('that offers none too is public where private_key_jwt is off, and authenticates where it is on', async () => {
    const server = await document({ ...byKey, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] })
    const client_id = server.url()
    const without = await startedHost({})
    const signedIn = await new Authorization(without, { client_id }).allowed()
    expectTokens(await without.exchange(signedIn, { client_id }))
    const host = await startedHost()
    const again = await new Authorization(host, { client_id }).allowed()
    expectError(await host.exchange(again, { client_id }), 401, 'invalid_client')
    expectTokens(await host.exchange(again, asserted(host, client_id)))
  })

  it('gets no secret, although it offers a method that needs one, because everyone can read its document', async () => {
    const server = await document({ token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'] })
    const host = await startedHost({ clients: { authentication: ['client_secret_basic'] } })
    const page = expectErrorPage(await new Authorization(host, { client_id: server.url() }).open())
    expect(page).toContain('token_endpoint_auth_method must be client_secret_basic')
  })

  it('that offers nothing else is refused where private_key_jwt is off, and the page names the option', async () => {
    const server = await document(byKey)
    const page = expectErrorPage(await new Authorization(await startedHost({}), { client_id: server.url() }).open())
    expect(page).toContain('option clients.authentication')
  })

  it.each<[string, object]>([
    ['without keys', { jwks: undefined }],
    ['with a private key', { jwks: { keys: [{ ...key.jwk, d: 'x' }] } }],
    ['with an address of its keys that is not https', { jwks: undefined, jwks_uri: 'http://keys.example/jwks' }],
  ])('is refused %s', async (_, changes) => {
    const server = await document({ ...byKey, ...changes })
    expectErrorPage(await new Authorization(await startedHost(), { client_id: server.url() }).open())
  })

  it('can be revoked by the client alone, and its document is not fetched for any other token', async () => {
    const [host, server] = [await startedHost(), await document(byKey)]
    const client_id = server.url()
    for (const token of ['junk', (await host.connected()).refresh_token, (await host.connected()).access_token]) {
      expect((await host.revoke({ client_id, token })).status).toBe(200)
    }
    expect(server.requests).toEqual([])
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const { refresh_token, access_token } = expectTokens(await host.exchange(signedIn, asserted(host, client_id)))
    for (const token of [refresh_token, access_token]) {
      expectError(await host.revoke({ client_id, token }), 401, 'invalid_client')
    }
    const next = expectTokens(await host.refresh(refresh_token, asserted(host, client_id)))
    expect((await host.revoke({ ...asserted(host, client_id), token: next.access_token })).status).toBe(200)
    expectError(await host.refresh(next.refresh_token, asserted(host, client_id)), 400, 'invalid_grant')
  })

  it('can revoke a refresh token while its document cannot be fetched', async () => {
    const [host, server] = [await startedHost(), await document({})]
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_id }))
    const { tokenStore, url: baseUrl } = host
    const withoutDocument = await startedHost({ ...methods, tokenStore, baseUrl })
    await server.stop()
    expect((await withoutDocument.revoke({ client_id, token: refresh_token })).status).toBe(200)
    expectError(await host.refresh(refresh_token, { client_id }), 400, 'invalid_grant')
  })

  it('cannot authenticate with the key of another document', async () => {
    const [host, server] = [await startedHost(), await document(byKey)]
    const signedIn = await new Authorization(host, { client_id: server.url('/a') }).allowed()
    const response = await host.exchange(signedIn, { ...asserted(host, server.url('/b')) })
    expectError(response, 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, asserted(host, server.url('/a'))))
  })

  it('cannot authenticate with a secret, and its document is not fetched for that', async () => {
    const [host, server] = [
      await startedHost({ clients: { authentication: ['none', 'client_secret_post'] } }),
      await document({}),
    ]
    const fields = { client_id: server.url(), client_secret: 'csis_' }
    expectError(await host.refresh('csir_', fields), 401, 'invalid_client')
    expect(server.requests).toEqual([])
  })

  it('stays connected when its tenant accepts no more documents', async () => {
    const server = await document(byKey)
    const client_id = server.url()
    const tenant = { key: 'acme', id: 'acme', metadataDocuments: true }
    const host = await startedHost({ ...methods, tenantStore: { findTenant: () => tenant } })
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, asserted(host, client_id)))
    tenant.metadataDocuments = false
    expectTokens(await host.refresh(refresh_token, asserted(host, client_id)))
  })

  it('keeps what it has while its document cannot be fetched', async () => {
    const [host, server] = [await startedHost(), await document(byKey)]
    const client_id = server.url()
    const fields = { ...asserted(host, client_id) }
    await server.stop()
    expectError(await host.refresh('csir_', fields), 503, 'temporarily_unavailable')
  })
})
