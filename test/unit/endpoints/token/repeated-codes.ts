import { randomUUID } from 'node:crypto'
import { MemoryTenantStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../../support/clock'
import { takenApart } from '../../../support/credential-text'
import { faultyStore, losesItsAnswer, rejects } from '../../../support/faulty-store'
import { recordOf, recordsOf } from '../../../support/records'
import { clientId, expectError, expectTokens, redirectUri } from '../../../support/sign-in'
import type { TestOptions } from '../../../support/test-options'
import type { CreateTokenStore, Start } from './start'

/** A code that a client presents again, because it has received no tokens for it. */
export function repeatedCodes(start: Start, createTokenStore: CreateTokenStore): void {
  afterEach(releaseClock)

  /** A client that has redeemed its code. All clocks are stopped. */
  async function redeemedOnce(options: TestOptions = {}, tenantKey = 'acme') {
    const clock = stopClock()
    const host = await start({ refreshRetryWindow: 300, ...options })
    const subject = randomUUID()
    const signedIn = await host.asCustomer({ tenantKey, subject })
    const first = expectTokens(await host.exchange(signedIn))
    const record = () => recordOf(host.tokenStore, tenantKey, subject)
    return { clock, host, first, record, again: (overrides = {}) => host.exchange(signedIn, overrides) }
  }

  /** A process that has redeemed a code without knowing it, and cannot reverse that yet, and another process over the same store. */
  async function unanswered(options: TestOptions = {}) {
    const clock = stopClock()
    const faultsHere = faultyStore(await createTokenStore())
    const faultsThere = faultyStore(faultsHere.healthy)
    const shared = { baseUrl: 'https://assistant.example', refreshRetryWindow: 300, ...options }
    const here = await start({ ...shared, tokenStore: faultsHere.store })
    const there = await start({ ...shared, tokenStore: faultsThere.store })
    const subject = randomUUID()
    await here.connected({ subject })
    clock.advance(60)
    const signedIn = await here.asCustomer({ subject })
    faultsHere.always('reverseSwap', rejects)
    faultsHere.next('swapCredential', losesItsAnswer, rejects)
    expectError(await here.exchange(signedIn), 503, 'temporarily_unavailable')
    /** Waits until the first process has asked the store to reverse what it has redeemed. */
    const reversal = async () => {
      clock.advance(6)
      faultsHere.recover()
      await new Promise<void>((resolve) =>
        faultsHere.next('reverseSwap', async (apply) => {
          const result = await apply()
          setImmediate(resolve)
          return result
        }),
      )
    }
    const records = () => recordsOf(faultsHere.healthy, 'acme', subject)
    return { clock, here, there, signedIn, faultsThere, records, reversal }
  }

  it('within ten seconds gets the same refresh token and a new access token', async () => {
    const { clock, host, first, again } = await redeemedOnce()
    for (const seconds of [5, 4.999]) {
      clock.advance(seconds)
      const repeated = expectTokens(await again())
      expect(repeated.refresh_token).toBe(first.refresh_token)
      expect(repeated.access_token).not.toBe(first.access_token)
      for (const { access_token } of [first, repeated])
        await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
    }
    clock.advance(3600)
    expectTokens(await host.refresh(first.refresh_token))
  })

  it('is reported as retried, and its grant as issued once', async () => {
    const { clock, host, again } = await redeemedOnce()
    clock.advance(3)
    expectTokens(await again())
    expect(await host.told('issued')).toHaveLength(1)
    expect(await host.told('retried')).toMatchObject([{ credential: 'code', age: 3, successorUsed: false }])
    expect(await host.told('replayed')).toEqual([])
  })

  it.each([
    ['ten seconds', 10, 300],
    ['a shorter window', 5, 5],
  ])('after %s is a replay, which ends the grant', async (_, seconds, refreshRetryWindow) => {
    const { clock, host, first, again } = await redeemedOnce({ refreshRetryWindow, replayTolerance: 0 })
    clock.advance(seconds - 0.001)
    expectTokens(await again())
    clock.advance(0.001)
    expectError(await again(), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ credential: 'code', ended: true, age: seconds }])
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
  })

  it('is refused without refreshRetryWindow', async () => {
    const { host, again } = await redeemedOnce({ refreshRetryWindow: 0 })
    expectError(await again(), 400, 'invalid_grant')
    expect(await host.told('retried')).toEqual([])
  })

  it('is refused once the first refresh token has been used', async () => {
    const { clock, host, first, again } = await redeemedOnce()
    const second = expectTokens(await host.refresh(first.refresh_token))
    expectError(await again(), 400, 'invalid_grant')
    expectTokens(await host.refresh(second.refresh_token))
    clock.advance(10)
    expectError(await again(), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: false }, { ended: true }])
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
  })

  it.each([
    ['code_verifier', 'x'.repeat(43), 'invalid_grant'],
    ['redirect_uri', 'https://elsewhere.example/callback', 'invalid_grant'],
    ['client_id', 'other-app', 'invalid_grant'],
    ['resource', 'https://files.globex.example/', 'invalid_target'],
  ])('with another %s gets nothing, and nothing is written', async (name, value, error) => {
    const { again, record } = await redeemedOnce({}, 'globex')
    const before = await record()
    expectError(await again({ [name]: value }), 400, error)
    expect(await record()).toEqual(before)
  })

  it('gets another access token alone, if its client may not refresh', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], grantTypes: ['authorization_code'] }]
    const clock = stopClock()
    const tenantStore = new MemoryTenantStore([{ key: 'acme', clients }])
    const host = await start({ refreshRetryWindow: 300, lifetimes: { accessToken: 60 }, tenantStore })
    const signedIn = await host.asCustomer()
    for (const [pause, expires_in] of [
      [0, 60],
      [5, 55],
    ] as const) {
      clock.advance(pause)
      const { status, body } = await host.exchange(signedIn)
      expect([status, body.expires_in]).toEqual([200, expires_in])
      expect(body).not.toHaveProperty('refresh_token')
      await host.signIn.verifyAccessToken(body.access_token, { tenantKey: 'acme', checkRevocation: true })
    }
  })

  it('gets the same refresh token in each of 50 requests at once', async () => {
    const host = await start({ refreshRetryWindow: 300 })
    const signedIn = await host.asCustomer()
    const answers = await Promise.all(Array.from({ length: 50 }, () => host.exchange(signedIn)))
    const tokens = answers.map((answer) => expectTokens(answer).refresh_token)
    // The time in it, at which it expires, may differ by a second.
    expect(new Set(tokens.map((token) => takenApart(token).secret.toString('hex'))).size).toBe(1)
    expect(await host.told('issued')).toHaveLength(1)
    expectTokens(await host.refresh(tokens[7] ?? ''))
  })

  it('gets tokens that last from another process than the one that answered 503', async () => {
    const { clock, there, signedIn, reversal } = await unanswered()
    const tokens = expectTokens(await there.exchange(signedIn))
    await reversal()
    clock.advance(3600)
    expectTokens(await there.refresh(tokens.refresh_token))
    expect(await there.told('refreshed')).toMatchObject([{ recovered: false }])
  })

  it('is redeemed anew if the process that answered 503 reverses its redemption at this moment', async () => {
    const { clock, there, signedIn, faultsThere, reversal } = await unanswered()
    const untouched = (apply: () => Promise<unknown>) => apply()
    faultsThere.next('swapCredential', untouched, async (apply) => {
      await reversal()
      return apply()
    })
    const tokens = expectTokens(await there.exchange(signedIn))
    expect(await there.told('issued')).toHaveLength(1)
    expect(await there.told('retried')).toEqual([])
    clock.advance(3600)
    expectTokens(await there.refresh(tokens.refresh_token))
  })

  it.each([1, 2])('can be presented once more if the store’s answer is lost %s times', async (times) => {
    const { there, signedIn, faultsThere, reversal } = await unanswered()
    const untouched = (apply: () => Promise<unknown>) => apply()
    faultsThere.next('swapCredential', untouched, ...Array.from({ length: times }, () => losesItsAnswer))
    const answer = await there.exchange(signedIn)
    expect(answer.status).toBe(times === 1 ? 200 : 503)
    const tokens = expectTokens(await there.exchange(signedIn))
    await reversal()
    expectTokens(await there.refresh(tokens.refresh_token))
  })

  it('ends the earlier grants that its sign-in replaces, once', async () => {
    const { here, there, signedIn, records } = await unanswered({ grants: { replace: true } })
    expect(await here.told('revoked')).toEqual([])
    for (let repeat = 0; repeat < 2; repeat++) expectTokens(await there.exchange(signedIn))
    expect(await records()).toHaveLength(1)
    expect(await there.told('revoked')).toMatchObject([{ reason: 'replaced' }])
  })
}
