import {
  type CustomerSignIn,
  type CustomerSignInEvent,
  type CustomerSignInOptions,
  MemoryTenantStore,
} from 'customer-sign-in'
import express from 'express'
import request, { type Response, type Test } from 'supertest'
import { ApiHost } from '../../support/api-host'
import { HostApp, testSignIn } from '../../support/host-app'
import { clientId, expectError, redirectUri } from '../../support/sign-in'
import { head, rawRequest } from '../http/raw-request'

const clients = [{ clientId, redirectUris: [redirectUri] }]
const twoTenants = new MemoryTenantStore(
  ['acme', 'globex'].map((key) => ({ key, clients, scopes: ['profile', 'calendar'] })),
)

const call = (host: ApiHost, path: string, token?: string): Test => {
  const test = request(host.baseUrl).post(path)
  return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
}

/** The parameters of a response's challenge. */
function challengeOf({ headers }: Response): Record<string, string> {
  const challenge = headers['www-authenticate'] ?? ''
  expect(challenge).toMatch(/^Bearer /)
  return Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
}

afterEach(() => jest.restoreAllMocks())

describe('a protected resource', () => {
  it('leads a client without a token to its metadata, and from there to the tenant’s sign-in', async () => {
    const host = (await ApiHost.start()).protect({ scopes: ['profile'] })
    const refused = await call(host, '/v1/acme/mcp').expect(401)
    const { resource_metadata = '', ...others } = challengeOf(refused)
    expect(others).not.toHaveProperty('error')
    const { resource, authorization_servers } = (await request(resource_metadata).get('')).body
    expect(resource).toBe(`${host.baseUrl}/v1/acme/mcp`)
    const [issuer] = authorization_servers
    const { pathname } = new URL(issuer)
    const found = (await request(host.baseUrl).get(`/.well-known/oauth-authorization-server${pathname}`)).body
    expect(found.issuer).toBe(issuer)
  })

  it('lets a token for it through, and tells the handler whose it is', async () => {
    const host = (await ApiHost.start()).protect({ scopes: ['profile'] })
    const resource = `${host.baseUrl}/v1/acme/mcp`
    const { body } = await call(host, '/v1/acme/mcp', await host.token({ resource })).expect(200)
    expect(body).toEqual({ subject: 'customer-1', tenantKey: 'acme', resource })
  })

  it.each(['/v1/acme/mcp/', '/v1/acme/mcp/messages', '/v1/acme/mcp/a/b?c=/v1/globex/mcp', '/v1/acme/mcp?x=1'])(
    'is the same below its path: %s',
    async (path) => {
      const host = (await ApiHost.start({ tenantStore: twoTenants })).protect()
      const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
      expect((await call(host, path, token).expect(200)).body).toMatchObject({ tenantKey: 'acme' })
      expect(challengeOf(await call(host, path)).resource_metadata).toBe(
        `${host.baseUrl}/.well-known/oauth-protected-resource/v1/acme/mcp`,
      )
    },
  )

  it('opens only its own path, however widely the host has mounted the guard', async () => {
    const host = (await ApiHost.start()).protect({}, '/')
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    await call(host, '/v1/acme/mcp/sub', token).expect(200)
    for (const path of ['/v1/acme/mcpx', '/v1/acme', '/v2/acme/mcp', '/v1/acme/x/mcp', '/']) {
      expectError(await call(host, path, token), 404, 'not_found')
    }
  })

  it('refuses a token of another tenant, and names its own sign-in', async () => {
    const host = (await ApiHost.start({ tenantStore: twoTenants })).protect()
    const token = await host.token({ tenantKey: 'globex', resource: `${host.baseUrl}/v1/globex/mcp` })
    await call(host, '/v1/globex/mcp', token).expect(200)
    const response = await call(host, '/v1/acme/mcp', token)
    expectError(response, 401, 'invalid_token')
    expect(challengeOf(response)).toMatchObject({
      error: 'invalid_token',
      resource_metadata: `${host.baseUrl}/.well-known/oauth-protected-resource/v1/acme/mcp`,
    })
  })

  it('is the audience of a token whose client names no resource', async () => {
    const host = (await ApiHost.start()).protect()
    await call(host, '/v1/acme/mcp', await host.token()).expect(200)
  })

  it('refuses a token for another resource, even for the issuer', async () => {
    const host = (await ApiHost.start()).protect().protect({ path: '/v1/:tenantKey/files' })
    const files = await host.token({ resource: `${host.baseUrl}/v1/acme/files` })
    await call(host, '/v1/acme/files', files).expect(200)
    expectError(await call(host, '/v1/acme/mcp', files), 401, 'invalid_token')
    const issuer = await host.token({ resource: `${host.baseUrl}/v1/acme/oauth` })
    expectError(await call(host, '/v1/acme/mcp', issuer), 401, 'invalid_token')
  })

  it('refuses a token without its scopes, and says which', async () => {
    const host = (await ApiHost.start()).protect({ scopes: ['profile', 'calendar'] })
    const resource = `${host.baseUrl}/v1/acme/mcp`
    const response = await call(host, '/v1/acme/mcp', await host.token({ resource, scopes: 'profile' }))
    expectError(response, 403, 'insufficient_scope')
    expect(challengeOf(response)).toMatchObject({
      error: 'insufficient_scope',
      scope: 'profile calendar',
      resource_metadata: `${host.baseUrl}/.well-known/oauth-protected-resource/v1/acme/mcp`,
    })
    await call(host, '/v1/acme/mcp', await host.token({ resource })).expect(200)
  })

  it('names none of the scopes that a customer granted to a company which had the key before', async () => {
    let acme = { key: 'acme', id: 'the first Acme', clients, scopes: ['profile', 'calendar'] }
    const tenantStore = { findTenant: () => acme }
    const host = (await ApiHost.start({ tenantStore })).protect({ scopes: 'profile' })
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp`, scopes: 'profile calendar' })
    acme = { ...acme, id: 'the second Acme' }
    const response = await call(host, '/v1/acme/mcp', token)
    expectError(response, 401, 'invalid_token')
    expect(challengeOf(response).scope).toBe('profile')
  })

  it('is one API, even if the host guards several of its routes on their own', async () => {
    const host = (await ApiHost.start()).protect({ scopes: 'profile' }).protect({ scopes: 'profile calendar' })
    const token = await host.token({ resource: host.baseUrl, scopes: 'profile' })
    await call(host, '/v1/acme/mcp', token).expect(200)
  })

  it('never asks for offline_access, whatever the host writes', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', clients, scopes: ['profile', 'offline_access'] }])
    const host = (await ApiHost.start({ tenantStore }))
      .protect({ scopes: 'profile offline_access' })
      .protect({ path: '/v1/:tenantKey/files' })
    expect(challengeOf(await call(host, '/v1/acme/mcp')).scope).toBe('profile')
    for (const name of ['mcp', 'files']) {
      const { body } = await request(host.baseUrl).get(`/.well-known/oauth-protected-resource/v1/acme/${name}`)
      expect(body.scopes_supported).toEqual(['profile'])
    }
    const resource = `${host.baseUrl}/v1/acme/mcp`
    await call(host, '/v1/acme/mcp', await host.token({ resource, scopes: 'profile' })).expect(200)
  })

  it.each(['junk', 'a.b.c', 'csir_'])('refuses junk, and leads the client to sign-in: %s', async (token) => {
    const host = (await ApiHost.start()).protect()
    const response = await call(host, '/v1/acme/mcp', token)
    expectError(response, 401, 'invalid_token')
    expect(challengeOf(response)).toHaveProperty('resource_metadata')
  })

  it('checks whether the grant has ended, if that is wanted', async () => {
    const host = (await ApiHost.start()).protect({ checkRevocation: true }).protect({ path: '/v1/:tenantKey/files' })
    const [mcp, files] = await Promise.all(
      ['mcp', 'files'].map((name) => host.token({ resource: `${host.baseUrl}/v1/acme/${name}` })),
    )
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    expectError(await call(host, '/v1/acme/mcp', mcp), 401, 'invalid_token')
    await call(host, '/v1/acme/files', files).expect(200)
  })

  it('of an unknown tenant is a 404 without a challenge', async () => {
    const host = (await ApiHost.start()).protect()
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    for (const key of ['nobody', 'ACME', '%61cme', '..%2facme', 'a%22b', 'a%0d%0aSet-Cookie:%20evil=1']) {
      const response = await call(host, `/v1/${key}/mcp`, token)
      expectError(response, 404, 'not_found')
      expect(response.headers).not.toHaveProperty('www-authenticate')
      expect(response.headers).not.toHaveProperty('set-cookie')
    }
  })

  it.each(['/:tenantKey', '/:tenantKey/mcp', '/api/:tenantKey/v2.0/mcp_x~y', '/mcp/:tenantKey'])(
    'can be at %s',
    async (path) => {
      const host = (await ApiHost.start()).protect({ path })
      const at = path.replace(':tenantKey', 'acme')
      const token = await host.token({ resource: host.baseUrl + at })
      await call(host, at, token).expect(200)
      const { body } = await request(host.baseUrl).get(`/.well-known/oauth-protected-resource${at}`).expect(200)
      expect(body.resource).toBe(host.baseUrl + at)
    },
  )

  it('is guarded behind a request target in absolute form too (RFC 9112 section 3.2.2)', async () => {
    const host = (await ApiHost.start()).protect()
    const { status, headers } = await rawRequest(host.baseUrl, head('POST http://evil.example/v1/acme/mcp'))
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toContain(`"${host.baseUrl}/.well-known/oauth-protected-resource/v1/acme/mcp"`)
  })

  it.each([
    'http://x;/v1/acme/mcp',
    'http://user@x/v1/acme/mcp',
    'http://x%41/v1/acme/mcp',
    '/v1/acme/mcp/\\',
    '/v1/acme/mcp/#',
    '/v1/acme/mcp#',
    '*',
  ])('stays closed to a request target that routers read differently: %s', async (target) => {
    const host = (await ApiHost.start()).protect({}, '/')
    const Authorization = `Bearer ${await host.token()}`
    const { status } = await rawRequest(host.baseUrl, head(`POST ${target}`, { Authorization }))
    expect(status).toBe(404)
  })

  it('below a base path, is guarded wherever the host mounts it', async () => {
    const host = (await ApiHost.start({}, '/auth')).protect({}, '/auth/v1/:tenantKey/mcp')
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    await call(host, '/v1/acme/mcp', token).expect(200)
    const { resource_metadata = '' } = challengeOf(await call(host, '/v1/acme/mcp'))
    expect(resource_metadata).toBe(
      `${new URL(host.baseUrl).origin}/.well-known/oauth-protected-resource/auth/v1/acme/mcp`,
    )
    expect((await request(resource_metadata).get('')).body.resource).toBe(`${host.baseUrl}/v1/acme/mcp`)
  })

  it.each(['[', 'a b', 'evil.example"', 'evil.example/x?', '', '@'])(
    'answers a request whose Host is %j, although the address is taken from the requests',
    async (hostHeader) => {
      jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
      const host = (await ApiHost.start({ baseUrl: undefined })).protect()
      const { status } = await rawRequest(host.baseUrl, head('GET /v1/acme/mcp', { Host: hostHeader }))
      expect([400, 401]).toContain(status)
    },
  )
})

describe('protectedResource that a host calls', () => {
  const warnings = () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    return () => warned.mock.calls.filter(([, options]) => /PROTECTED_RESOURCE/.test(JSON.stringify(options)))
  }

  it('for each request causes one warning, with the path', async () => {
    const { signIn } = await ApiHost.start()
    const warned = warnings()
    for (let calls = 0; calls < 100; calls++) signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    expect(warned()).toEqual([[expect.stringContaining('/v1/:tenantKey/mcp'), expect.anything()]])
  })

  it('once for each of its APIs causes no warning', async () => {
    const { signIn } = await ApiHost.start()
    const warned = warnings()
    for (let calls = 0; calls < 100; calls++) signIn.protectedResource({ path: `/v1/:tenantKey/api-${calls}` })
    expect(warned()).toEqual([])
  })
})

describe('a scope that is required', () => {
  const warningsOf = async (
    require: (signIn: CustomerSignIn) => unknown,
    options: Partial<CustomerSignInOptions> = {},
  ) => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { signIn } = await ApiHost.start({ scopes: ['profile', 'bookings:read'], ...options })
    for (let times = 0; times < 2; times++) require(signIn)
    return warned.mock.calls.map(([message]) => message)
  }
  const path = '/v1/:tenantKey/mcp'

  it.each<[guard: string, require: (signIn: CustomerSignIn) => unknown]>([
    ['protectedResource', (signIn) => signIn.protectedResource({ path, scopes: ['profile', 'booking:read'] })],
    ['protectedResource', (signIn) => signIn.protectedResource({ path, scopesSupported: 'booking:read' })],
    ['requireAccessToken', (signIn) => signIn.requireAccessToken({ tenantKey: 'acme', scopes: 'booking:read' })],
    ['requireScopes', (signIn) => expect(() => signIn.requireScopes({}, 'booking:read')).toThrow()],
  ])('causes one warning at start-up if the option scopes does not have it: by %s', async (guard, require) => {
    expect(await warningsOf(require)).toEqual([
      `${guard} requires "booking:read", which the option scopes does not have. Did you mean bookings:read? Customers can grant it only at a company whose record has it`,
    ])
  })

  it('causes none if the option has it, or if the scopes are those of the companies', async () => {
    const require = (signIn: CustomerSignIn) =>
      signIn.protectedResource({ path, scopes: 'bookings:read offline_access', scopesSupported: 'profile' })
    expect(await warningsOf(require)).toEqual([])
    expect(await warningsOf(require, { scopes: undefined })).toEqual([])
  })

  it('causes no more than 20 warnings, however a host makes its scopes up', async () => {
    const warnings = await warningsOf((signIn) => {
      for (let item = 0; item < 30; item++) expect(() => signIn.requireScopes({}, `item:${item}`)).toThrow()
    })
    expect(warnings).toHaveLength(20)
  })
})

describe('the event of a refusal', () => {
  it('says that protectedResource has refused', async () => {
    const events: CustomerSignInEvent[] = []
    const host = (await ApiHost.start({ onEvent: (event) => events.push(event) })).protect()
    await request(`${host.baseUrl}/v1/acme/mcp`).get('').set('Authorization', 'Bearer wrong').expect(401)
    expect(events).toMatchObject([{ type: 'denied', where: 'protectedResource', tenantKey: 'acme' }])
  })
})

describe('an API that only some pages may call', () => {
  const inspector = 'https://inspector.example'
  const protectedHost = async () =>
    (await ApiHost.start()).protect({ allowedOrigins: [inspector, 'vscode-webview://a1'] })
  const from = (test: Test, origin: string | undefined) => (origin === undefined ? test : test.set('Origin', origin))

  it('is called by them, by its own pages, and by what is no page', async () => {
    const host = await protectedHost()
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    for (const origin of [undefined, inspector, 'vscode-webview://a1', host.baseUrl])
      await from(call(host, '/v1/acme/mcp', token), origin).expect(200)
    await from(call(host, '/v1/acme/mcp'), inspector).expect(401)
  })

  it.each([
    'https://evil.example',
    'null',
    '',
    'https://inspector.example:8443',
    'http://inspector.example',
    'https://inspector.example.evil.example',
    'https://inspector.example, https://evil.example',
  ])('answers a page of "%s" with 403, whatever its token, and without a challenge', async (origin) => {
    const events: CustomerSignInEvent[] = []
    const host = (await ApiHost.start({ onEvent: (event) => events.push(event) })).protect({
      allowedOrigins: [inspector],
    })
    const good = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    events.length = 0
    for (const token of [good, 'no-token', undefined]) {
      const response = await call(host, '/v1/acme/mcp', token).set('Origin', origin)
      expect(response.headers).not.toHaveProperty('www-authenticate')
      expectError(response, 403, 'invalid_request')
      expect(response.body.error_description).toBe('This API cannot be called from pages of this Origin')
      const detail = { asked: origin, accepted: [inspector] }
      expect(events.splice(0)).toMatchObject([{ type: 'denied', reason: 'origin_not_allowed', detail }])
    }
  })

  it('takes no name that merely leads to it for its own, where the host has set no baseUrl', async () => {
    const signIn = testSignIn({ tenantStore: twoTenants })
    const path = '/v1/:tenantKey/mcp'
    const guard = signIn.protectedResource({ path, allowedOrigins: [] })
    const app = await HostApp.start(() => express().use(signIn).use(path, guard))
    const asked = (name: string) =>
      request(app.origin).post('/v1/acme/mcp').set('Host', name).set('Origin', `http://${name}`)
    await asked('localhost:3000').expect(401)
    await asked('evil.example:3000').expect(403)
    await app.stop()
  })

  it('lets every page in that has a token, if none is named', async () => {
    const host = (await ApiHost.start()).protect()
    const token = await host.token({ resource: `${host.baseUrl}/v1/acme/mcp` })
    for (const origin of ['https://evil.example', 'null'])
      await call(host, '/v1/acme/mcp', token).set('Origin', origin).expect(200)
  })
})
