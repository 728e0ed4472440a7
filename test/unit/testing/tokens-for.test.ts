import { MemoryTenantStore, OAuthError } from 'customer-sign-in'
import { type SignInForTests, type TestTokens, testSignIn, tokensFor } from 'customer-sign-in/testing'
import express, { type ErrorRequestHandler, type Express } from 'express'
import request, { type Test } from 'supertest'
import { readToken } from '../../support/forged-token'

const ada = { tenantKey: 'acme', subject: 'ada' }
const scopes = ['profile', 'bookings']
const path = '/v1/:tenantKey/bookings'

function appOf(signIn: SignInForTests, guard: { checkRevocation?: boolean } = { checkRevocation: true }): Express {
  const app = express()
  app.use(signIn)
  app.get(path, signIn.protectedResource({ path, scopes: 'bookings', ...guard }), (req, res) => {
    res.json(signIn.auth(req))
  })
  return app
}

function get(app: Express, { accessToken }: TestTokens, tenantKey = 'acme'): Test {
  return request(app).get(`/v1/${tenantKey}/bookings`).auth(accessToken, { type: 'bearer' })
}

async function expectRefusal(test: Test, status: number, description: string): Promise<void> {
  const { headers } = await test.expect(status)
  expect(headers['www-authenticate']).toContain(`error_description="${description}"`)
}

describe('tokensFor', () => {
  const signIn = testSignIn({ scopes })
  const app = appOf(signIn)

  it('gives an access token that opens a guarded route, for what the customer has allowed', async () => {
    const tokens = await tokensFor(signIn, { ...ada, scopes: 'bookings' })
    expect(tokens).toMatchObject({ expiresIn: 3600, scopes: ['bookings'], clientId: 'test-client' })
    const { body } = await get(app, tokens).expect(200)
    expect(body).toMatchObject({ ...ada, scopes: ['bookings'], grantId: tokens.grantId, clientId: 'test-client' })
  })

  it.each([
    ['expired', 'The access token has expired'],
    ['revoked', 'The access token has been revoked'],
    ['ofAnotherTenant', 'The access token is not for this tenant'],
    ['forged', 'This server did not issue the access token'],
  ] as const)('gives one that is %s, which no guarded route accepts', async (fault, description) => {
    await expectRefusal(get(app, await tokensFor[fault](signIn, ada)), 401, description)
  })

  it('gives all of them at once', async () => {
    const [good, expired, another, revoked, forged] = await Promise.all([
      tokensFor(signIn, ada),
      tokensFor.expired(signIn, ada),
      tokensFor.ofAnotherTenant(signIn, ada),
      tokensFor.revoked(signIn, ada),
      tokensFor.forged(signIn, ada),
    ])
    await get(app, good).expect(200)
    for (const tokens of [expired, another, revoked, forged]) await get(app, tokens).expect(401)
  })

  it.each([false, true])('gives the headers of a request, with a proof if the token is bound: %s', async (dpop) => {
    const { accessToken, headersFor } = await tokensFor(signIn, { ...ada, dpop })
    const { origin } = new URL(String(readToken(accessToken).payload.aud))
    const headers = headersFor('GET', `${origin}/v1/acme/bookings`)
    expect(Object.keys(headers)).toEqual(dpop ? ['authorization', 'dpop'] : ['authorization'])
    await request(app).get('/v1/acme/bookings').set(headers).expect(200)
  })

  it('gives one that is expired and otherwise as it was, whose refresh token is good', async () => {
    const expired = await tokensFor.expired(signIn, ada)
    const good = await tokensFor(signIn, ada)
    const { iat, exp, jti, grant_id, ...same } = readToken(expired.accessToken).payload
    expect(readToken(good.accessToken).payload).toMatchObject(same)
    expect(Number(exp) - Number(iat)).toBe(3600)
    await get(app, await expired.refresh()).expect(200)
  })

  it('gives one that is forged and says the same as a good one, under the same kid', async () => {
    const [good, forged] = [await tokensFor(signIn, ada), await tokensFor.forged(signIn, ada)]
    const [one, other] = [readToken(good.accessToken), readToken(forged.accessToken)]
    expect(other.header).toEqual(one.header)
    expect(Object.keys(other.payload)).toEqual(Object.keys(one.payload))
  })

  it('gives one of another company that is good there', async () => {
    const tokens = await tokensFor.ofAnotherTenant(signIn, { ...ada, scopes: 'bookings' })
    await get(app, tokens, 'another-acme').expect(200)
    await get(app, await tokens.refresh(), 'another-acme').expect(200)
  })

  it('gives one that was revoked and that a guard without checkRevocation accepts until it expires', async () => {
    const own = testSignIn({ scopes })
    const lenient = appOf(own, {})
    const revoked = await tokensFor.revoked(own, ada)
    await get(lenient, revoked).expect(200)
    own.clock.advance(revoked.expiresIn)
    await expectRefusal(get(lenient, revoked), 401, 'The access token has expired')
  })

  it('gives no scopes of a company that offers none', async () => {
    const own = testSignIn({ tenantStore: new MemoryTenantStore([{ key: 'acme', scopes: [] }]) })
    expect((await tokensFor(own, ada)).scopes).toEqual([])
  })

  it('fails with the company’s store, also where it looks for the API of the company', async () => {
    let calls = 0
    const findTenant = (key: string) => {
      if (++calls === 2) throw new Error('The store is out of reach')
      return { key }
    }
    await expect(tokensFor(testSignIn({ tenantStore: { findTenant } }), ada)).rejects.toThrow('temporarily_unavailable')
    expect(calls).toBe(2)
  })

  it('gives one with too few scopes', async () => {
    const tokens = await tokensFor(signIn, { ...ada, scopes: ['profile'] })
    await expectRefusal(get(app, tokens), 403, 'The access token must have the scope bookings')
  })

  it('gives what a first sign-in gets, so that a step-up is needed as in production', async () => {
    const own = testSignIn({ scopes })
    const app = express().use(own)
    app.get(path, own.protectedResource({ path, scopes: 'profile', scopesSupported: 'bookings' }), (req, res) => {
      own.requireScopes(req, 'bookings')
      res.json({})
    })
    const answerRefusal: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).json(error)
    app.use(answerRefusal)
    const first = await tokensFor(own, ada)
    expect(first.scopes).toEqual(['profile'])
    await get(app, first).expect(403)
    await get(app, await tokensFor(own, { ...ada, scopes: 'profile bookings' })).expect(200)
  })

  it('gives all scopes of a company that has no API', async () => {
    expect((await tokensFor(testSignIn({ scopes }), ada)).scopes).toEqual(scopes)
  })

  it('gives one with claims, and for another API', async () => {
    const [first, resource] = ['https://app.test/v1/acme/bookings', 'https://files.acme.example/']
    const tenantStore = new MemoryTenantStore([{ key: 'acme', resources: [first, resource] }])
    const own = testSignIn({ scopes, tenantStore })
    const tokens = await tokensFor(own, { ...ada, resource, claims: { plan: 'gold' } })
    const { claims } = await own.verifyAccessToken(tokens.accessToken, { tenantKey: 'acme', resource })
    expect(claims).toMatchObject({ aud: resource, plan: 'gold' })
    await expectRefusal(get(appOf(own), tokens), 401, 'The access token is not for this resource')
  })

  it('stores a grant, which the host’s own calls know', async () => {
    const { grantId } = await tokensFor(signIn, { tenantKey: 'globex', subject: 'grace', scopes: 'profile' })
    expect((await signIn.grants.list({ tenantKey: 'globex', subject: 'grace' })).grants).toMatchObject([
      { grantId, clientName: 'Test client', scopes: ['profile'] },
    ])
    expect(await signIn.grants.revokeAll({ tenantKey: 'globex', subject: 'grace' })).toBe(1)
  })

  it('goes through the token endpoint, with its events', async () => {
    const own = testSignIn()
    const tokens = await tokensFor(own, ada)
    await tokens.refresh()
    expect(own.events).toMatchObject([
      { type: 'issued', ...ada, grantId: tokens.grantId },
      { type: 'refreshed', ...ada, grantId: tokens.grantId },
    ])
  })
})

describe('the tokens of a test', () => {
  const onDomains = new MemoryTenantStore([{ key: 'acme', baseUrl: 'https://assistant.acme.example' }])

  it('are refreshed as a client does it', async () => {
    const signIn = testSignIn({ scopes })
    const app = appOf(signIn)
    const first = await tokensFor(signIn, ada)
    signIn.clock.advance(first.expiresIn)
    await get(app, first).expect(401)
    const second = await first.refresh()
    await get(app, second).expect(200)
    expect(second.grantId).toBe(first.grantId)

    signIn.clock.advance(60)
    await expect(first.refresh()).rejects.toMatchObject({ code: 'invalid_grant', status: 400 })
    expect(signIn.events.map(({ type }) => type)).toContain('replayed')
    await expectRefusal(get(app, second), 401, 'The access token has been revoked')
  })

  it('are of a client of the company’s own', async () => {
    const clients = [
      { clientId: 'acme-app', redirectUris: ['https://acme.example/app'], grantTypes: ['authorization_code'] },
    ]
    const signIn = testSignIn({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
    const tokens = await tokensFor(signIn, { ...ada, clientId: 'acme-app' })
    expect(readToken(tokens.accessToken).payload).toMatchObject({ client_id: 'acme-app' })
    expect(tokens.refreshToken).toBe('')
  })

  it('are of a client that has registered itself', async () => {
    const signIn = testSignIn({ refreshRetryWindow: 1 })
    const registration = await request(express().use(signIn))
      .post('/v1/acme/oauth/register')
      .send({ redirect_uris: ['https://assistant.example/callback'] })
      .expect(201)
    const { client_id: clientId } = registration.body
    const tokens = await tokensFor(signIn, { ...ada, clientId })
    expect((await tokens.refresh()).clientId).toBe(clientId)
  })

  it.each([
    ['the company has a domain of its own', { tenantStore: onDomains }, 'https://assistant.acme.example'],
    ['the base URL has a path', { baseUrl: 'https://host.example/auth/' }, 'https://host.example/auth/v1/acme/oauth'],
    ['the app listens at a port', { baseUrl: 'http://127.0.0.1:4711' }, 'http://127.0.0.1:4711/v1/acme/oauth'],
  ])('are issued and refreshed where %s', async (_, options, issuer) => {
    const signIn = testSignIn(options)
    const tokens = await (await tokensFor(signIn, ada)).refresh()
    const check = { tenantKey: 'acme', checkRevocation: true }
    expect(await signIn.verifyAccessToken(tokens.accessToken, check)).toMatchObject({ subject: 'ada' })
    expect(readToken(tokens.accessToken).payload).toMatchObject({ iss: issuer })
    await expect(
      signIn.verifyAccessToken((await tokensFor.ofAnotherTenant(signIn, ada)).accessToken, check),
    ).rejects.toMatchObject({ code: 'invalid_token' })
  })
})

describe('tokensFor rejects', () => {
  it('with the refusal of the host’s own hook', async () => {
    const accessTokenClaims = () => {
      throw new OAuthError('invalid_grant', 'The customer has been deactivated')
    }
    const tokens = tokensFor(testSignIn({ accessTokenClaims }), ada)
    await expect(tokens).rejects.toBeInstanceOf(OAuthError)
    await expect(tokens).rejects.toMatchObject({
      code: 'invalid_grant',
      description: 'The customer has been deactivated',
    })
  })

  it.each([
    ['a scope that there is not', { scopes: 'profile bookings' }, 'invalid_scope'],
    ['an API that there is not', { resource: 'https://other.example/' }, 'invalid_target'],
    ['a client that there is not', { clientId: 'stranger' }, 'invalid_client'],
    ['a company that there is not', { tenantKey: 'initech' }, 'not_found'],
  ])('for %s', async (_, wrong, code) => {
    const signIn = testSignIn({ tenantStore: new MemoryTenantStore([{ key: 'acme' }]) })
    await expect(tokensFor(signIn, { ...ada, ...wrong })).rejects.toMatchObject({ code })
    if (code === 'not_found') {
      await expect(tokensFor.ofAnotherTenant(signIn, { ...ada, ...wrong })).rejects.toMatchObject({ code })
    }
  })

  it.each([
    [
      'a misspelt member',
      { ...ada, scope: 'profile' },
      'tokensFor.scope is not a member of tokensFor. Did you mean scopes?',
    ],
    ['no customer', { tenantKey: 'acme' }, 'tokensFor.subject is missing'],
    ['nothing', undefined, 'tokensFor is missing: it must be an object'],
  ])('for %s, and says so', async (_, wrong, message) => {
    const signIn = testSignIn()
    for (const call of [tokensFor, tokensFor.expired, tokensFor.revoked, tokensFor.ofAnotherTenant, tokensFor.forged]) {
      await expect(call(signIn, wrong as never)).rejects.toThrow(message)
    }
  })
})
