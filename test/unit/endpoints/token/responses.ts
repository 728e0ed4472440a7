import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { clientId, expectError, expectTokens } from '../../../support/sign-in'
import type { Start } from './start'

export function responses(start: Start): void {
  it('has every field of RFC 6749 section 5.1, and no cache keeps it', async () => {
    const host = await start()
    const tokens = expectTokens(await host.exchange(await host.asCustomer()))
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'profile calendar' })
    expect(expectTokens(await host.refresh(tokens.refresh_token))).toMatchObject({
      expires_in: 3600,
      scope: 'profile calendar',
    })
  })

  it('has a new refresh token each time, and the one before no longer works', async () => {
    const host = await start()
    const seen: string[] = []
    for (let { refresh_token } = await host.connected(); seen.length < 4; ) {
      seen.push(refresh_token)
      const next = expectTokens(await host.refresh(refresh_token))
      expect(seen).not.toContain(next.refresh_token)
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      refresh_token = next.refresh_token
    }
  })

  it('is the same with unknown parameters', async () => {
    const host = await start()
    const unknown = { client_secret: 'none', audience: 'x', 'a[b]': 'c' }
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), unknown))
    expectTokens(await host.refresh(refresh_token, unknown))
  })

  it('is the same with optional parameters that have no value', async () => {
    const host = await start()
    const { refresh_token } = await host.connected()
    expect(expectTokens(await host.refresh(refresh_token, { scope: '', resource: '' })).scope).toBe('profile calendar')
  })

  it('carries a JWT access token with the header and claims of RFC 9068', async () => {
    const host = await start()
    const before = Math.floor(Date.now() / 1000)
    const { access_token } = await host.connected()
    const jwks = await request(host.issuer()).get('/jwks')
    const token = decode(access_token, { complete: true })
    const claims = decode(access_token, { json: true })
    expect(token?.header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: jwks.body.keys[0].kid })
    expect(claims).toEqual({
      iss: host.issuer(),
      sub: 'customer-1',
      aud: host.issuer(),
      client_id: clientId,
      scope: 'profile calendar',
      jti: expect.stringMatching(/^[\w-]{16,}$/),
      iat: expect.any(Number),
      exp: (claims?.iat ?? 0) + 3600,
      grant_id: expect.stringMatching(/^[\w-]{28}$/),
      tenant_id: 'acme',
    })
    expect(claims?.iat).toBeGreaterThanOrEqual(before)
    expect(claims?.iat).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
  })

  it('carries a new access token of the same grant each time', async () => {
    const host = await start()
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    const [before, after] = [first, second].map(({ access_token }) => decode(access_token, { json: true }))
    expect(after?.jti).not.toBe(before?.jti)
    expect(after).toMatchObject({ grant_id: before?.grant_id, sub: 'customer-1' })
  })

  it('carries the claims of the authorization in every access token, and none of them replaces a claim of the server', async () => {
    const host = await start()
    const claims = { plan: { name: 'gold', seats: [1, 2] }, locale: 'de', sub: 'someone', aud: 'elsewhere', exp: 9e9 }
    const first = await host.connected({ claims })
    const second = expectTokens(await host.refresh(first.refresh_token))
    for (const { access_token } of [first, second]) {
      const info = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
      expect(info.claims).toMatchObject({ plan: claims.plan, locale: 'de', sub: 'customer-1', aud: host.issuer() })
      expect(info.expiresAt).toBeLessThan(9e9)
    }
  })

  it('carries the claims of the authorization as JSON writes them', async () => {
    const host = await start()
    const claims = { since: new Date(0), nickname: undefined, nbf: undefined, greet: () => 'hello' }
    const { access_token } = await host.connected({ claims })
    const carried = decode(access_token, { json: true })
    expect(carried?.since).toBe('1970-01-01T00:00:00.000Z')
    for (const name of ['nickname', 'nbf', 'greet']) expect(carried).not.toHaveProperty(name)
  })

  it.each<[string, Record<string, unknown>]>([
    ['an nbf that is no time', { nbf: 'now' }],
    ['a BigInt', { balance: 1n }],
  ])('cannot carry %s, so the authorization is refused', async (_, claims) => {
    const host = await start()
    await expect(host.asCustomer({ claims })).rejects.toMatchObject({ option: 'issueAuthorizationCode.claims' })
  })
}
