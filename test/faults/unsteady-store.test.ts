import type { Grant } from 'customer-sign-in/store'
import { releaseClock, stopClock } from '../support/clock'
import { faultyStore } from '../support/faulty-store'
import { recordOf } from '../support/records'
import { expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'

afterEach(releaseClock)

describe('a store that contradicts itself', () => {
  it('by showing another state of the grant at every look is asked a few times, and the client is told to retry', async () => {
    const { store, healthy, always, recover } = faultyStore()
    const host = await started({ tokenStore: store, replayTolerance: 0 })
    const signedIn = await host.asCustomer()
    const before = await recordOf(healthy)
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    const after = await recordOf(healthy)
    const shown: Grant[] = []
    always('swapCredential', async () => {
      if (shown.length === 20) throw new Error('It goes on forever')
      const grant = shown.length % 2 === 0 ? before : after
      shown.push(grant)
      return { outcome: 'mismatch', grant, now: Date.now() }
    })
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(shown.length).toBeLessThan(10)
    const error = expect.objectContaining({
      message: expect.stringContaining('changed the grant during each of four attempts'),
    })
    expect(await host.told('error')).toMatchObject([{ reason: 'token_store_failed', error }])
    recover()
    expectTokens(await host.refresh(refresh_token))
  })

  it('by a clock that was set back is reported to the operator with the seconds, and nobody is signed out', async () => {
    const clock = stopClock()
    const { store, next } = faultyStore()
    const host = await started({ tokenStore: store, replayTolerance: 0 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    next('swapCredential', async (apply) => ({ ...Object(await apply()), now: clock.now() - 65_000 }))
    expectError(await host.refresh(first.refresh_token), 503, 'temporarily_unavailable')
    const error = expect.objectContaining({ message: expect.stringContaining('is 65 s behind') })
    expect(await host.told('error')).toMatchObject([{ reason: 'token_store_failed', error }])
    expectTokens(await host.refresh(second.refresh_token))
  })
})
