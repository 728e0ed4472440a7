import { type ErrorPageHook, OAuthError, type ShownError } from 'customer-sign-in'
import express from 'express'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { HostApp, testSignIn } from '../../support/host-app'
import { tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const elsewhere = { redirect_uri: 'https://evil.example' }

/** A host with a page of its own, and what its hook is told. */
async function ownPage(options: object = {}, hook: ErrorPageHook = (_req, res) => res.end('the host’s own page')) {
  const told: ShownError[] = []
  const page: ErrorPageHook = (req, res, error) => {
    told.push(error)
    return hook(req, res, error)
  }
  return {
    host: await started({ authenticate: asTheySay, pages: { error: page }, hostTimeout: 0.1 }, options),
    told,
  }
}

describe('pages.error', () => {
  it('shows an error in the host’s own way, with the status that the library’s page has', async () => {
    const { host, told } = await ownPage()
    const { status, text, headers } = await new Authorization(host, { ...elsewhere, ui_locales: 'de' }).open()
    expect([status, text]).toEqual([400, 'the host’s own page'])
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'unsafe-none',
      'x-content-type-options': 'nosniff',
    })
    expect(told).toEqual([
      {
        status: 400,
        code: 'unauthorized_client',
        description: 'redirect_uri is not registered for this client',
        reason: 'wrong_redirect_uri',
        language: 'de',
        tenant: tenants[0],
      },
    ])
    expect(await host.told('error')).toEqual([])
  })

  it('is told of a company that does not exist, without one', async () => {
    const { host, told } = await ownPage()
    await new Authorization(host, {}, 'nobody').open().expect(404)
    expect(told).toMatchObject([{ status: 404, code: 'not_found', reason: 'tenant_gone', tenant: undefined }])
  })

  it('never answers with a challenge: an unknown client is 400', async () => {
    const { host, told } = await ownPage()
    const { headers } = await new Authorization(host, { client_id: 'nobody' }).open().expect(400)
    expect(headers).not.toHaveProperty('www-authenticate')
    expect(told).toMatchObject([{ status: 400, code: 'invalid_client', tryAgain: undefined }])
  })

  it('is told how to repeat the request where that can help, and when', async () => {
    const findTenant = () => Promise.reject(new Error('The database is down at 10.0.0.5'))
    const { host, told } = await ownPage({ tenantStore: { findTenant } })
    const authorization = new Authorization(host)
    const { headers } = await authorization.open().expect(503)
    expect(headers['retry-after']).toBe('1')
    expect(told).toMatchObject([{ status: 503, reason: 'tenant_store_failed', tryAgain: `?${authorization.query}` }])
  })

  it('is not told to repeat a request that has no query, or whose error stays', async () => {
    const findTenant = () => Promise.reject(new Error())
    const { host, told } = await ownPage({ tenantStore: { findTenant } })
    await request(host.url).get('/v1/acme/oauth/authorize').expect(503)
    const unusable = await ownPage({ tenantStore: { findTenant: () => ({ ...tenants[0], scopes: 7 }) } })
    await new Authorization(unusable.host).open().expect(500)
    expect([...told, ...unusable.told].map(({ tryAgain }) => tryAgain)).toEqual([undefined, undefined])
    expect(unusable.told).toMatchObject([{ reason: 'misconfigured', tenant: undefined }])
  })

  it('is told nothing that only an operator may know', async () => {
    const cause = new Error('The database is down at 10.0.0.5')
    const detail = { host: '10.0.0.5' }
    const error = new OAuthError('access_denied', 'Not today', {
      status: 403,
      detail,
      cause,
      context: { subject: 'ada' },
    })
    const { host, told } = await ownPage({ tenantStore: { findTenant: () => Promise.reject(error) } })
    await new Authorization(host).open().expect(403)
    expect(told).toEqual([
      { status: 403, code: 'access_denied', description: 'Not today', reason: 'store_refused', language: 'en' },
    ])
  })

  it('may show its page after it returns, as template engines do', async () => {
    const { host } = await ownPage({}, (_req, res) => {
      setImmediate(() => setImmediate(() => res.end('the host’s own page')))
    })
    expect((await new Authorization(host, elsewhere).open().expect(400)).text).toBe('the host’s own page')
    expect(await host.told('error')).toEqual([])
  })

  it('may choose another status, and settle late', async () => {
    const { host } = await ownPage({}, (_req, res) => {
      res.writeHead(418).end('the host’s own page')
      return new Promise(() => {})
    })
    expect((await new Authorization(host, elsewhere).open().expect(418)).text).toBe('the host’s own page')
    expect(await host.told('error')).toEqual([])
  })

  it('is not called for what a client is told', async () => {
    const { host, told } = await ownPage()
    await request(host.url).post('/v1/acme/oauth/token').type('form').send('grant_type=refresh_token').expect(400)
    await new Authorization(host, { scope: 'unknown' }).open().expect(303)
    expect(told).toEqual([])
  })

  it.each<[string, ErrorPageHook, string]>([
    [
      'throws',
      () => {
        throw new Error('The template is broken')
      },
      'The template is broken',
    ],
    ['rejects', () => Promise.reject(new Error('The template is broken')), 'The template is broken'],
    ['throws an OAuthError', () => Promise.reject(new OAuthError('not_found', 'No')), 'not_found: No'],
    ['gives nothing and answers nothing', () => undefined, 'pages.error did not answer the request'],
    ['never settles', () => new Promise(() => {}), 'pages.error did not answer the request'],
  ])('that %s leaves the library’s own page to the customer, and tells the operator', async (_, hook, message) => {
    const { host } = await ownPage({}, (req, res, error) => {
      res.statusCode = 200
      res.setHeader('Content-Encoding', 'gzip').setHeader('Set-Cookie', 'a=b').removeHeader('X-Content-Type-Options')
      return hook(req, res, error)
    })
    const response = await new Authorization(host, elsewhere).open()
    expect(textOf(expectErrorPage(response))).toContain('redirect_uri is not registered')
    expect(response.headers).not.toHaveProperty('content-encoding')
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    const about = { where: 'pages.error', reason: 'hook_failed', tenantKey: 'acme', tenantId: 'acme' }
    expect(await host.told('error')).toMatchObject([{ ...about, error: { message } }])
  })

  it('that fails keeps the headers that the host has set before', async () => {
    const errorPage = () => Promise.reject(new Error())
    const app = await HostApp.start((baseUrl) =>
      express()
        .use((_req, res, next) => {
          res.setHeader('X-Request-Id', '7').append('Set-Cookie', 'a=1').append('Set-Cookie', 'b=2')
          next()
        })
        .use(testSignIn({ baseUrl, authenticate: asTheySay, pages: { error: errorPage } })),
    )
    const { headers } = await new Authorization({ url: app.origin }, elsewhere).open().expect(400)
    await app.stop()
    expect(headers).toMatchObject({ 'x-request-id': '7', 'set-cookie': ['a=1', 'b=2'] })
  })

  it('that fails in the middle of its page leaves half a page, and no second one', async () => {
    const { host } = await ownPage({}, (_req, res) => {
      res.write('half')
      throw new Error('The template is broken')
    })
    await expect(new Authorization(host, elsewhere).open()).rejects.toThrow()
    expect(await host.told('error')).toMatchObject([{ where: 'pages.error' }])
  })

  it('is not called once the host has begun a page of its own', async () => {
    const { host, told } = await ownPage({
      authenticate: (_req: unknown, res: import('node:http').ServerResponse) => {
        res.write('half')
        throw new Error('The template is broken')
      },
      tenantStore: { findTenant: () => ({ ...tenants[0], clients: [] }) },
      clients: { documents: false },
    })
    const { body } = await request(host.url)
      .post('/v1/acme/oauth/register')
      .send({ redirect_uris: ['https://assistant.example/callback'] })
    await expect(new Authorization(host, { client_id: body.client_id }).open()).rejects.toThrow()
    expect(told).toEqual([])
    expect(await host.told('error')).toMatchObject([{ where: 'authorize' }])
  })
})
