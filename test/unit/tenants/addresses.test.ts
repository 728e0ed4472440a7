import { ConfigurationError, MemoryTenantStore, type Tenant, type TenantStore } from 'customer-sign-in'
import request from 'supertest'
import { acmeAddress, acmeHost, storeOf } from '../../support/own-domain'
import { expectError } from '../../support/sign-in'
import { started } from '../../support/started'

const metadata = '/.well-known/oauth-authorization-server'

/** What the operator is told about a record of acme; undefined if it is accepted. */
async function refusalOf(row: Record<string, unknown>) {
  const store = storeOf(() => [])
  const host = await started({ tenantStore: { ...store, findTenant: (key) => ({ key, ...row }) as Tenant } })
  const response = await request(host.url).get(`${metadata}/v1/acme/oauth`)
  if (response.status !== 500) return undefined
  expectError(response, 500, 'server_error')
  const [event] = await host.told('error')
  return event?.error as Error & { option: string }
}

describe('the baseUrl of a tenant’s record', () => {
  it.each([
    null,
    undefined,
    acmeAddress,
    `${acmeAddress}/`,
    `${acmeAddress}:8443`,
    'http://localhost:3000',
    'http://[::1]:1',
    'http://acme.localhost:8080',
    'http://127.0.0.2:8080',
  ])('may be %j', async (baseUrl) => {
    expect(await refusalOf({ baseUrl })).toBeUndefined()
  })

  it.each([
    '',
    'assistant.acme.example',
    '//assistant.acme.example',
    'http://assistant.acme.example',
    'http://acme.localhost.example',
    'http://128.0.0.1',
    'ftp://assistant.acme.example',
    'https://assistant.acme.example/auth',
    'https://assistant.acme.example//',
    'https://assistant.acme.example?a=b',
    'https://assistant.acme.example#a',
    'https://user@assistant.acme.example',
    7,
  ])('may not be %j', async (baseUrl) => {
    const refused = await refusalOf({ baseUrl })
    expect(refused).toMatchObject({ name: 'ConfigurationError', option: 'tenant.baseUrl' })
    expect(refused?.message).toMatch(/must be an https address.*without path, query, fragment/)
  })

  it('needs a store that finds tenants by their host', async () => {
    const host = await started({ tenantStore: { findTenant: (key) => ({ key, baseUrl: acmeAddress }) } })
    expectError(await request(host.url).get(`${metadata}/v1/acme/oauth`), 500, 'server_error')
    const message = expect.stringMatching(`findTenantByHost, but is "${acmeAddress}"`)
    expect(await host.told('error')).toMatchObject([{ error: { option: 'tenant.baseUrl', message } }])
  })

  it('may be that of all tenants: its addresses are then as without it', async () => {
    const companies: Tenant[] = []
    const host = await started({ tenantStore: storeOf(() => companies) })
    companies.push({ key: 'acme', baseUrl: host.url })
    const { body } = await request(host.url).get(`${metadata}/v1/acme/oauth`).expect(200)
    expect(body.issuer).toBe(host.issuer())
  })
})

describe('the formerBaseUrls of a tenant’s record', () => {
  it.each([null, [], [acmeAddress], [`${acmeAddress}/`, 'http://localhost:3000/']].map((each) => [each]))(
    'may be %j',
    async (formerBaseUrls) => {
      expect(await refusalOf({ formerBaseUrls })).toBeUndefined()
    },
  )

  it.each([
    'assistant.acme.example',
    'ftp://assistant.acme.example',
    'https://assistant.acme.example?a',
    'https://assistant.acme.example/#a',
    'https://user@assistant.acme.example',
    'https://',
    7,
  ])('may not have %j', async (formerBaseUrl) => {
    const refused = await refusalOf({ formerBaseUrls: [acmeAddress, formerBaseUrl] })
    expect(refused).toMatchObject({ option: 'tenant.formerBaseUrls[1]' })
    expect(refused?.message).toMatch(/must be an http or https address/)
  })

  it.each([
    'http://assistant.acme.example',
    'http://assistant.example:8080/auth',
    'https://a.example//evil.example',
    'https://assistant.acme.example/auth',
  ])('may not have %j, which is neither a domain of the company’s own nor the option baseUrl', async (former) => {
    const refused = await refusalOf({ formerBaseUrls: [acmeAddress, former] })
    expect(refused).toMatchObject({ name: 'ConfigurationError', option: 'tenant.formerBaseUrls[1]' })
    expect(refused?.message).toContain('the option baseUrl (http://127.0.0.1:')
    expect(refused?.message).toContain(`but is "${former}"`)
  })

  it.each([
    ['https://Assistant.Example', 'https://assistant.example'],
    ['https://assistant.example:443/', 'https://assistant.example'],
    ['HTTPS://ASSISTANT.example:443/Auth//', 'https://assistant.example/Auth'],
    ['http://assistant.example:80/auth', 'http://assistant.example/auth'],
  ])('may have the option baseUrl, however the option spells it: %s', async (baseUrl, former) => {
    const acme: Tenant = { key: 'acme', baseUrl: acmeAddress, formerBaseUrls: [former] }
    const host = await started({ baseUrl, tenantStore: storeOf(() => [acme]) })
    const path = former.endsWith('/auth') || former.endsWith('/Auth') ? new URL(former).pathname : ''
    const { body } = await request(host.url).get(`${metadata}${path}/v1/acme/oauth`).expect(200)
    expect(body.issuer).toBe(`${former}/v1/acme/oauth`)
    expectError(await request(host.url).get(metadata).set('Host', 'assistant.example'), 404, 'not_found')
  })

  it('do not make a company answer at a host at the end of one', async () => {
    const acme = { key: 'acme', formerBaseUrls: ['https://a.example//evil.example'] }
    const tenantStore = { findTenant: () => acme, findTenantByHost: () => acme }
    const host = await started({ tenantStore })
    const response = await request(host.url).get(metadata).set('Host', 'evil.example')
    expectError(response, 500, 'server_error')
  })

  it('may not have an address twice', async () => {
    const refused = await refusalOf({ formerBaseUrls: [acmeAddress, `${acmeAddress}/`] })
    expect(refused).toMatchObject({ option: 'tenant.formerBaseUrls[1]' })
  })
})

describe('findTenantByHost', () => {
  const found = async (findTenantByHost: NonNullable<TenantStore['findTenantByHost']>) => {
    const host = await started({ tenantStore: { findTenant: () => null, findTenantByHost }, hostTimeout: 0.1 })
    return { host, response: await request(host.url).get(metadata).set('Host', acmeHost) }
  }
  const acme: Tenant = { key: 'acme', baseUrl: acmeAddress }

  it('is given the host alone, and may answer at once or later', async () => {
    const findTenantByHost = jest.fn(async (_host: string) => acme)
    expect((await found(findTenantByHost)).response.body.issuer).toBe(acmeAddress)
    expect(findTenantByHost.mock.calls).toEqual([[acmeHost]])
    expect((await found(() => acme)).response.status).toBe(200)
  })

  it('is not asked for a host that not everybody reads in the same way', async () => {
    const findTenantByHost = jest.fn(() => acme)
    const host = await started({ tenantStore: { findTenant: () => null, findTenantByHost } })
    expectError(await request(host.url).get(metadata).set('Host', 'assistant.acme*.example'), 404, 'not_found')
    expect(findTenantByHost).not.toHaveBeenCalled()
  })

  it.each<[string, NonNullable<TenantStore['findTenantByHost']>]>([
    ['null', () => null],
    ['undefined, later', async () => undefined],
    ['a tenant of another host', () => ({ key: 'acme', baseUrl: 'https://acme.example' })],
    ['a tenant whose host ends like it', () => ({ key: 'acme', baseUrl: 'https://x.assistant.acme.example' })],
    ['a tenant of another port', () => ({ key: 'acme', baseUrl: `${acmeAddress}:8443` })],
    ['a tenant without a domain', () => ({ key: 'acme' })],
    ['a tenant with a key that none can have', () => ({ ...acme, key: 'a/b' })],
    ['something without a key', () => ({ baseUrl: acmeAddress }) as unknown as Tenant],
  ])('that gives %s has no such tenant', async (_, findTenantByHost) => {
    expectError((await found(findTenantByHost)).response, 404, 'not_found')
  })

  it.each<[string, NonNullable<TenantStore['findTenantByHost']>]>([
    ['rejects', () => Promise.reject(new Error('The directory is down'))],
    ['hangs', () => new Promise(() => {})],
  ])('that %s gives 503', async (_, findTenantByHost) => {
    const { host, response } = await found(findTenantByHost)
    expectError(response, 503, 'temporarily_unavailable')
    expect(await host.told('error')).toMatchObject([{ where: 'metadata', reason: 'tenant_store_failed' }])
  })

  it('that gives a record that cannot be used gives 500', async () => {
    const { host, response } = await found(() => ({ ...acme, scopes: 'profile' }) as unknown as Tenant)
    expectError(response, 500, 'server_error')
    expect(await host.told('error')).toMatchObject([{ error: { option: 'tenant.scopes' } }])
  })
})

describe('a MemoryTenantStore', () => {
  it('finds tenants by the hosts that they have and had', () => {
    const acme = { key: 'acme', baseUrl: acmeAddress, formerBaseUrls: ['https://old.example:8443'] }
    const store = new MemoryTenantStore([acme, { key: 'globex' }])
    expect(store.findTenantByHost?.(acmeHost)).toBe(acme)
    expect(store.findTenantByHost?.('old.example:8443')).toBe(acme)
    expect(store.findTenantByHost?.('globex')).toBeUndefined()
  })

  it('finds the company that has a host now, before one that had it, whichever comes first', () => {
    const before = { key: 'before', formerBaseUrls: [acmeAddress] }
    const now = { key: 'now', baseUrl: acmeAddress }
    for (const tenants of [
      [before, now],
      [now, before],
    ]) {
      expect(new MemoryTenantStore(tenants).findTenantByHost?.(acmeHost)).toBe(now)
    }
  })

  it('refuses two companies with the same domain', () => {
    const twice = () => new MemoryTenantStore(['acme', 'globex'].map((key) => ({ key, baseUrl: acmeAddress })))
    expect(twice).toThrow(ConfigurationError)
    expect(twice).toThrow(`tenant.baseUrl of "acme" and of "globex" have the same host ${acmeHost}`)
    const sameKey = [1, 2].map((id) => ({ key: 'acme', id: `${id}`, baseUrl: acmeAddress }))
    expect(new MemoryTenantStore(sameKey).findTenantByHost?.(acmeHost)).toBe(sameKey[1])
  })

  it('has no look-up by host if no tenant has a domain of its own', () => {
    const tenants = [{ key: 'acme', baseUrl: null }, { key: 'globex' }, { key: 'initech', baseUrl: 'nonsense' }]
    expect(new MemoryTenantStore(tenants).findTenantByHost).toBeUndefined()
  })
})
