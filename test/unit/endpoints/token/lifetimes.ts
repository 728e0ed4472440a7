import { decode } from 'jsonwebtoken'
import { releaseClock, stopClock } from '../../../support/clock'
import { clientId, expectError, expectTokens, redirectUri } from '../../../support/sign-in'
import type { Start } from './start'

const day = 86_400

export function lifetimes(start: Start): void {
  afterEach(releaseClock)

  /** A host at which one company has its own lifetimes. */
  function startWithOwnLifetimes(start: Start) {
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    const own = { accessTokenLifetime: 120, refreshTokenLifetime: 600 }
    return start({
      tenantStore: { findTenant: (key) => (key === 'initech' ? { key, clients, ...own } : { key, clients }) },
      lifetimes: { accessToken: 300, refreshToken: 3600 },
    })
  }

  it('of an access token is 60 minutes, to the second', async () => {
    const clock = stopClock()
    const host = await start()
    const { access_token, expires_in } = await host.connected()
    expect(expires_in).toBe(3600)
    clock.advance(3599)
    await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    clock.advance(1)
    await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
      description: 'The access token has expired',
    })
  })

  it('of an access token can be shorter, and is what expires_in says', async () => {
    stopClock()
    const host = await startWithOwnLifetimes(start)
    for (const [tenantKey, lifetime] of [
      ['acme', 300],
      ['initech', 120],
    ] as const) {
      const { access_token, expires_in } = await host.connected({ tenantKey })
      const { iat = 0, exp } = decode(access_token, { json: true }) ?? {}
      expect([expires_in, exp]).toEqual([lifetime, iat + lifetime])
    }
  })

  it.each([
    ['30 days', {}, 30 * day],
    ['what lifetimes.refreshToken says', { lifetimes: { refreshToken: 90 } }, 90],
  ])('of a refresh token is %s, and begins again with each refresh', async (_, options, lifetime) => {
    const clock = stopClock()
    const host = await start(options)
    let tokens = await host.connected()
    for (let refresh = 0; refresh < 3; refresh++) {
      clock.advance(lifetime - 0.001)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
    }
    clock.advance(lifetime)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('of a refresh token is what refresh_token_expires_in says, also of a repeat, and never more than is left of the grant', async () => {
    const clock = stopClock()
    const host = await start({ refreshRetryWindow: 300, lifetimes: { refreshToken: 1000, grant: 1500 } })
    const first = await host.connected()
    clock.advance(600)
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(100)
    const repeat = expectTokens(await host.refresh(first.refresh_token))
    for (const [{ refresh_token_expires_in: told }, left] of [
      [first, 1000],
      [second, 900],
      [repeat, 800],
    ] as const) {
      expect(told).toBeLessThanOrEqual(left)
      expect(told).toBeGreaterThan(left - 2)
    }
    clock.advance(repeat.refresh_token_expires_in - 2)
    expectTokens(await host.refresh(repeat.refresh_token))
  })

  it('of a refresh token can be shorter for one company', async () => {
    const clock = stopClock()
    const host = await startWithOwnLifetimes(start)
    const acme = await host.connected({ tenantKey: 'acme' })
    const initech = await host.connected({ tenantKey: 'initech' })
    clock.advance(600)
    expectError(await host.refresh(initech.refresh_token, {}, 'initech'), 400, 'invalid_grant')
    expectTokens(await host.refresh(acme.refresh_token, {}, 'acme'))
  })

  it.each([
    ['60 seconds', {}, 60],
    ['what lifetimes.authorizationCode says', { lifetimes: { authorizationCode: 600 } }, 600],
  ])('of a code is %s', async (_, options, lifetime) => {
    const clock = stopClock()
    const host = await start(options)
    const [inTime, tooLate] = [await host.asCustomer(), await host.asCustomer()]
    clock.advance(lifetime - 0.001)
    expectTokens(await host.exchange(inTime))
    clock.advance(0.001)
    expectError(await host.exchange(tooLate), 400, 'invalid_grant')
  })

  it('of a grant ends the grant, however often it is refreshed', async () => {
    const clock = stopClock()
    const host = await start({ lifetimes: { grant: 7 * day } })
    let tokens = await host.connected()
    for (let refresh = 0; refresh < 6; refresh++) {
      clock.advance(day)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
    }
    clock.advance(day)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it.each([
    [1.001, 1],
    [1, 1],
  ])('of an access token is a second if %s s of its grant are left', async (left, lifetime) => {
    const clock = stopClock()
    const host = await start({ lifetimes: { grant: 100, authorizationCode: 600 } })
    const [signedIn, { refresh_token }] = [await host.asCustomer(), await host.connected()]
    clock.advance(100 - left)
    for (const answer of [await host.exchange(signedIn), await host.refresh(refresh_token)]) {
      const { access_token, expires_in } = expectTokens(answer)
      expect(expires_in).toBe(lifetime)
      await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    }
  })

  it.each(['code', 'refresh_token'] as const)('of a grant is over for a %s in its last second', async (credential) => {
    const clock = stopClock()
    const host = await start({ lifetimes: { grant: 100, authorizationCode: 600 } })
    const [signedIn, { refresh_token }] = [await host.asCustomer(), await host.connected()]
    const end = clock.now() + 100_000
    clock.advance(99.001)
    const late = credential === 'code' ? host.exchange(signedIn) : host.refresh(refresh_token)
    expectError(await late, 400, 'invalid_grant')
    expect(await host.told('expired')).toMatchObject([{ credential, limit: 'lifetimes.grant', expiredAt: end }])
    expect(await host.told('denied')).toMatchObject([{ reason: 'expired', clientId }])
  })

  it('of an access token is never longer than its grant', async () => {
    const clock = stopClock()
    const host = await start({ lifetimes: { grant: 600 } })
    const first = await host.connected()
    expect(first.expires_in).toBeLessThanOrEqual(600)
    expect(first.expires_in).toBeGreaterThan(598)
    clock.advance(500)
    const { expires_in } = expectTokens(await host.refresh(first.refresh_token))
    expect(expires_in).toBeLessThanOrEqual(100)
  })

  it('that is made shorter applies from the next refresh on', async () => {
    const clock = stopClock()
    const tenant = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], refreshTokenLifetime: 30 * day }
    const host = await start({ tenantStore: { findTenant: () => tenant } })
    const first = await host.connected()
    tenant.refreshTokenLifetime = day
    clock.advance(2 * day)
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(day)
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
  })
}
