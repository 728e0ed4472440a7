import { randomBytes } from 'node:crypto'
import { MemoryTokenStore } from 'customer-sign-in'
import request, { type Response, type Test } from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer } from '../../support/document-server'
import { faultyStore, rejects } from '../../support/faulty-store'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import {
  clientId,
  expectError,
  expectTokens,
  type FormFields,
  formBody,
  type TestSignIn,
  type Tokens,
} from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

/** `POST I/revoke` of a token. */
function revoke(host: TestSignIn, token: string | undefined, fields: FormFields = {}, tenantKey = 'acme'): Test {
  const body = formBody({ client_id: clientId, token, ...fields })
  return request(host.url).post(`/v1/${tenantKey}/oauth/revoke`).type('form').send(body)
}

/** Fails unless the response is an empty 200, which every token gets. */
function expectNothingSaid({ status, body, headers }: Response): void {
  expect({ status, body }).toEqual({ status: 200, body: {} })
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
}

async function expectEnded(host: TestSignIn, { access_token, refresh_token }: Tokens): Promise<void> {
  expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  const check = host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
  await expect(check).rejects.toMatchObject({ code: 'invalid_token' })
}

async function expectAlive(host: TestSignIn, tokens: Tokens): Promise<void> {
  expectTokens(await host.refresh(tokens.refresh_token))
  expect(await host.told('revoked')).toEqual([])
}

afterEach(releaseClock)

describe('revocation ends the grant', () => {
  it.each(['refresh_token', 'access_token'] as const)('of its %s, and tells the host', async (kind) => {
    const host = await started()
    const tokens = await host.connected()
    const [grant] = await recordsOf(host.tokenStore)
    expectNothingSaid(await revoke(host, tokens[kind]))
    await expectEnded(host, tokens)
    const about = { tenantKey: 'acme', tenantId: 'acme', grantId: grant?.grantId, clientId, subject: 'customer-1' }
    expect(await host.told('revoked')).toMatchObject([{ type: 'revoked', reason: 'client', ...about }])
  })

  it('of an access token that has expired, because a client may not have needed it for a long time', async () => {
    const host = await started()
    const clock = stopClock()
    const tokens = await host.connected()
    clock.advance(3600)
    expectNothingSaid(await revoke(host, tokens.access_token))
    await expectEnded(host, tokens)
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client' }])
  })

  it('of a refresh token that has been used, because a client may have lost the newest', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const newest = expectTokens(await host.refresh(refresh_token))
    expectNothingSaid(await revoke(host, refresh_token))
    await expectEnded(host, newest)
  })

  it('of an access token from before a refresh', async () => {
    const host = await started()
    const first = await host.connected()
    const newest = expectTokens(await host.refresh(first.refresh_token))
    expectNothingSaid(await revoke(host, first.access_token))
    await expectEnded(host, newest)
  })

  it.each([
    ['the wrong hint', { token_type_hint: 'access_token' }],
    ['a hint that nobody knows', { token_type_hint: 'saml' }],
    ['parameters that nobody knows', { more: '1' }],
  ])('with %s', async (_, fields) => {
    const host = await started()
    const tokens = await host.connected()
    expectNothingSaid(await revoke(host, tokens.refresh_token, fields))
    await expectEnded(host, tokens)
  })

  it('of a client that names itself by HTTP Basic', async () => {
    const host = await started()
    const tokens = await host.connected()
    const response = await revoke(host, tokens.refresh_token, { client_id: undefined }).auth(clientId, '')
    expectNothingSaid(response)
    await expectEnded(host, tokens)
  })

  it('of a client that registered itself, and of one with a metadata document', async () => {
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    for (const client_id of [await registered(host), (await DocumentServer.start()).url()]) {
      const signedIn = await new Authorization(host, { client_id }).allowed()
      const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_id }))
      expectNothingSaid(await revoke(host, refresh_token, { client_id }))
      expectError(await host.refresh(refresh_token, { client_id }), 400, 'invalid_grant')
    }
  })

  it('and no other grant of the same customer and client', async () => {
    const host = await started()
    const [one, other] = [await host.connected(), await host.connected()]
    expectNothingSaid(await revoke(host, one.refresh_token))
    expectTokens(await host.refresh(other.refresh_token))
  })

  it('and sends no event if another process has ended it at the same time', async () => {
    const memory = new MemoryTokenStore()
    const tokenStore = wrapStore(memory, async ({ method, apply }) => {
      const result = await apply()
      return method === 'deleteGrant' ? false : result
    })
    const host = await started({ tokenStore })
    const tokens = await host.connected()
    expectNothingSaid(await revoke(host, tokens.refresh_token))
    await expectEnded(host, tokens)
    expect(await host.told('revoked')).toEqual([])
  })

  it('even if the store does not find it, as a lagging replica may not', async () => {
    const memory = new MemoryTokenStore()
    const tokenStore = wrapStore(memory, async ({ method, apply }) => (method === 'findGrant' ? undefined : apply()))
    const host = await started({ tokenStore })
    const tokens = await host.connected()
    expectNothingSaid(await revoke(host, tokens.refresh_token))
    await expectEnded(host, tokens)
  })

  it('once: a second revocation changes nothing and causes no event', async () => {
    const host = await started()
    const { refresh_token, access_token } = await host.connected()
    for (const token of [refresh_token, refresh_token, access_token]) expectNothingSaid(await revoke(host, token))
    expect(await host.told('revoked')).toHaveLength(1)
  })
})

describe('revocation gets the same response, and ends nothing,', () => {
  it.each(['refresh_token', 'access_token'] as const)('for the %s of another client', async (kind) => {
    const host = await started()
    const tokens = await host.connected()
    for (const client_id of ['other-app', 'nobody', await registered(host), 'https://assistant.example/client.json']) {
      expectNothingSaid(await revoke(host, tokens[kind], { client_id }))
    }
    await expectAlive(host, tokens)
  })

  it.each(['refresh_token', 'access_token'] as const)('for the %s of another tenant', async (kind) => {
    const host = await started()
    const tokens = await host.connected()
    expectNothingSaid(await revoke(host, tokens[kind], {}, 'globex'))
    await expectAlive(host, tokens)
  })

  it('for a refresh token that has expired', async () => {
    const host = await started({ lifetimes: { refreshToken: 60 } })
    const clock = stopClock()
    const { refresh_token } = await host.connected()
    clock.advance(60)
    expectNothingSaid(await revoke(host, refresh_token))
  })

  it('for a code, which can still be redeemed', async () => {
    const host = await started()
    const signedIn = await host.asCustomer()
    expectNothingSaid(await revoke(host, signedIn.code))
    expectTokens(await host.exchange(signedIn))
  })

  it.each<[what: string, forge: (tokens: Tokens) => string]>([
    ['a refresh token with another secret', ({ refresh_token }) => withBytes(refresh_token, 16, 32)],
    ['a refresh token with another proof', ({ refresh_token }) => withBytes(refresh_token, 16, 48)],
    ['a refresh token of another grant', ({ refresh_token }) => withBytes(refresh_token, 0, 16)],
    ['a refresh token that says it is a code', ({ refresh_token }) => refresh_token.replace('csir_', 'csic_')],
    ['a refresh token that is cut off', ({ refresh_token }) => refresh_token.slice(0, -1)],
    ['an access token with another signature', ({ access_token }) => `${access_token.slice(0, -6)}AAAAAA`],
    ['an access token without a signature', ({ access_token }) => access_token.replace(/[^.]*$/, '')],
    ['junk', () => 'junk'],
    ['a line break', () => '\r\n'],
    ['much junk', () => 'x'.repeat(10_000)],
  ])('for %s', async (_, forge) => {
    const host = await started()
    const tokens = await host.connected()
    expectNothingSaid(await revoke(host, forge(tokens)))
    await expectAlive(host, tokens)
  })

  function withBytes(token: string, from: number, to: number): string {
    const bytes = Buffer.from(token.slice(5), 'base64url')
    randomBytes(to - from).copy(bytes, from)
    return token.slice(0, 5) + bytes.toString('base64url')
  }
})

describe('revocation is refused', () => {
  it.each<[what: string, token: string | undefined, fields: FormFields, named: RegExp]>([
    ['without a token', undefined, {}, /token/],
    ['with an empty one', '', {}, /token/],
    ['with two', 'a', { token: ['a', 'b'] }, /token/],
    ['without a client', 'a', { client_id: undefined }, /client_id/],
    ['with two', 'a', { client_id: [clientId, clientId] }, /client_id/],
    ['with a client id that none can have', 'a', { client_id: 'ä' }, /client_id/],
  ])('%s', async (_, token, fields, named) => {
    const response = await revoke(await started(), token, fields)
    expect(expectError(response, 400, 'invalid_request')).toMatch(named)
  })

  it.each([{}, { client_secret: 'a secret' }])('for a client that there is not, with %j', async (fields) => {
    const host = await started({ clients: { authentication: ['client_secret_post'] } })
    const response = await revoke(host, 'a', { client_id: 'nobody', ...fields })
    expectError(response, 401, 'invalid_client')
  })

  it('by another method, at an unknown tenant, as another type, and from 16 KiB on', async () => {
    const host = await started()
    const byGet = await request(host.issuer()).get('/revoke?token=a')
    expectError(byGet, 405, 'method_not_allowed')
    expect(byGet.headers.allow).toBe('POST, OPTIONS')
    expectError(await revoke(host, 'a', {}, 'nobody'), 404, 'not_found')
    expectError(await request(host.issuer()).post('/revoke').send({ token: 'a' }), 400, 'invalid_request')
    expectError(await revoke(host, 'x'.repeat(16_384)), 413, 'invalid_request')
  })

  it.each([
    ['findGrant', 'refresh_token'],
    ['deleteGrant', 'refresh_token'],
    ['findGrant', 'access_token'],
    ['deleteGrant', 'access_token'],
  ] as const)('with 503 while the store fails in %s, for the %s', async (method, kind) => {
    const { store, next } = faultyStore()
    const host = await started({ tokenStore: store })
    const tokens = await host.connected()
    next(method, rejects)
    expectError(await revoke(host, tokens[kind]), 503, 'temporarily_unavailable')
    expectNothingSaid(await revoke(host, tokens[kind]))
    await expectEnded(host, tokens)
  })

  it('if the host revokes elsewhere, and the metadata names that address', async () => {
    const revocation = 'https://host.example/revoke'
    const host = await started({ externalEndpoints: { revocation } })
    await revoke(host, 'a').expect(404)
    const { body } = await request(host.issuer()).get('/.well-known/oauth-authorization-server')
    expect(body.revocation_endpoint).toBe(revocation)
  })
})
