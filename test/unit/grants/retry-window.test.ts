import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, rejects } from '../../support/faulty-store'
import { recordOf, recordsOf } from '../../support/records'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

/** A customer who has refreshed once, with a stopped clock. */
async function refreshedOnce(options: TestOptions, tenantKey = 'acme') {
  const clock = stopClock()
  const host = await started(options)
  const first = await host.connected({ tenantKey })
  const refresh = (token: string, overrides = {}) => host.refresh(token, overrides, tenantKey)
  const second = expectTokens(await refresh(first.refresh_token))
  return { clock, host, refresh, first, second }
}

afterEach(releaseClock)

describe('refreshRetryWindow', () => {
  it('answers a repeated refresh with the same refresh token and a new access token', async () => {
    const { clock, host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 10 })
    clock.advance(9.999)
    const repeated = expectTokens(await refresh(first.refresh_token))
    expect(repeated.refresh_token).toBe(second.refresh_token)
    expect(repeated.access_token).not.toBe(second.access_token)
    for (const { access_token } of [second, repeated]) {
      await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
    }
    expectTokens(await refresh(repeated.refresh_token))
  })

  it('writes nothing, however often it is used', async () => {
    const { clock, host, refresh, first } = await refreshedOnce({ refreshRetryWindow: 60 })
    const before = await recordOf(host.tokenStore)
    for (let repeat = 0; repeat < 5; repeat++) {
      clock.advance(5)
      expectTokens(await refresh(first.refresh_token))
    }
    expect(await recordOf(host.tokenStore)).toEqual(before)
  })

  it('is reported as retried, and neither as refreshed nor as replayed', async () => {
    const { host, refresh, first } = await refreshedOnce({ refreshRetryWindow: 10 })
    const { grantId, resource } = await recordOf(host.tokenStore)
    await refresh(first.refresh_token)
    expect(await host.told('retried')).toEqual([
      {
        at: expect.any(Number),
        type: 'retried',
        scopes: ['profile', 'calendar'],
        resource,
        tenantKey: 'acme',
        tenantId: 'acme',
        grantId,
        clientId: 'assistant-app',
        subject: 'customer-1',
        credential: 'refresh_token',
        age: 0,
        successorUsed: false,
      },
    ])
    expect(await host.told('refreshed')).toHaveLength(1)
    expect(await host.told('replayed')).toEqual([])
  })

  it('gives parallel refreshes the same refresh token', async () => {
    const host = await started({ refreshRetryWindow: 10 })
    const { refresh_token } = await host.connected()
    const answers = await Promise.all(Array.from({ length: 50 }, () => host.refresh(refresh_token)))
    const successors = new Set(answers.map((answer) => expectTokens(answer).refresh_token))
    expect(successors.size).toBe(1)
    for (const successor of successors) expectTokens(await host.refresh(successor))
  })

  it('is over when its seconds have passed', async () => {
    const { clock, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 10, replayTolerance: 60 })
    clock.advance(10)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
    expectTokens(await refresh(second.refresh_token))
  })

  it('lets a replay end the grant once it is over', async () => {
    const { clock, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 10, replayTolerance: 0 })
    clock.advance(10)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await refresh(second.refresh_token), 400, 'invalid_grant')
  })

  it('answers with the token that is live now, however often the client has refreshed since', async () => {
    const { clock, host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 60 })
    const used = [first.refresh_token]
    let live = second
    for (let more = 0; more < 4; more++) {
      clock.advance(10)
      used.push(live.refresh_token)
      live = expectTokens(await refresh(live.refresh_token))
    }
    for (const refreshToken of used)
      expect(expectTokens(await refresh(refreshToken)).refresh_token).toBe(live.refresh_token)
    expect(await host.told('retried')).toMatchObject([
      { age: 40, successorUsed: true },
      { age: 30, successorUsed: true },
      { age: 20, successorUsed: true },
      { age: 10, successorUsed: true },
      { age: 0, successorUsed: false },
    ])
    expectTokens(await refresh(live.refresh_token))
  })

  it('begins for each refresh token at its own use', async () => {
    const { clock, host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 60, replayTolerance: 0 })
    clock.advance(30)
    const third = expectTokens(await refresh(second.refresh_token))
    clock.advance(30)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).toBe(third.refresh_token)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await refresh(third.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true, age: 60 }])
  })

  it('lasts up to 300 s longer than an access token', async () => {
    const { clock, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 3900, replayTolerance: 0 })
    clock.advance(3899.999)
    expect(expectTokens(await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
    clock.advance(0.001)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('is shorter at a company whose access tokens are', async () => {
    const tenant = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], accessTokenLifetime: 600 }
    const { clock, refresh, first, second } = await refreshedOnce({
      refreshRetryWindow: 3900,
      replayTolerance: 0,
      tenantStore: { findTenant: () => tenant },
    })
    clock.advance(899.999)
    expect(expectTokens(await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
    clock.advance(0.001)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('keeps a refresh token unchanged for its first ten seconds, and issues new access tokens', async () => {
    const { clock, host, refresh, second } = await refreshedOnce({ refreshRetryWindow: 60 })
    clock.advance(9.999)
    const same = expectTokens(await refresh(second.refresh_token))
    expect(same.refresh_token).toBe(second.refresh_token)
    expect(same.access_token).not.toBe(second.access_token)
    await host.signIn.verifyAccessToken(same.access_token, { tenantKey: 'acme', checkRevocation: true })
    clock.advance(0.001)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).not.toBe(second.refresh_token)
    expect((await host.told('refreshed')).map(({ rotated }) => rotated)).toEqual([true, false, true])
  })

  it('keeps a refresh token unchanged for a sixteenth of a long window', async () => {
    const { clock, refresh, second } = await refreshedOnce({ refreshRetryWindow: 3900 })
    clock.advance(243.749)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).toBe(second.refresh_token)
    clock.advance(0.001)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).not.toBe(second.refresh_token)
  })

  it('keeps a refresh token unchanged for at most half of its life, so that each refresh can extend the grant', async () => {
    const { clock, refresh, second } = await refreshedOnce({
      refreshRetryWindow: 3900,
      lifetimes: { refreshToken: 60 },
    })
    let live = second.refresh_token
    for (let minute = 0; minute < 5; minute++) {
      clock.advance(30)
      live = expectTokens(await refresh(live)).refresh_token
      clock.advance(29.999)
      expect(expectTokens(await refresh(live)).refresh_token).toBe(live)
    }
  })

  it.each([
    [300, 1],
    [3900, 13],
  ])('of %i s answers its oldest refresh token if the client refreshes every %i s', async (window, pause) => {
    const { clock, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: window, replayTolerance: 0 })
    let live = second.refresh_token
    for (let elapsed = pause; elapsed < window; elapsed += pause) {
      clock.advance(pause)
      live = expectTokens(await refresh(live)).refresh_token
    }
    clock.advance(pause - 1)
    expect(expectTokens(await refresh(first.refresh_token)).refresh_token).toBe(live)
    clock.advance(1)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('keeps a refresh token unchanged for no longer than the window', async () => {
    const { clock, refresh, second } = await refreshedOnce({ refreshRetryWindow: 3 })
    clock.advance(3)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).not.toBe(second.refresh_token)
  })

  it('keeps a new refresh token unchanged even if the store does not answer at first', async () => {
    const { store, next } = faultyStore()
    const { host, refresh, second } = await refreshedOnce({ refreshRetryWindow: 60, tokenStore: store })
    next('swapCredential', rejects)
    expect(expectTokens(await refresh(second.refresh_token)).refresh_token).toBe(second.refresh_token)
    expect(await host.told('error')).toEqual([])
  })

  it('signs nobody out in a burst whose slowest request arrives two refreshes late', async () => {
    const host = await started({ refreshRetryWindow: 60, replayTolerance: 0 })
    const { refresh_token: one } = await host.connected()
    const [a, b] = await Promise.all([host.refresh(one), host.refresh(one)])
    const two = expectTokens(a).refresh_token
    expect(expectTokens(b).refresh_token).toBe(two)
    const three = expectTokens(await host.refresh(two)).refresh_token
    expect(expectTokens(await host.refresh(one)).refresh_token).toBe(three)
    expectTokens(await host.refresh(three))
  })

  it('keeps the live token valid if the clock of the store is set back', async () => {
    const { host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 300 })
    jest.setSystemTime(Date.now() - 3600_000)
    expectTokens(await refresh(second.refresh_token))
    expect(await host.told('retried')).toEqual([])
    expectError(await refresh(first.refresh_token), 503, 'temporarily_unavailable')
  })

  it('is off unless the host turns it on', async () => {
    const { refresh, first } = await refreshedOnce({})
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('gives no tokens after the grant was revoked', async () => {
    const { host, refresh, first } = await refreshedOnce({ refreshRetryWindow: 60 })
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('does not make the grant live longer', async () => {
    const { clock, refresh, first } = await refreshedOnce({ refreshRetryWindow: 60, lifetimes: { refreshToken: 30 } })
    clock.advance(20)
    expect(expectTokens(await refresh(first.refresh_token)).expires_in).toBeLessThanOrEqual(10)
    clock.advance(10)
    expectError(await refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('still requires the resource that was granted', async () => {
    const { host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 10 }, 'globex')
    const before = await recordsOf(host.tokenStore, 'globex')
    const elsewhere = { resource: 'https://files.globex.example/' }
    expectError(await refresh(first.refresh_token, elsewhere), 400, 'invalid_target')
    expect(await recordsOf(host.tokenStore, 'globex')).toEqual(before)
    const granted = { resource: 'https://api.globex.example/mcp/' }
    expect(expectTokens(await refresh(first.refresh_token, granted)).refresh_token).toBe(second.refresh_token)
  })

  it('still grants exactly the scope that is asked for', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    const tenant = { key: 'acme', clients, scopes: ['profile', 'calendar'] }
    const { refresh, first } = await refreshedOnce({
      refreshRetryWindow: 10,
      tenantStore: { findTenant: () => tenant },
    })
    tenant.scopes.push('admin')
    expect(expectTokens(await refresh(first.refresh_token, { scope: 'profile admin' })).scope).toBe('profile')
    expectError(await refresh(first.refresh_token, { scope: 'admin' }), 400, 'invalid_scope')
    expect(expectTokens(await refresh(first.refresh_token, { scope: 'calendar' })).scope).toBe('calendar')
    expect(expectTokens(await refresh(first.refresh_token)).scope).toBe('profile calendar')
  })

  it('answers only the client that the refresh token was issued to', async () => {
    const { host, refresh, first, second } = await refreshedOnce({ refreshRetryWindow: 10 }, 'globex')
    const before = await recordsOf(host.tokenStore, 'globex')
    expectError(await refresh(first.refresh_token, { client_id: 'other-app' }), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore, 'globex')).toEqual(before)
    expectTokens(await refresh(second.refresh_token))
  })
})
