import { randomBytes } from 'node:crypto'
import {
  ConfigurationError,
  type CustomerSignInEvent,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import express, { type Express } from 'express'
import request from 'supertest'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { consentForm } from '../../support/consent-form'
import { signingKey } from '../../support/sign-in'

const ada = { tenantKey: 'acme', subject: 'ada' }

describe('testSignIn', () => {
  it('has a company for every key, at an address that no port changes', async () => {
    const app = express().use(testSignIn())
    for (const tenantKey of ['acme', 'globex']) {
      const { body } = await request(app)
        .get(`/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`)
        .expect(200)
      expect(body.issuer).toBe(`https://app.test/v1/${tenantKey}/oauth`)
    }
  })

  it('takes the host’s own options, of which undefined ones are its defaults', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', name: 'Acme Air' }])
    const signIn = testSignIn({ tenantStore, baseUrl: undefined, tokenStore: undefined, keys: { signing: undefined } })
    const app = express().use(signIn)
    await request(app).get('/.well-known/oauth-authorization-server/v1/acme/oauth').expect(200)
    await request(app).get('/.well-known/oauth-authorization-server/v1/globex/oauth').expect(404)
  })

  it('keeps a token store of the host’s own, whose clock is its own', async () => {
    const tokenStore = new MemoryTokenStore()
    const signIn = testSignIn({ tokenStore })
    const tokens = await tokensFor(signIn, ada)
    expect(tokenStore.contents().grants).toMatchObject([{ grantId: tokens.grantId }])
    signIn.clock.advance(31 * 86_400)
    expect((await tokens.refresh()).expiresIn).toBe(3600)
    const { accessToken } = await tokensFor.expired(signIn, ada)
    await expect(signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })).rejects.toThrow('has expired')
  })

  it('shares a key with the others of the process, so that an app which is built again knows its tokens', async () => {
    const tokenStore = new MemoryTokenStore()
    const { accessToken, refreshToken, clientId } = await tokensFor(testSignIn({ tokenStore }), ada)
    const again = testSignIn({ tokenStore })
    await again.verifyAccessToken(accessToken, { tenantKey: 'acme', checkRevocation: true })
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
    await request(express().use(again)).post('/v1/acme/oauth/token').type('form').send(form).expect(200)
  })

  it('keeps a company’s own members and methods for the hooks of the host', async () => {
    class Company implements Tenant {
      key = 'acme'
      clients = [{ clientId: 'acme-app', redirectUris: ['https://acme.example/app'] }]
      get plan() {
        return `gold of ${this.key}`
      }
    }
    const company = new Company()
    const signIn = testSignIn({
      tenantStore: { findTenant: () => company },
      accessTokenClaims: ({ tenant }) => ({ plan: (tenant as Company).plan }),
    })
    const { accessToken } = await tokensFor(signIn, ada)
    expect((await signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })).claims).toMatchObject({
      plan: 'gold of acme',
    })
    expect(company.clients).toHaveLength(1)
  })

  it('keeps the events, and tells the host’s own onEvent of them', async () => {
    const told: CustomerSignInEvent[] = []
    const signIn = testSignIn({ onEvent: (event) => told.push(event) })
    await tokensFor(signIn, ada)
    expect(signIn.events).toMatchObject([{ type: 'issued', subject: 'ada' }])
    expect(told).toEqual(signIn.events)
  })

  it('warns of errors if the host has no onEvent, as in production', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation()
    const signIn = testSignIn({ tenantStore: { findTenant: () => Promise.reject(new Error('The database is away')) } })
    await request(express().use(signIn)).get('/v1/acme/oauth/jwks').expect(503)
    expect(warned.mock.calls).toEqual([[expect.stringContaining('The database is away'), expect.anything()]])
    expect(signIn.events).toMatchObject([{ type: 'error' }])
    warned.mockRestore()
  })

  it.each([
    ['a wrong option', { lifetimes: { accessToken: 7200 } }, 'lifetimes.accessToken must be'],
    ['an unknown option', { tenants: [] }, 'tenants is not an option'],
    ['a wrong tenant store', { tenantStore: {} }, 'tenantStore must be an object with the method findTenant'],
    ['a wrong onEvent', { onEvent: true }, 'onEvent must be a function'],
    [
      'a wrong replayTolerance',
      { replayTolerance: 61 },
      'testSignIn.replayTolerance must be a whole number of seconds',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => testSignIn(options as never)).toThrow(`customer-sign-in: ${message}`)
  })

  it('refuses to be called in production', () => {
    const { NODE_ENV } = process.env
    process.env.NODE_ENV = 'production'
    try {
      expect(() => testSignIn({ baseUrl: 'https://app.example' })).toThrow(ConfigurationError)
      expect(() => testSignIn()).toThrow('testSignIn must not be called in production (NODE_ENV)')
    } finally {
      process.env.NODE_ENV = NODE_ENV
    }
  })

  it('is what tokensFor takes, and nothing else is', async () => {
    const tokenStore = new MemoryTokenStore()
    const real = createCustomerSignIn({
      ...{ tenantStore: new MemoryTenantStore([]), tokenStore, baseUrl: 'https://app.example', onEvent: () => {} },
      keys: { signing: [signingKey] },
    })
    for (const call of [tokensFor, tokensFor.expired, tokensFor.revoked, tokensFor.ofAnotherTenant, tokensFor.forged]) {
      await expect(call(real as never, ada)).rejects.toThrow('tokensFor.signIn must be what testSignIn has returned')
    }
  })
})

describe('the clock of testSignIn', () => {
  const minute = 60
  const day = 86_400

  it('is that of the process until a test moves it', () => {
    const { clock } = testSignIn()
    const before = Date.now()
    expect(clock.now()).toBeGreaterThanOrEqual(before)
    expect(clock.now()).toBeLessThanOrEqual(Date.now())
    clock.advance(0.5)
    clock.advance(day)
    expect(clock.now()).toBeGreaterThanOrEqual(before + day * 1000 + 500)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '60'])('cannot be moved by %p', (seconds) => {
    const { clock } = testSignIn()
    expect(() => clock.advance(seconds as number)).toThrow('clock.advance must be a number of seconds')
    if (seconds === '60') expect(() => clock.advance(seconds as never)).toThrow('but is "60"')
  })

  it('moves for one sign-in alone', async () => {
    const [moved, other] = [testSignIn(), testSignIn()]
    const tokens = [await tokensFor(moved, ada), await tokensFor(other, ada)]
    moved.clock.advance(3600)
    const [expired, good] = tokens.map(({ accessToken }) => accessToken) as [string, string]
    await expect(moved.verifyAccessToken(expired, { tenantKey: 'acme' })).rejects.toThrow('has expired')
    await other.verifyAccessToken(good, { tenantKey: 'acme' })
  })

  it('is that of the assertions of clients', async () => {
    const [clientId, redirectUri] = ['acme-app', 'https://acme.example/app']
    const key = clientKey()
    const clients = [{ clientId, redirectUris: [redirectUri], jwks: { keys: [key.jwk] } }]
    const signIn = testSignIn({
      tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]),
      clients: { authentication: ['none', 'private_key_jwt'] },
    })
    const codeVerifier = randomBytes(32).toString('base64url')
    signIn.clock.advance(7200)
    const { code } = await signIn.issueAuthorizationCode({
      tenantKey: 'acme',
      clientId,
      redirectUri,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: 'ada',
    })
    const send = (seconds: number) => {
      const iat = Math.floor(seconds)
      const changes = { claims: { iat, exp: iat + 60 } }
      const assertion = assertionOf(key, clientId, 'https://app.test/v1/acme/oauth', changes)
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
      return request(express().use(signIn))
        .post('/v1/acme/oauth/token')
        .type('form')
        .send({ ...form, ...withAssertion(assertion) })
    }
    await send(Date.now() / 1000).expect(401)
    await send(signIn.clock.now() / 1000).expect(200)
  })

  it('lets access tokens, refresh tokens and grants expire', async () => {
    const signIn = testSignIn({
      lifetimes: { accessToken: 10 * minute, refreshToken: 2 * day, grant: 5 * day },
    })
    let tokens = await tokensFor(signIn, ada)
    const limits = () => signIn.events.flatMap((event) => (event.type === 'expired' ? event.limit : []))
    const check = () => signIn.verifyAccessToken(tokens.accessToken, { tenantKey: 'acme' })
    signIn.clock.advance(10 * minute - 5)
    await check()
    signIn.clock.advance(5)
    await expect(check()).rejects.toThrow('The access token has expired')

    signIn.clock.advance(day)
    tokens = await tokens.refresh()
    await check()
    // A refresh token knows its end to the second.
    signIn.clock.advance(2 * day + 1)
    await expect(tokens.refresh()).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(limits()).toEqual(['lifetimes.refreshToken'])

    tokens = await tokensFor(signIn, ada)
    for (let days = 0; days < 4; days++) {
      signIn.clock.advance(day)
      tokens = await tokens.refresh()
    }
    signIn.clock.advance(day + 1)
    await expect(tokens.refresh()).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(limits()).toEqual(['lifetimes.refreshToken', 'lifetimes.grant'])
    expect((await signIn.grants.list(ada)).grants).toEqual([])
  })

  it('gives its time to the events', async () => {
    const signIn = testSignIn()
    signIn.clock.advance(day)
    await tokensFor(signIn, ada)
    expect(signIn.events[0]?.at).toBeGreaterThan(Date.now() + (day - minute) * 1000)
  })

  it('lets a consent page expire', async () => {
    const signIn = testSignIn({ authenticate: () => ({ subject: 'ada' }) })
    const app = express().use(signIn)
    const { page, press } = await consentPage(app)
    expect((await press(page)).status).toBe(303)
    const another = await consentPage(app)
    signIn.clock.advance(10 * minute)
    expect((await another.press(another.page)).status).toBe(200)
  })

  it('signs a customer in with a client that registered itself', async () => {
    const signIn = testSignIn()
    const register = request(express().use(signIn)).post('/v1/acme/oauth/register')
    const { body } = await register.send({ redirect_uris: ['https://assistant.example/'] }).expect(201)
    signIn.clock.advance(365 * day)
    const tokens = await tokensFor(signIn, { ...ada, clientId: body.client_id })
    expect(await tokens.refresh()).toMatchObject({ clientId: body.client_id })
  })

  it('goes with the fake timers of a test runner', async () => {
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'] })
    try {
      const signIn = testSignIn()
      const tokens = await tokensFor(signIn, ada)
      jest.setSystemTime(Date.now() + 3600_000)
      await expect(signIn.verifyAccessToken(tokens.accessToken, { tenantKey: 'acme' })).rejects.toThrow('has expired')
      await signIn.verifyAccessToken((await tokens.refresh()).accessToken, { tenantKey: 'acme' })
    } finally {
      jest.useRealTimers()
    }
  })
})

/** A customer opens the consent page. */
async function consentPage(app: Express) {
  const query = {
    response_type: 'code',
    client_id: 'test-client',
    redirect_uri: 'https://client.test/callback',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  const path = '/v1/acme/oauth/authorize'
  const page = consentForm(await request(app).get(path).query(query).expect(200))
  const press = ({ token }: { token: string }) =>
    request(app)
      .post(path)
      .query(query)
      .type('form')
      .set('Origin', 'https://app.test')
      .send({ consent_token: token, decision: 'allow' })
  return { page, press }
}
