import { ConfigurationError, type CustomerSignIn, type RequireAccessTokenOptions } from 'customer-sign-in'
import express, { type Request, type RequestHandler } from 'express'
import request, { type Test } from 'supertest'
import { releaseClock, stopClock } from '../../support/clock'
import { HostApp } from '../../support/host-app'
import { expectError, expectTokens, TestSignIn } from '../../support/sign-in'

type InTenant = Request<{ tenantKey: string }>

/** The host's API: a route for each way to require a token. */
function apiOf(signIn: CustomerSignIn): express.Express {
  const requirements: Record<string, Omit<RequireAccessTokenOptions<InTenant>, 'tenantKey'>> = {
    me: {},
    calendar: { scopes: ['profile', 'calendar'] },
    payments: { checkRevocation: true },
    files: { resource: 'https://files.globex.example' },
    either: { resource: ({ query }) => `https://${query.api}.globex.example` },
  }
  const app = express().use(express.urlencoded())
  for (const [name, required] of Object.entries(requirements)) {
    const protect = signIn.requireAccessToken<InTenant>({ ...required, tenantKey: ({ params }) => params.tenantKey })
    const answer: RequestHandler<{ tenantKey: string }> = (req, res) => res.json(Object(req).auth)
    app.all(`/v1/:tenantKey/${name}`, protect, answer)
  }
  return app
}

describe('requireAccessToken', () => {
  let host: TestSignIn
  let api: HostApp
  beforeAll(async () => {
    host = await TestSignIn.start({ replayTolerance: 0 })
    api = await HostApp.start(() => apiOf(host.signIn))
  })
  afterAll(() => Promise.all([api.stop(), host.stop()]))
  afterEach(() => {
    releaseClock()
    jest.restoreAllMocks()
  })

  const get = (path: string, authorization?: string): Test => {
    const call = request(api.origin).get(path)
    return authorization === undefined ? call : call.set('Authorization', authorization)
  }
  const challengeOf = ({ headers }: { headers: Record<string, string> }) => headers['www-authenticate']

  describe('lets a request through', () => {
    it('with a token of the tenant, and tells the handler whose it is', async () => {
      const { access_token } = await host.connected()
      const { body } = await get('/v1/acme/me', `Bearer ${access_token}`).expect(200)
      expect(body).toMatchObject({ subject: 'customer-1', tenantKey: 'acme', clientId: 'assistant-app' })
    })

    it.each(['bearer', 'BEARER', 'BeArEr '])('by the scheme %j', async (scheme) => {
      const { access_token } = await host.connected()
      await get('/v1/acme/me', `${scheme} ${access_token}`).expect(200)
    })

    it('for the resource of the route, or of the request', async () => {
      const { access_token } = await host.connected({ tenantKey: 'globex', resource: 'https://files.globex.example' })
      await get('/v1/globex/files', `Bearer ${access_token}`).expect(200)
      await get('/v1/globex/either?api=files', `Bearer ${access_token}`).expect(200)
      expectError(await get('/v1/globex/either?api=api', `Bearer ${access_token}`), 401, 'invalid_token')
      expectError(await get('/v1/globex/me', `Bearer ${access_token}`), 401, 'invalid_token')
    })
  })

  describe('challenges a request (RFC 6750 section 3)', () => {
    it.each([
      ['nothing', undefined],
      ['credentials of another scheme', 'Basic YXNzaXN0YW50LWFwcDo='],
      ['an empty Authorization header', ''],
      ['a token after another scheme', 'Negotiate Bearer x'],
    ])('with %s by a bare Bearer, naming no error', async (_what, authorization) => {
      const response = await get('/v1/acme/me', authorization)
      expect({ status: response.status, ...response.headers }).toMatchObject({
        status: 401,
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      expect(challengeOf(response)).toBe('Bearer')
      // MCP Inspector 0.17 knows a 401 by this word, and begins to sign in.
      expect(response.body).toEqual({ message: 'Unauthorized' })
    })

    it('with no scope where the API has no metadata, which a client would look at first', async () => {
      expect(challengeOf(await get('/v1/acme/calendar').expect(401))).toBe('Bearer')
    })

    it('with an expired token by the same word, so that a client behind a proxy refreshes', async () => {
      const clock = stopClock()
      const { access_token } = await host.connected()
      clock.advance(3601)
      const { text } = await get('/v1/acme/me', `Bearer ${access_token}`).expect(401)
      expect(text).toContain('Unauthorized')
    })

    it('with a token of another tenant by invalid_token', async () => {
      const { access_token } = await host.connected({ tenantKey: 'globex' })
      const response = await get('/v1/acme/me', `Bearer ${access_token}`)
      const description = expectError(response, 401, 'invalid_token')
      expect(challengeOf(response)).toBe(`Bearer error="invalid_token", error_description="${description}"`)
    })

    it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer "a"', 'Bearer a, Bearer b', 'Bearer\ta'])(
      'with the malformed %j by invalid_token',
      async (authorization) => {
        const response = await get('/v1/acme/me', authorization)
        expectError(response, 401, 'invalid_token')
        expect(challengeOf(response)).toContain('error="invalid_token"')
      },
    )

    it('with too little scope by insufficient_scope, naming the scope that is needed', async () => {
      const { access_token } = await host.connected({ scopes: 'profile' })
      const response = await get('/v1/acme/calendar', `Bearer ${access_token}`)
      expectError(response, 403, 'insufficient_scope')
      expect(challengeOf(response)).toMatch(/^Bearer error="insufficient_scope", .*scope="profile calendar"$/)
    })

    it('with its token in the query or the body, where it would end up in logs', async () => {
      const { access_token } = await host.connected()
      expect(challengeOf(await get(`/v1/acme/me?access_token=${access_token}`).expect(401))).toBe('Bearer')
      const inBody = request(api.origin).post('/v1/acme/me').type('form').send({ access_token })
      expect(challengeOf(await inBody.expect(401))).toBe('Bearer')
    })
  })

  it('answers 404 if there is no such tenant, whatever the token', async () => {
    const { access_token } = await host.connected()
    expectError(await get('/v1/initech/me', `Bearer ${access_token}`), 404, 'not_found')
    expectError(await get('/v1/initech/me'), 404, 'not_found')
  })

  describe('where revocation is checked', () => {
    it('refuses a token whose grant has been revoked', async () => {
      const { access_token } = await host.connected()
      const { body } = await get('/v1/acme/payments', `Bearer ${access_token}`).expect(200)
      await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId: body.grantId })
      expectError(await get('/v1/acme/payments', `Bearer ${access_token}`), 401, 'invalid_token')
      await get('/v1/acme/me', `Bearer ${access_token}`).expect(200)
    })

    it('refuses every token of a grant whose refresh token was replayed', async () => {
      const { refresh_token } = await host.connected()
      const { access_token } = expectTokens(await host.refresh(refresh_token))
      await host.refresh(refresh_token)
      expectError(await get('/v1/acme/payments', `Bearer ${access_token}`), 401, 'invalid_token')
    })

    it('answers 503 while the store is down, so that the client keeps its token', async () => {
      const { access_token } = await host.connected()
      const fault = new Error('the store is down')
      jest.spyOn(host.tokenStore, 'findGrant').mockRejectedValueOnce(fault)
      const response = await get('/v1/acme/payments', `Bearer ${access_token}`)
      expectError(response, 503, 'temporarily_unavailable')
      expect(response.headers['retry-after']).toBe('1')
      expect(await host.told('error')).toContainEqual(
        expect.objectContaining({ where: 'requireAccessToken', tenantKey: 'acme', error: fault }),
      )
      await get('/v1/acme/payments', `Bearer ${access_token}`).expect(200)
    })
  })

  it('lets the host decide which origins may read its API, including the refusals', async () => {
    const header = 'access-control-allow-origin'
    const refused = await get('/v1/acme/me', 'Bearer x')
    expectError(refused, 401, 'invalid_token')
    expect(refused.headers).not.toHaveProperty(header)

    const app = express().use((_req, res, next) => {
      res.setHeader(header, 'https://app.globex.example')
      next()
    }, apiOf(host.signIn))
    const open = await HostApp.start(() => app)
    try {
      const { headers } = await request(open.origin).get('/v1/acme/me').expect(401)
      expect(headers[header]).toBe('https://app.globex.example')
    } finally {
      await open.stop()
    }
  })

  it('cannot be set up without a tenant', () => {
    for (const required of [{}, { tenantKey: undefined }, { tenantKey: ['acme'] }] as unknown[]) {
      expect(() => host.signIn.requireAccessToken(required as { tenantKey: string })).toThrow(ConfigurationError)
    }
    expect(() => host.signIn.requireAccessToken({ tenantKey: 'a/b' })).toThrow('but is "a/b"')
  })
})
