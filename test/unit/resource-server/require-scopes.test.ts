import { createServer } from 'node:http'
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import connect from 'connect'
import { ConfigurationError, type CustomerSignIn, MemoryTenantStore, OAuthError } from 'customer-sign-in'
import type { ErrorRequestHandler, Express, Request, Response } from 'express'
import express4 from 'express4'
import request from 'supertest'
import { ApiHost } from '../../support/api-host'
import { releaseClock, stopClock } from '../../support/clock'
import { clientId, expectError, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

const tenantStore = new MemoryTenantStore([
  {
    key: 'acme',
    clients: [{ clientId, redirectUris: [redirectUri] }],
    scopes: ['profile', 'calendar', 'mail', 'offline_access'],
  },
])

/** A host whose API at `/v1/acme/mcp` needs `calendar` for one route. */
async function hostWith(handle: (app: Express, signIn: CustomerSignIn) => void = () => {}, options: object = {}) {
  const events: object[] = []
  const host = await ApiHost.start({ tenantStore, onEvent: (event) => events.push(event), ...options })
  const path = '/v1/:tenantKey/mcp'
  host.app.use(path, host.signIn.protectedResource({ path, scopes: 'profile', scopesSupported: 'calendar' }))
  host.app.post(path, (req, res) => {
    host.signIn.requireScopes(req, 'calendar')
    res.json('done')
  })
  handle(host.app, host.signIn)
  const resource = `${host.baseUrl}/v1/acme/mcp`
  const call = async (scopes: string, status: number) => {
    const token = await host.token({ resource, scopes })
    return request(resource).post('').set('Authorization', `Bearer ${token}`).expect(status)
  }
  const metadata = `${host.baseUrl}/.well-known/oauth-protected-resource/v1/acme/mcp`
  return { host, call, metadata, resource, events }
}

/** The parameters of a challenge. */
function challengeOf({ headers }: { headers: Record<string, string> }) {
  const challenge = headers['www-authenticate'] ?? ''
  expect(challenge).toMatch(/^Bearer /)
  return Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
}

const needsCalendar = (scope: string, metadata: string) => ({
  error: 'insufficient_scope',
  error_description: 'The access token must have the scope calendar',
  scope,
  resource_metadata: metadata,
})

describe('requireScopes', () => {
  it('lets a request go on whose token has the scopes', async () => {
    const { call } = await hostWith()
    expect((await call('profile calendar', 200)).body).toBe('done')
  })

  it('makes Express answer 403 by itself, with all that the token has and all that is needed', async () => {
    const { call, metadata } = await hostWith()
    expect(challengeOf(await call('profile', 403))).toEqual(needsCalendar('profile calendar', metadata))
    expect(challengeOf(await call('profile mail', 403)).scope).toBe('profile mail calendar')
  })

  it('makes an error handler of the host’s answer with three members of the error', async () => {
    const handler: ErrorRequestHandler = (error, _req, res, next) => {
      if (error instanceof OAuthError) res.status(error.status).set(error.headers).json(error)
      else next(error)
    }
    const { call, metadata } = await hostWith((app) => app.use(handler))
    const response = await call('profile', 403)
    expect(response.body).toMatchObject({ error: 'insufficient_scope' })
    expect(challengeOf(response)).toEqual(needsCalendar('profile calendar', metadata))
  })

  it.each([
    ['Express 4', () => express4() as unknown as Express],
    ['Connect', () => connect() as unknown as Express],
  ])('makes %s answer 403 too', async (_, create) => {
    const { host, resource, metadata } = await hostWith()
    const app = create()
    app.use(host.signIn.requireAccessToken({ tenantKey: 'acme', resource }) as never)
    app.use(((req: Request) => host.signIn.requireScopes(req, 'calendar')) as never)
    const server = createServer(app).listen(0)
    const token = await host.token({ resource, scopes: 'profile' })
    const response = await request(server).get('/').set('Authorization', `Bearer ${token}`)
    server.close()
    expect(response.status).toBe(403)
    expect(challengeOf(response)).toEqual(needsCalendar('profile calendar', metadata))
  })

  it('knows the request behind the MCP SDK’s own guard', async () => {
    const { host, resource, metadata } = await hostWith()
    const verifier = host.signIn.verifier({
      tenantKey: 'acme',
      resource,
      invalidToken: (words) => new InvalidTokenError(words),
    })
    host.app.get('/sdk', requireBearerAuth({ verifier }), (req, res) => {
      host.signIn.requireScopes(req, ['profile', 'calendar'])
      res.json('done')
    })
    const call = async (scopes: string, status: number) => {
      const token = await host.token({ resource, scopes })
      return request(host.baseUrl).get('/sdk').set('Authorization', `Bearer ${token}`).expect(status)
    }
    await call('profile calendar', 200)
    expect(challengeOf(await call('profile', 403))).toMatchObject({
      scope: 'profile calendar',
      resource_metadata: metadata,
    })
  })

  it('takes what the guard has found for the request itself, as tools of an MCP server get it', async () => {
    const { host, resource, metadata } = await hostWith()
    const auth = await host.signIn.verifyAccessToken(await host.token({ resource, scopes: 'mail' }), {
      tenantKey: 'acme',
      resource,
    })
    host.signIn.requireScopes({ auth }, 'mail')
    const refusal = expect.objectContaining({
      status: 403,
      headers: {
        'WWW-Authenticate': expect.stringContaining(`scope="mail calendar", resource_metadata="${metadata}"`),
      },
    })
    expect(() => host.signIn.requireScopes({ auth }, 'calendar')).toThrow(refusal)
  })

  it('never asks for offline_access, even if the token has it', async () => {
    const { call } = await hostWith()
    expect(challengeOf(await call('profile offline_access', 403)).scope).toBe('profile calendar')
  })

  it('names no metadata for an API that is not announced', async () => {
    const host = await started()
    const auth = await host.signIn.verifyAccessToken((await host.connected({ scopes: 'profile' })).access_token, {
      tenantKey: 'acme',
    })
    const headers = {
      'WWW-Authenticate':
        'Bearer error="insufficient_scope", error_description="The access token must have the scope calendar", scope="profile calendar"',
    }
    expect(() => host.signIn.requireScopes({ auth }, 'calendar')).toThrow(expect.objectContaining({ headers }))
  })

  it('names the metadata at the address of the request, if the host has not set one', async () => {
    jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const host = await started({ baseUrl: undefined })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: 'profile' })
    await request(host.issuer()).get('/jwks').expect(200)
    const { access_token } = await host.connected({ scopes: 'profile' })
    const auth = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    const named = `resource_metadata="${host.url}/.well-known/oauth-protected-resource/v1/acme/mcp"`
    const headers = { 'WWW-Authenticate': expect.stringContaining(named) }
    expect(() => host.signIn.requireScopes({ auth }, 'calendar')).toThrow(expect.objectContaining({ headers }))
    jest.restoreAllMocks()
  })

  it('tells the host whom it has refused', async () => {
    const { call, events } = await hostWith()
    await call('profile', 403)
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'denied',
        where: 'requireScopes',
        reason: 'insufficient_scope',
        detail: { asked: ['profile'], accepted: ['calendar'] },
        status: 403,
        tenantKey: 'acme',
        tenantId: 'key:acme',
        clientId,
        subject: 'customer-1',
        grantId: expect.any(String),
      }),
    )
  })

  it.each<[what: string, req: object]>([
    ['no guard', {}],
    ['a guard of somebody else', { auth: { scopes: ['calendar'] } }],
    [
      'a session of somebody else',
      { auth: { scopes: ['calendar'], claims: {}, tenantKey: 'acme', resource: 'https://x' } },
    ],
    ['claims of somebody else', { auth: { scopes: ['calendar'], tenantKey: 'acme', resource: new URL('https://x') } }],
    [
      'scopes of somebody else',
      { auth: { scopes: 'calendar', claims: {}, tenantKey: 'acme', resource: new URL('https://x') } },
    ],
    ['a tenant of nobody', { auth: { scopes: ['calendar'], claims: {}, resource: new URL('https://x') } }],
    ['a name in place of its customer', { auth: 'customer-1' }],
  ])('refuses a request that has %s, as a fault of the host', async (_, req) => {
    const host = await started()
    expect(() => host.signIn.requireScopes(req, 'calendar')).toThrow(
      expect.objectContaining({ code: 'server_error', status: 500 }),
    )
    const [event] = await host.told('error')
    expect(event).toMatchObject({
      where: 'requireScopes',
      reason: 'misconfigured',
      error: expect.any(ConfigurationError),
    })
  })

  it.each([undefined, null, '', ' ', [], ['a b'], ['calendar', 'calendar'], 'offline_access', 1])(
    'requires nothing by mistake: %j',
    async (scopes) => {
      const { signIn } = await started()
      const required = () => signIn.requireScopes({ auth: {} }, scopes as string)
      expect(required).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
      if (scopes === 'offline_access') expect(required).toThrow('or omitted, but is "offline_access"')
    },
  )
})

describe('a challenge', () => {
  /** An API that is not behind `protectedResource`, but whose address is announced. */
  async function guarded(options: object = {}) {
    const { host, resource, metadata } = await hostWith()
    const answer = (_req: Request, res: Response) => res.json('done')
    const guard = host.signIn.requireAccessToken({ tenantKey: 'acme', ...options })
    host.app.get('/guarded', guard, answer)
    const call = (token?: string) => {
      const test = request(host.baseUrl).get('/guarded')
      return token === undefined ? test : test.set('Authorization', `Bearer ${token}`)
    }
    return { host, resource, metadata, call }
  }

  it('of requireAccessToken names the metadata of an API that is announced', async () => {
    const { call, metadata } = await guarded({ scopes: 'calendar' })
    expect(challengeOf(await call().expect(401))).toEqual({ scope: 'calendar', resource_metadata: metadata })
    const junk = challengeOf(await call('junk').expect(401))
    expect(junk).toMatchObject({ error: 'invalid_token', scope: 'calendar', resource_metadata: metadata })
  })

  it('of requireAccessToken names none for another resource', async () => {
    const { call } = await guarded({ resource: 'https://api.acme.example' })
    expect((await call().expect(401)).headers['www-authenticate']).toBe('Bearer')
  })

  it('never loses a scope that the token has', async () => {
    const { host, resource, call } = await guarded({ scopes: 'calendar' })
    const refused = await call(await host.token({ resource, scopes: 'mail profile offline_access' }))
    expectError(refused, 403, 'insufficient_scope')
    expect(challengeOf(refused).scope).toBe('mail profile calendar')
  })

  it('never loses one either when the grant of the token has ended', async () => {
    const { host, resource, call } = await guarded({ scopes: 'calendar', checkRevocation: true })
    const token = await host.token({ resource, scopes: 'mail calendar' })
    await call(token).expect(200)
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    expect(challengeOf(await call(token).expect(401)).scope).toBe('mail calendar')
  })

  it('never loses one either when the token has expired', async () => {
    const clock = stopClock()
    const { host, resource, call } = await guarded({ scopes: 'calendar' })
    const token = await host.token({ resource, scopes: 'mail calendar' })
    clock.advance(3601)
    expect(challengeOf(await call(token).expect(401)).scope).toBe('mail calendar')
  })

  it('is in the error of verifyAccessToken, for a host that answers by itself', async () => {
    const { host, resource, metadata } = await guarded()
    const token = await host.token({ resource, scopes: 'mail' })
    const refusal = await host.signIn
      .verifyAccessToken(token, { tenantKey: 'acme', resource, scopes: 'calendar' })
      .catch((error) => error)
    expect(refusal.headers['WWW-Authenticate']).toMatch(`scope="mail calendar", resource_metadata="${metadata}"`)
  })

  it('names no scope of a token for another API or company', async () => {
    const { host, call } = await guarded({ scopes: 'calendar' })
    const elsewhere = await host.token({ resource: host.issuer(), scopes: 'mail' })
    expect(challengeOf(await call(elsewhere).expect(401)).scope).toBe('calendar')
  })
})

describe('the metadata of an API', () => {
  it('lists first what every request needs, and then what some need, as far as the company offers it', async () => {
    const host = await ApiHost.start({ tenantStore })
    const announce = (path: string, options: object) => host.signIn.protectedResource({ path, ...options })
    announce('/v1/:tenantKey/both', { scopes: 'profile', scopesSupported: ['photos', 'calendar', 'profile'] })
    announce('/v1/:tenantKey/some', { scopesSupported: 'mail offline_access' })
    announce('/v1/:tenantKey/none', {})
    const listed = async (name: string) =>
      (await request(host.baseUrl).get(`/.well-known/oauth-protected-resource/v1/acme/${name}`)).body.scopes_supported
    expect(await listed('both')).toEqual(['profile', 'calendar'])
    expect(await listed('some')).toEqual(['mail'])
    expect(await listed('none')).toEqual(['profile', 'calendar', 'mail'])
  })

  it('does not require what it only lists, and grants it to a request that names no scope', async () => {
    const host = (await ApiHost.start({ tenantStore })).protect({ scopesSupported: ['mail'] })
    const resource = `${host.baseUrl}/v1/acme/mcp`
    const profile = await host.token({ resource, scopes: 'profile' })
    await request(resource).post('').set('Authorization', `Bearer ${profile}`).expect(200)
    const token = await host.token({ resource })
    expect((await host.signIn.verifyAccessToken(token, { tenantKey: 'acme', resource })).scopes).toEqual(['mail'])
  })
})
