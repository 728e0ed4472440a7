import { MemoryTokenStore } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { HostApp, testSignIn } from '../../support/host-app'
import { clientId, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const wellKnown = '/.well-known/oauth-authorization-server'

const get = (host: TestSignIn, path: string) => request(host.url).get(path)

describe('metadata', () => {
  it('has every field of RFC 8414 that a client of this server needs, and no other', async () => {
    const host = await started()
    const { status, headers, body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(body).toEqual({
      issuer: host.issuer(),
      authorization_endpoint: `${host.issuer()}/authorize`,
      token_endpoint: `${host.issuer()}/token`,
      registration_endpoint: `${host.issuer()}/register`,
      revocation_endpoint: `${host.issuer()}/revoke`,
      jwks_uri: `${host.issuer()}/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      dpop_signing_alg_values_supported: ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['profile', 'calendar', 'offline_access'],
      ui_locales_supported: ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'tr', 'ja', 'zh-Hans', 'ar'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  it('names the endpoints that the host runs itself', async () => {
    const host = await started({
      externalEndpoints: {
        authorization: 'https://login.example/authorize',
        registration: 'https://login.example/register',
        revocation: 'https://login.example/revoke',
      },
    })
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect(body).toMatchObject({
      authorization_endpoint: 'https://login.example/authorize',
      registration_endpoint: 'https://login.example/register',
      revocation_endpoint: 'https://login.example/revoke',
      revocation_endpoint_auth_methods_supported: ['none'],
      token_endpoint: `${host.issuer()}/token`,
    })
  })

  it('changes as soon as the scopes of the tenant do', async () => {
    const acme = { key: 'acme', scopes: ['read', 'all'] }
    const host = await started({ tenantStore: { findTenant: () => acme } })
    for (const scopes of [['read', 'all'], ['readall'], ['read']]) {
      acme.scopes = scopes
      const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
      expect(body.scopes_supported).toEqual([...scopes, 'offline_access'])
    }
  })

  it('lists offline_access once and as the last, whatever the host lists, and not where nobody gets refresh tokens', async () => {
    const lists = ['offline_access', 'files', 'mail']
    const companies: Record<string, object> = { listing: { scopes: lists }, enterprise: { enterpriseOnly: true } }
    const host = await started({ scopes: lists, tenantStore: { findTenant: (key) => ({ key, ...companies[key] }) } })
    const supported = async (key: string) => (await get(host, `${wellKnown}/v1/${key}/oauth`)).body.scopes_supported
    expect(await supported('acme')).toEqual(['files', 'mail', 'offline_access'])
    expect(await supported('listing')).toEqual(['files', 'mail', 'offline_access'])
    expect(await supported('enterprise')).toEqual(['files', 'mail'])
  })

  it('lists how clients can authenticate', async () => {
    const methods = ['none', 'private_key_jwt', 'client_secret_basic'] as const
    const host = await started({ clients: { authentication: methods } })
    const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519']
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect(body).toMatchObject({
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    })
    const withSecrets = await started({ clients: { authentication: ['client_secret_post'] } })
    const { body: other } = await get(withSecrets, `${wellKnown}/v1/acme/oauth`)
    expect(other.token_endpoint_auth_methods_supported).toEqual(['client_secret_post'])
    expect(other).not.toHaveProperty('token_endpoint_auth_signing_alg_values_supported')
  })

  it('promises iss if the host runs the authorization endpoint itself, too', async () => {
    const externalEndpoints = { authorization: 'https://login.example/authorize' }
    const host = await started({ externalEndpoints, authenticate: asTheySay })
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect(body.authorization_response_iss_parameter_supported).toBe(true)
    await new Authorization(host).open().expect(404)
  })

  it('is the same at the address of RFC 8414 and below the issuer', async () => {
    const host = await started()
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect((await get(host, `/v1/acme/oauth${wellKnown}`)).body).toEqual(body)
  })

  it("is each company's own", async () => {
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    const host = await started({
      tenantStore: {
        findTenant: (key) => ({ key, clients, scopes: key === 'globex' ? ['files', 'mail'] : undefined }),
      },
      scopes: ['profile', 'email'],
    })
    const { body: acme } = await get(host, `${wellKnown}/v1/acme/oauth`)
    const { body: globex } = await get(host, `${wellKnown}/v1/globex/oauth`)
    expect(acme).toMatchObject({
      issuer: host.issuer('acme'),
      scopes_supported: ['profile', 'email', 'offline_access'],
    })
    expect(globex).toMatchObject({
      issuer: host.issuer('globex'),
      scopes_supported: ['files', 'mail', 'offline_access'],
    })
  })

  it("is each company's own even if companies differ only in their key", async () => {
    const host = await started({ tenantStore: { findTenant: (key) => ({ key }) } })
    for (const key of ['acme', 'globex', 'acme']) {
      const { body } = await get(host, `${wellKnown}/v1/${key}/oauth`)
      expect(body).toMatchObject({ issuer: host.issuer(key), token_endpoint: `${host.issuer(key)}/token` })
    }
  })

  it('has the addresses at which the endpoints answer', async () => {
    const host = await started()
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    expect((await fetch(body.jwks_uri)).status).toBe(200)
    expect((await fetch(body.token_endpoint, { method: 'POST' })).status).toBe(400)
  })

  it('names the issuer that the access tokens and the authorization responses name', async () => {
    const host = await started()
    const { body } = await get(host, `${wellKnown}/v1/acme/oauth`)
    const { access_token } = await host.connected()
    const { claims } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    expect(claims.iss).toBe(body.issuer)
  })

  it('can be cached, and is not sent again if it has not changed', async () => {
    const host = await started()
    const first = await get(host, `${wellKnown}/v1/acme/oauth`)
    const { etag = '', 'cache-control': cacheControl } = first.headers
    expect(cacheControl).toMatch(/^public, max-age=\d+$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(host, `${wellKnown}/v1/acme/oauth`).set('If-None-Match', known)
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
    }
    const other = await get(host, `${wellKnown}/v1/acme/oauth`).set('If-None-Match', '"other"')
    expect([other.status, other.body]).toEqual([200, first.body])
  })

  it('has another ETag when its content changes', async () => {
    const tenant = { key: 'acme', scopes: ['profile'] }
    const host = await started({ tenantStore: { findTenant: () => tenant } })
    const { etag = '' } = (await get(host, `${wellKnown}/v1/acme/oauth`)).headers
    tenant.scopes = ['profile', 'calendar']
    const changed = await get(host, `${wellKnown}/v1/acme/oauth`).set('If-None-Match', etag)
    expect(changed.status).toBe(200)
    expect(changed.headers.etag).not.toBe(etag)
  })

  it('shows every change at once, also a change back', async () => {
    const tenant = { key: 'acme', scopes: ['profile'], registration: true, metadataDocuments: true }
    const host = await started({ tenantStore: { findTenant: () => tenant } })
    const asked = async () => {
      const { scopes_supported, registration_endpoint } = (await get(host, `${wellKnown}/v1/acme/oauth`)).body
      return [scopes_supported, registration_endpoint]
    }
    const register = `${host.issuer()}/register`
    expect(await asked()).toEqual([['profile', 'offline_access'], register])
    tenant.scopes.push('calendar')
    expect(await asked()).toEqual([['profile', 'calendar', 'offline_access'], register])
    tenant.registration = false
    expect(await asked()).toEqual([['profile', 'calendar', 'offline_access'], undefined])
    tenant.scopes.pop()
    tenant.registration = true
    expect(await asked()).toEqual([['profile', 'offline_access'], register])
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const host = await started()
    const { headers } = await get(host, `${wellKnown}/v1/acme/oauth`)
    const head = await request(host.url).head(`${wellKnown}/v1/acme/oauth`)
    expect(head.status).toBe(200)
    expect(head.text).toBeUndefined()
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })

  it('does not call the token store', async () => {
    const untouchable = new Proxy(new MemoryTokenStore(), {
      get: () => () => Promise.reject(new Error('The token store must not be called')),
    })
    const host = await started({ tokenStore: untouchable })
    expect((await get(host, `${wellKnown}/v1/acme/oauth`)).status).toBe(200)
  })
})

describe('metadata for a baseUrl with a path', () => {
  const baseUrl = 'https://assistant.example/auth'
  const issuer = `${baseUrl}/v1/acme/oauth`

  it.each([
    ['at the place of RFC 8414, after the path', `${wellKnown}/auth/v1/acme/oauth`],
    ['below the issuer', `/auth/v1/acme/oauth${wellKnown}`],
    ['below the mount path, where the host has taken that off', `${wellKnown}/v1/acme/oauth`],
    ['below the issuer, where the host has taken the mount path off', `/v1/acme/oauth${wellKnown}`],
  ])('answers %s', async (_, path) => {
    const host = await started({ baseUrl })
    const { status, body } = await get(host, path)
    expect([status, body.issuer, body.token_endpoint]).toEqual([200, issuer, `${issuer}/token`])
  })

  it.each(['', '/'])('is served by signIn.wellKnown at the root of the host (baseUrl%s)', async (slash) => {
    const passed: string[] = []
    const signIn = testSignIn({ baseUrl: baseUrl + slash })
    const host = await HostApp.start(
      () => (req, res) =>
        signIn.wellKnown(req, res, () => {
          passed.push(req.url ?? '')
          res.end()
        }),
    )
    try {
      const { status, body } = await request(host.origin).get(`${wellKnown}/auth/v1/acme/oauth`)
      expect([status, body.issuer]).toEqual([200, issuer])
      await request(host.origin).get(`${wellKnown}/auth/v1/nobody/oauth`).expect(404)
      expect(passed).toEqual([])

      const others = [`${wellKnown}/v1/acme/oauth`, '/auth/v1/acme/oauth/jwks', '/', `${wellKnown}/auth`]
      for (const path of others) await request(host.origin).get(path)
      expect(passed).toEqual(others)
    } finally {
      await host.stop()
    }
  })
})
