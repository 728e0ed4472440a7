import { ConfigurationError, MemoryTenantStore, type ProtectedResourceOptions } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import request, { type Test } from 'supertest'
import { ApiHost } from '../../support/api-host'
import { testSignIn } from '../../support/host-app'
import { clientId, expectError, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const wellKnown = '/.well-known/oauth-protected-resource'
const clients = [{ clientId, redirectUris: [redirectUri] }]

const metadata = (host: ApiHost, path: string): Test => request(host.baseUrl).get(wellKnown + path)

describe('the metadata of a protected resource', () => {
  it('is different for each tenant, at the path-inserted address (RFC 9728 section 3.1)', async () => {
    const host = (await ApiHost.start()).protect({ scopes: ['calendar'] })
    const response = await metadata(host, '/v1/acme/mcp').expect(200)
    expect(response.body).toEqual({
      resource: `${host.baseUrl}/v1/acme/mcp`,
      authorization_servers: [host.issuer()],
      scopes_supported: ['calendar'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
      resource_name: 'Acme',
    })
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
  })

  it('names all scopes of the tenant if the resource needs none, and no name if the tenant has none', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'initech', scopes: ['files', 'mail'] }])
    const host = (await ApiHost.start({ tenantStore })).protect()
    const { body } = await metadata(host, '/v1/initech/mcp').expect(200)
    expect(body.scopes_supported).toEqual(['files', 'mail'])
    expect(body).not.toHaveProperty('resource_name')
  })

  it('is not sent again to a client that has it', async () => {
    const host = (await ApiHost.start()).protect()
    const { headers } = await metadata(host, '/v1/acme/mcp')
    await metadata(host, '/v1/acme/mcp')
      .set('If-None-Match', headers.etag ?? '')
      .expect(304)
  })

  it('exists for each resource that the host announces, and for no other', async () => {
    const host = (await ApiHost.start()).protect().protect({ path: '/v1/:tenantKey/files' })
    for (const path of ['/v1/acme/mcp', '/v1/acme/mcp/']) await metadata(host, path).expect(200)
    expect((await metadata(host, '/v1/acme/files').expect(200)).body.resource).toBe(`${host.baseUrl}/v1/acme/files`)
    for (const path of ['', '/', '/v1/acme', '/v1/acme/mcp/sub', '/v1/acme/mcpx', '/v1/acme/photos']) {
      await metadata(host, path).expect(404)
    }
  })

  it.each(['nobody', 'ACME', '..', '%61cme', '__proto__', 'a'.repeat(65)])(
    'of the tenant %j is a 404',
    async (tenantKey) => {
      const host = (await ApiHost.start()).protect()
      await metadata(host, `/v1/${tenantKey}/mcp`).expect(404)
    },
  )

  it('can only be read', async () => {
    const host = (await ApiHost.start()).protect()
    const response = await request(host.baseUrl).post(`${wellKnown}/v1/acme/mcp`)
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
    expect((await request(host.baseUrl).head(`${wellKnown}/v1/acme/mcp`)).status).toBe(200)
  })

  it('below a base path, is both at the RFC’s address at the root of the host and below the base path', async () => {
    const host = (await ApiHost.start({}, '/auth')).protect({}, '/auth/v1/:tenantKey/mcp')
    const { origin } = new URL(host.baseUrl)
    for (const address of [`${origin}${wellKnown}/auth/v1/acme/mcp`, `${host.baseUrl}${wellKnown}/v1/acme/mcp`]) {
      const { body } = await request(address).get('').expect(200)
      expect(body).toMatchObject({ resource: `${host.baseUrl}/v1/acme/mcp`, authorization_servers: [host.issuer()] })
    }
    await request(origin).get(`${wellKnown}/v1/acme/mcp`).expect(404)
  })
})

describe('a tenant with resources of its own', () => {
  const mcpOf = (host: ApiHost) => `${host.baseUrl}/v1/initech/mcp`

  /** A host whose tenant Initech has just these resources; they may depend on where the host is. */
  async function hostWith(resources: (host: ApiHost) => string[]): Promise<ApiHost> {
    const hosts: ApiHost[] = []
    const findTenant = (key: string) => (hosts[0] ? { key, clients, resources: resources(hosts[0]) } : undefined)
    const host = await ApiHost.start({ tenantStore: { findTenant } })
    hosts.push(host)
    return host.protect()
  }

  it('has no metadata for a resource that is not among them, and no token opens it', async () => {
    const host = await hostWith(() => ['https://api.initech.example'])
    await metadata(host, '/v1/initech/mcp').expect(404)
    await expect(host.token({ tenantKey: 'initech', resource: mcpOf(host) })).rejects.toMatchObject({
      code: 'invalid_target',
    })
    const token = await host.token({ tenantKey: 'initech' })
    const response = await request(mcpOf(host)).post('').set('Authorization', `Bearer ${token}`)
    expectError(response, 401, 'invalid_token')
    expect(response.headers['www-authenticate']).not.toContain('resource_metadata')
  })

  it('has metadata and tokens with the spelling of the API, where its record has a slash at the end', async () => {
    const host = await hostWith((self) => ['https://api.initech.example', `${mcpOf(self)}/`])
    const { body } = await metadata(host, '/v1/initech/mcp').expect(200)
    expect(body.resource).toBe(mcpOf(host))
    for (const resource of [`${mcpOf(host)}/`, mcpOf(host)]) {
      const token = await host.token({ tenantKey: 'initech', resource })
      expect(decode(token)).toMatchObject({ aud: mcpOf(host) })
      await request(mcpOf(host)).post('').set('Authorization', `Bearer ${token}`).expect(200)
    }
  })

  it('has metadata also where the address of the host is spelled in another way', async () => {
    const resources = ['https://assistant.example/v1/initech/mcp']
    const tenantStore = new MemoryTenantStore([{ key: 'initech', resources }])
    const host = (await ApiHost.start({ tenantStore, baseUrl: 'https://Assistant.Example:443' })).protect()
    const { body } = await metadata(host, '/v1/initech/mcp').expect(200)
    expect(body.resource).toBe('https://assistant.example/v1/initech/mcp')
  })

  it('has metadata also where a request spells the host in another way, and the host has no baseUrl', async () => {
    const resource = 'http://localhost:3000/v1/initech/mcp'
    const tenantStore = new MemoryTenantStore([{ key: 'initech', resources: [resource] }])
    const { url, signIn } = await started({ tenantStore, baseUrl: undefined })
    signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    const asked = request(url).get(`${wellKnown}/v1/initech/mcp`).set('Host', 'LOCALHOST:3000')
    expect((await asked.expect(200)).body.resource).toBe(resource)
  })

  it('gets tokens for the first one if a request names none', async () => {
    const host = await hostWith((self) => [mcpOf(self), 'https://api.initech.example'])
    const token = await host.token({ tenantKey: 'initech' })
    await request(mcpOf(host)).post('').set('Authorization', `Bearer ${token}`).expect(200)
  })
})

describe('protectedResource refuses at start-up', () => {
  it.each<[what: string, options: unknown, option: string]>([
    ['without a path', {}, 'protectedResource.path'],
    ['with a path that names no tenant', { path: '/v1/mcp' }, 'protectedResource.path'],
    ['with a path that names the tenant twice', { path: '/:tenantKey/:tenantKey' }, 'protectedResource.path'],
    ['with a path that has another parameter', { path: '/:version/:tenantKey' }, 'protectedResource.path'],
    [
      'with a path in which the tenant is only part of a segment',
      { path: '/v1/t-:tenantKey/mcp' },
      'protectedResource.path',
    ],
    ['with a relative path', { path: 'v1/:tenantKey/mcp' }, 'protectedResource.path'],
    ['with an address', { path: 'https://assistant.example/:tenantKey' }, 'protectedResource.path'],
    ['with a query', { path: '/:tenantKey/mcp?x=1' }, 'protectedResource.path'],
    ['with a fragment', { path: '/:tenantKey/mcp#x' }, 'protectedResource.path'],
    ['with a pattern', { path: '/:tenantKey/*' }, 'protectedResource.path'],
    ['with a slash at its end', { path: '/:tenantKey/mcp/' }, 'protectedResource.path'],
    ['with two slashes', { path: '//:tenantKey' }, 'protectedResource.path'],
    ['with a space', { path: '/:tenantKey/m cp' }, 'protectedResource.path'],
    ['with a path that is no text', { path: /mcp/ }, 'protectedResource.path'],
    ['with an invalid scope', { path: '/:tenantKey', scopes: 'profile a"' }, 'protectedResource.scopes[1]'],
    ['with two scopes in one', { path: '/:tenantKey', scopes: ['a b'] }, 'protectedResource.scopes[0]'],
    [
      'with a scope that would break the challenge',
      { path: '/:tenantKey', scopes: ['a"'] },
      'protectedResource.scopes[0]',
    ],
    ['with a wrong flag', { path: '/:tenantKey', checkRevocation: 1 }, 'protectedResource.checkRevocation'],
    ['with a misspelt option', { path: '/:tenantKey', scope: 'profile' }, 'protectedResource.scope'],
    ['with nothing', undefined, 'protectedResource'],
  ])('%s', (_, options, option) => {
    const { protectedResource } = testSignIn({ baseUrl: 'https://assistant.example' })
    const announce = () => protectedResource(options as ProtectedResourceOptions)
    expect(announce).toThrow(ConfigurationError)
    expect(announce).toThrow(expect.objectContaining({ option }))
  })

  it('with a slash at the end of the path, and says so', () => {
    const { protectedResource } = testSignIn()
    expect(() => protectedResource({ path: '/v1/:tenantKey/mcp/' })).toThrow(
      'must be a path with :tenantKey as one of its segments and no slash at its end, such as /v1/:tenantKey/mcp, but is "/v1/:tenantKey/mcp/"',
    )
  })
})
