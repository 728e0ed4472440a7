import { MemoryTenantStore } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage, expectErrorRedirect } from '../../support/authorization'
import { consentForm } from '../../support/consent-form'
import { trusted, untrusted } from '../../support/faulty-requests'
import { faultyStore, hangs, rejects } from '../../support/faulty-store'
import { recordsOf } from '../../support/records'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

describe('an authorization request with', () => {
  it.each(untrusted)('%s shows an error page and redirects nowhere', async (_, parameters) => {
    const host = await started({ authenticate: asTheySay })
    const authorization = new Authorization(host, parameters)
    const page = expectErrorPage(await authorization.open())
    expect(page).not.toContain('evil.example')
    expectErrorPage(await request(host.url).post(authorization.path).type('form').send('decision=allow'))
  })

  it.each(trusted)('%s redirects to the client with the error', async (_, parameters, error, named) => {
    const host = await started({ authenticate: asTheySay })
    const response = await new Authorization(host, parameters).open()
    expect(expectErrorRedirect(response, error, host.issuer())).toMatch(named)
    const [denied] = await host.told('denied')
    expect(denied).toMatchObject({ where: 'authorize', tenantKey: 'acme', error })
  })

  it.each(['client_id', 'redirect_uri'])('an empty %s shows a page that says so', async (name) => {
    const host = await started({ authenticate: asTheySay })
    const page = expectErrorPage(await new Authorization(host, { [name]: '' }).open())
    expect(page).toContain(`${name} must be sent exactly once`)
  })

  it('a client_id of 12,000 characters tells the host of no more than the beginning', async () => {
    const host = await started({ authenticate: asTheySay })
    expectErrorPage(await new Authorization(host, { client_id: 'x'.repeat(12_000) }).open())
    const [denied] = await host.told('denied')
    expect(denied).toMatchObject({ reason: 'client_gone', detail: { clientId: `${'x'.repeat(2048)}…` } })
    expect(JSON.stringify(denied).length).toBeLessThan(2500)
  })

  it('two states redirects to the client with the error and the first state', async () => {
    const host = await started({ authenticate: asTheySay })
    const response = await new Authorization(host, { state: ['one', 'two'] }).open()
    expectErrorRedirect(response, 'invalid_request', host.issuer(), 'one')
  })

  it('anything wrong never reaches the host’s login', async () => {
    const authenticate = jest.fn(() => ({ subject: 'customer-1' }))
    const host = await started({ authenticate })
    for (const [, parameters] of [...untrusted, ...trusted]) await new Authorization(host, parameters).open()
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('a client that may not use codes tells the client so', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], grantTypes: ['refresh_token'] }]
    const tenantStore = new MemoryTenantStore([{ key: 'acme', clients }])
    const host = await started({ authenticate: asTheySay, tenantStore })
    expectErrorRedirect(await new Authorization(host).open(), 'unauthorized_client', host.issuer())
  })

  it('a client whose scopes the tenant does not offer tells the client so', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], scopes: ['admin'] }]
    const tenantStore = new MemoryTenantStore([{ key: 'acme', clients, scopes: ['profile'] }])
    const host = await started({ authenticate: asTheySay, tenantStore })
    expectErrorRedirect(await new Authorization(host).open(), 'invalid_scope', host.issuer())
    const detail = { asked: ['admin'], accepted: ['profile'] }
    expect(await host.told('denied')).toMatchObject([{ reason: 'scope_not_offered', detail }])
  })

  it('a client with scopes at a tenant without any is accepted', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], scopes: ['admin'] }]
    const host = await started({
      authenticate: asTheySay,
      tenantStore: new MemoryTenantStore([{ key: 'acme', clients, scopes: [] }]),
    })
    await new Authorization(host).form()
  })
})

describe('the authorization endpoint', () => {
  it.each(['put', 'patch', 'delete', 'options'] as const)('answers %s with a page and 405', async (method) => {
    const host = await started({ authenticate: asTheySay })
    const response = await request(host.url)[method](new Authorization(host).path)
    expectErrorPage(response, 405)
    expect(response.headers.allow).toBe('GET, HEAD, POST')
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(['nobody', 'ACME', '..%2Facme', '<script>'])(
    'of the unknown tenant %j is a page and 404',
    async (tenantKey) => {
      const host = await started({ authenticate: asTheySay })
      const page = expectErrorPage(await new Authorization(host, {}, tenantKey).open(), 404)
      expect(page).not.toContain('<script>')
    },
  )

  it('lets no other site read its responses', async () => {
    const host = await started({ authenticate: asTheySay })
    const response = await new Authorization(host).open().set('Origin', 'https://evil.example')
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a store that fails', () => {
  it('shows a page with 503 if it is the tenant store', async () => {
    const findTenant = () => Promise.reject(new Error('The database is down'))
    const host = await started({ authenticate: asTheySay, tenantStore: { findTenant } })
    const response = await new Authorization(host).open()
    expect(expectErrorPage(response, 503)).not.toContain('database')
    expect(response.headers['retry-after']).toBe('1')
  })

  it.each([
    ['rejects', rejects],
    ['hangs', hangs],
  ])(
    'gives the client temporarily_unavailable if it %s, and the same page, submitted again, asks once more',
    async (_, fault) => {
      const { store, always, recover } = faultyStore()
      const host = await started({ authenticate: asTheySay, tokenStore: store, hostTimeout: 0.1 })
      const authorization = new Authorization(host)
      const form = await authorization.form()
      always('createGrant', fault)
      expectErrorRedirect(await authorization.answer(form), 'temporarily_unavailable', host.issuer())
      expect(await host.told('error')).toMatchObject([{ where: 'authorize', tenantKey: 'acme' }])
      recover()
      const again = consentForm(await authorization.answer(form).expect(200))
      expect((await host.exchange(authorization.signedIn(await authorization.answer(again)))).status).toBe(200)
    },
  )

  it('still gives the code if only its answer is lost', async () => {
    const { store, healthy, next } = faultyStore()
    const host = await started({ authenticate: asTheySay, tokenStore: store })
    next('createGrant', async (apply) => {
      await apply()
      throw new Error('The connection was lost')
    })
    const signedIn = await new Authorization(host).allowed()
    expect((await host.exchange(signedIn)).status).toBe(200)
    expect(await recordsOf(healthy)).toHaveLength(1)
  })
})
