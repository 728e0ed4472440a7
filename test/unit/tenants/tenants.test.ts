import type { Tenant, TenantStore } from 'customer-sign-in'
import request from 'supertest'
import { clientId, expectError, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const clients = [{ clientId, redirectUris: [redirectUri] }]

/** An object that `await` takes for a promise, with this value. */
function thenable(given: unknown): Promise<never> {
  // biome-ignore lint/suspicious/noThenProperty: The test is about objects with `then`.
  return { then: (settle: (value: unknown) => void) => settle(given) } as unknown as Promise<never>
}

function fail(): never {
  throw new Error('The directory is down')
}

/** Requests the metadata of a tenant from a host whose store answers like this. */
async function metadataOf(findTenant: TenantStore['findTenant'], tenantKey = 'acme') {
  const host = await started({ tenantStore: { findTenant } })
  return { host, response: await metadata(host, tenantKey) }
}

function metadata(host: TestSignIn, tenantKey = 'acme') {
  return request(host.url).get(`/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`)
}

describe('a tenant key', () => {
  it.each(['a', 'Acme-1', '...', '.a', '~_~', '0', 'a'.repeat(64), 'constructor'])(
    'may be %s, and stands in the issuer as it is',
    async (tenantKey) => {
      const { host, response } = await metadataOf((key) => ({ key }), tenantKey)
      expect(response.body.issuer).toBe(`${host.url}/v1/${tenantKey}/oauth`)
    },
  )

  it.each(['.', '..', 'a'.repeat(65), 'a%20b', 'a%2Fb', '%61', 'caf%C3%A9', 'a:b', 'a@b', 'a*', 'a,b', 'a=b'])(
    'cannot be %s: a 404 without asking the store',
    async (tenantKey) => {
      const findTenant = jest.fn((key: string) => ({ key }))
      const host = await started({ tenantStore: { findTenant } })
      const response = await request(host.url).get(`/v1/x/../${tenantKey}/oauth/jwks`)
      expectError(response, 404, 'not_found')
      const subject = 'customer-1'
      await expect(host.signIn.grants.list({ tenantKey, subject })).rejects.toMatchObject({ code: 'not_found' })
      expect(findTenant).not.toHaveBeenCalled()
    },
  )
})

describe('a tenant store', () => {
  it.each<[string, TenantStore['findTenant']]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['undefined, later', () => Promise.resolve(undefined)],
    ['null, later', () => Promise.resolve(null)],
    ['a tenant of another key', () => ({ key: 'globex' })],
    ['a tenant whose key is in other capitals', () => ({ key: 'ACME' })],
    ['something without a key', () => ({ name: 'Acme' }) as unknown as Tenant],
  ])('that gives %s has no such tenant', async (_, findTenant) => {
    const { response } = await metadataOf(findTenant)
    expectError(response, 404, 'not_found')
  })

  it('may answer at once or later', async () => {
    expect((await metadataOf((key) => ({ key }))).response.status).toBe(200)
    expect((await metadataOf(async (key) => ({ key }))).response.status).toBe(200)
  })

  it('is called once for each request', async () => {
    const findTenant = jest.fn((key: string) => ({ key, clients }))
    const host = await started({ tenantStore: { findTenant } })
    const { refresh_token } = await host.connected()
    findTenant.mockClear()
    await host.refresh(refresh_token)
    expect(findTenant.mock.calls).toEqual([['acme']])
  })

  it('leaves no timer behind that would keep the process alive', async () => {
    const host = await started({ tenantStore: { findTenant: async (key) => ({ key }) } })
    await metadata(host)
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    await host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })
    expect(timers()).toBe(before)
  })

  it('keeps its own this', async () => {
    class Directory implements TenantStore {
      readonly #tenants = [{ key: 'acme' }]
      findTenant(tenantKey: string) {
        return this.#tenants.find(({ key }) => key === tenantKey)
      }
    }
    const host = await started({ tenantStore: new Directory() })
    expect((await metadata(host)).status).toBe(200)
  })

  const late = 'tenantStore.findTenant took longer than 100 ms'
  it.each<[string, TenantStore['findTenant'], told: string]>([
    ['rejects', () => Promise.reject(new Error('The directory is down')), 'The directory is down'],
    ['hangs', () => new Promise(() => {}), late],
    ['hangs in a promise inside of another kind of promise', () => thenable(new Promise(() => {})), late],
    ['throws', () => fail(), 'The directory is down'],
  ])('that %s gives 503 with Retry-After', async (_, findTenant, message) => {
    const host = await started({ tenantStore: { findTenant }, hostTimeout: 0.1 })
    const response = await metadata(host)
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(await host.told('error')).toMatchObject([{ where: 'metadata', tenantKey: 'acme', error: { message } }])
  })
})

describe('a tenant record', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['an id that is no text', 'id', { id: 7 }],
    ['an empty id', 'id', { id: '' }],
    ['a name that is no text', 'name', { name: {} }],
    ['scopes that are no list', 'scopes', { scopes: 'profile' }],
    ['a scope with a space', 'scopes[1]', { scopes: ['profile', 'a b'] }],
    ['a resource that is no URL', 'resources[0]', { resources: ['mcp'] }],
    ['a resource with a fragment', 'resources[0]', { resources: ['https://api.example/#x'] }],
    ['an access token lifetime over 60 minutes', 'accessTokenLifetime', { accessTokenLifetime: 3601 }],
    ['an access token lifetime in text', 'accessTokenLifetime', { accessTokenLifetime: '60' }],
    ['a refresh token lifetime over 30 days', 'refreshTokenLifetime', { refreshTokenLifetime: 2_592_001 }],
    ['a refresh token lifetime of nothing', 'refreshTokenLifetime', { refreshTokenLifetime: 0 }],
    ['clients that are no list', 'clients', { clients: { clientId } }],
    ['a client without an id', 'clients[0].clientId', { clients: [{ redirectUris: [] }] }],
    [
      'a client with an id of a registered client',
      'clients[0].clientId',
      { clients: [{ clientId: 'dcr_assistant', redirectUris: [] }] },
    ],
    ['a client without redirect URIs', 'clients[0].redirectUris', { clients: [{ clientId }] }],
    ['null for a client', 'clients[0]', { clients: [null] }],
  ])('with %s is a 500 that names the field to the operator alone', async (_, field, wrong) => {
    const findTenant = (key: string) => (key === 'acme' ? ({ key, ...wrong } as Tenant) : { key })
    const { host, response } = await metadataOf(findTenant)
    expect(expectError(response, 500, 'server_error')).not.toContain(field)
    expect(await host.told('error')).toMatchObject([
      { where: 'metadata', tenantKey: 'acme', error: { name: 'ConfigurationError', option: `tenant.${field}` } },
    ])
    expect((await metadata(host, 'globex')).status).toBe(200)
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'server_error' })
  })

  it('may have other fields of the host', async () => {
    const { response } = await metadataOf((key) => ({ key, plan: 'gold', createdAt: new Date() }) as Tenant)
    expect(response.status).toBe(200)
  })

  it('may have only its key', async () => {
    const { host, response } = await metadataOf((key) => ({ key }))
    expect(response.body).toMatchObject({ issuer: host.issuer(), scopes_supported: ['profile', 'offline_access'] })
  })
})
