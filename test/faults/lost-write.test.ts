import { MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../support/clock'
import { forged, junk } from '../support/credential-text'
import { type Fault, faultyStore, hangs, losesItsAnswer, rejects } from '../support/faulty-store'
import { recordOf, recordsOf, restore } from '../support/records'
import { expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'
import type { TestOptions } from '../support/test-options'

const strict = { replayTolerance: 0 }
const secrets = ['first secret', 'second secret', 'third secret'].map((secret) => secret.padEnd(32, '.'))

/** A customer whose client has refreshed `behind` times since the store was copied. The store is back at that copy. */
async function storeBehind(by: number, options: TestOptions = {}) {
  const clock = stopClock()
  const faulty = faultyStore()
  const host = await started({ ...strict, tokenStore: faulty.store, ...options })
  let tokens = await host.connected()
  const copy = await recordOf(faulty.healthy)
  const used = []
  for (let rotation = 0; rotation < by; rotation++) {
    used.push(tokens.refresh_token)
    clock.advance(60)
    tokens = expectTokens(await host.refresh(tokens.refresh_token))
  }
  await restore(faulty.healthy, copy)
  return { clock, faulty, host, copy, used, newest: tokens }
}

afterEach(releaseClock)

describe('a store that has lost the newest refreshes of a grant', () => {
  it.each([1, 2, 3, 4])('accepts the client’s newest refresh token: %d behind', async (behind) => {
    const { host, newest } = await storeBehind(behind)
    let tokens = newest
    for (let refresh = 0; refresh < 3; refresh++) {
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
      await host.signIn.verifyAccessToken(tokens.access_token, { tenantKey: 'acme', checkRevocation: true })
    }
    expect((await host.told('refreshed')).slice(behind)).toMatchObject([
      { recovered: true, subject: 'customer-1' },
      { recovered: false },
      { recovered: false },
    ])
    expect(await host.told('replayed')).toEqual([])
  })

  it('goes on even if the refresh token that it has left was new a moment ago', async () => {
    stopClock()
    const before = await started(strict)
    const { refresh_token } = await before.connected()
    const left = expectTokens(await before.refresh(refresh_token))
    const copy = await recordOf(before.tokenStore)
    const newest = expectTokens(await before.refresh(left.refresh_token))
    await restore(before.tokenStore, copy)
    const host = await started({ refreshRetryWindow: 60, tokenStore: before.tokenStore, baseUrl: before.url })
    const next = expectTokens(await host.refresh(newest.refresh_token))
    expect(next.refresh_token).not.toBe(newest.refresh_token)
    expect(await host.told('refreshed')).toMatchObject([{ recovered: true, rotated: true }])
    expectTokens(await host.refresh(next.refresh_token))
  })

  it('treats the client’s newest refresh token as a replay when it is further behind', async () => {
    const { host, newest } = await storeBehind(5)
    expectError(await host.refresh(newest.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
  })

  it('still ends the grant at a genuine replay afterwards', async () => {
    for (const which of ['predecessor', 'older'] as const) {
      const { clock, host, used, newest } = await storeBehind(2)
      const next = expectTokens(await host.refresh(newest.refresh_token))
      clock.advance(60)
      const replayed = which === 'predecessor' ? newest.refresh_token : (used[0] ?? '')
      expectError(await host.refresh(replayed), 400, 'invalid_grant')
      expectError(await host.refresh(next.refresh_token), 400, 'invalid_grant')
      expect(await recordsOf(host.tokenStore)).toEqual([])
    }
  })

  it('can do so again and again', async () => {
    const { faulty, host, copy, newest } = await storeBehind(1)
    const second = expectTokens(await host.refresh(newest.refresh_token))
    await restore(faulty.healthy, copy)
    const third = expectTokens(await host.refresh(second.refresh_token))
    await restore(faulty.healthy, copy)
    const fourth = expectTokens(await host.refresh(third.refresh_token))
    expectTokens(await host.refresh(fourth.refresh_token))
  })

  it('accepts no refresh token of another client, and none that this server did not mint', async () => {
    const { faulty, host, copy, newest } = await storeBehind(2)
    const madeUp = forged(newest.refresh_token, { tag: junk() })
    expectError(await host.refresh(madeUp), 400, 'invalid_grant')
    expectError(await host.refresh(newest.refresh_token, {}, 'globex'), 400, 'invalid_grant')
    expect(await recordOf(faulty.healthy)).toEqual(copy)
    expectTokens(await host.refresh(newest.refresh_token))
  })

  it('still requires the resource and the scope that were granted', async () => {
    const { faulty, host, copy, newest } = await storeBehind(2)
    const elsewhere = { resource: 'https://elsewhere.example' }
    expectError(await host.refresh(newest.refresh_token, elsewhere), 400, 'invalid_target')
    expectError(await host.refresh(newest.refresh_token, { scope: 'admin' }), 400, 'invalid_scope')
    expect(await recordOf(faulty.healthy)).toEqual(copy)
    expect(expectTokens(await host.refresh(newest.refresh_token, { scope: 'calendar' })).scope).toBe('calendar')
  })

  it('has one success among parallel refreshes, and the chain goes on', async () => {
    const { host, newest } = await storeBehind(3, { replayTolerance: 10 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => host.refresh(newest.refresh_token)))
    const [won, ...lost] = answers.sort((a, b) => a.status - b.status)
    for (const answer of lost) expectError(answer, 400, 'invalid_grant')
    expectTokens(await host.refresh(won ? expectTokens(won).refresh_token : ''))
  })

  it('works also if the processes have their secrets in a different order', async () => {
    const tokenStore = new MemoryTokenStore()
    const orders = [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ].map((order) => order.map((index) => secrets[index] ?? ''))
    const hosts = await Promise.all(
      orders.map((credentialSecrets) =>
        started(strict, { tokenStore, keys: { credentialSecrets }, baseUrl: 'https://assistant.example' }),
      ),
    )
    for (const last of hosts) {
      let tokens = await last.connected()
      const copy = await recordOf(tokenStore)
      for (const host of [...hosts, ...hosts].slice(1, 5))
        tokens = expectTokens(await host.refresh(tokens.refresh_token))
      await restore(tokenStore, copy)
      const next = expectTokens(await last.refresh(tokens.refresh_token))
      expectTokens(await last.refresh(next.refresh_token))
      await tokenStore.deleteGrant('acme', copy.grantId)
    }
  })
})

describe('a store that has lost the redemption of a code', () => {
  /** A customer whose code was redeemed and whose client then refreshed some times. The store is back at the code. */
  async function backAtTheCode(refreshes: number) {
    const clock = stopClock()
    const host = await started(strict)
    const signedIn = await host.asCustomer()
    const copy = await recordOf(host.tokenStore)
    let tokens = expectTokens(await host.exchange(signedIn))
    for (let refresh = 0; refresh < refreshes; refresh++)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
    await restore(host.tokenStore, copy)
    return { clock, host, signedIn, newest: tokens }
  }

  it.each([0, 1, 2, 3])(
    'accepts the client’s newest refresh token for the lifetime of the code: %d refreshes later',
    async (n) => {
      const { clock, host, signedIn, newest } = await backAtTheCode(n)
      clock.advance(59)
      const next = expectTokens(await host.refresh(newest.refresh_token))
      expectTokens(await host.refresh(next.refresh_token))
      expectError(await host.exchange(signedIn), 400, 'invalid_grant')
    },
  )

  it('needs a new sign-in when the code would have expired', async () => {
    const { clock, host, newest } = await backAtTheCode(1)
    clock.advance(60)
    expectError(await host.refresh(newest.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.exchange(await host.asCustomer()))
  })

  it('treats the client’s newest refresh token as a replay when it is further behind', async () => {
    const { host, newest } = await backAtTheCode(4)
    expectError(await host.refresh(newest.refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })
})

describe('going on after lost writes, when the store fails as well,', () => {
  it.each<[string, Fault]>([
    ['loses its answer', losesItsAnswer],
    ['rejects', rejects],
  ])('succeeds where it %s once', async (_, fault) => {
    const { faulty, host, newest } = await storeBehind(2)
    faulty.next('swapCredential', (apply) => apply(), fault)
    const next = expectTokens(await host.refresh(newest.refresh_token))
    expectTokens(await host.refresh(next.refresh_token))
    expect(await host.told('replayed')).toEqual([])
  })

  it.each<[string, Fault[]]>([
    ['it was applied', [losesItsAnswer, rejects]],
    ['both answers were lost', [losesItsAnswer, losesItsAnswer]],
    ['it was not applied', [rejects, rejects]],
  ])('makes the client retry, and then succeeds: %s', async (_, faults) => {
    const { clock, faulty, host, newest } = await storeBehind(2)
    faulty.next('swapCredential', (apply) => apply(), ...faults)
    expectError(await host.refresh(newest.refresh_token), 503, 'temporarily_unavailable')
    clock.advance(60)
    const next = expectTokens(await host.refresh(newest.refresh_token))
    expectTokens(await host.refresh(next.refresh_token))
    expect(await host.told('replayed')).toEqual([])
  })

  it('recognises its own swap if that was applied late, before the client retried', async () => {
    const { faulty, host, newest } = await storeBehind(2, { hostTimeout: 0.2 })
    let applyLate: () => Promise<unknown> = async () => undefined
    const takesLate: Fault = (apply) => {
      applyLate = apply
      return hangs(apply)
    }
    faulty.next('swapCredential', (apply) => apply(), takesLate, hangs)
    expectError(await host.refresh(newest.refresh_token), 503, 'temporarily_unavailable')
    faulty.next('swapCredential', async (apply) => {
      const result = await apply()
      await applyLate()
      return result
    })
    const next = expectTokens(await host.refresh(newest.refresh_token))
    expectTokens(await host.refresh(next.refresh_token))
  })
})
