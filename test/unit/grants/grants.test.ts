import { setImmediate } from 'node:timers/promises'
import { MemoryTokenStore } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'
import { releaseClock, stopClock } from '../../support/clock'
import { expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

afterEach(releaseClock)

describe('a store that does not answer when a grant is created', () => {
  it('is asked again after half of hostTimeout, so that the customer still gets a code', async () => {
    let calls = 0
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      if (method === 'createGrant' && ++calls === 1) await new Promise(() => {})
      return apply()
    })
    const host = await started({ tokenStore, hostTimeout: 4 })
    const clock = stopClock({ timers: true })
    const signingIn = host.asCustomer()
    while (calls === 0) await setImmediate()
    const isAskedAgainAfter = async (seconds: number) => {
      clock.advance(seconds)
      await setImmediate()
      return calls > 1
    }
    expect(await isAskedAgainAfter(1.999)).toBe(false)
    expect(await isAskedAgainAfter(0.001)).toBe(true)
    releaseClock()
    expectTokens(await host.exchange(await signingIn))
  })
})

describe('a store that has another grant under the id of a new one', () => {
  it('counts as failing: no code is issued', async () => {
    const healthy = new MemoryTokenStore()
    const tokenStore = wrapStore(healthy, async ({ method, apply }) => {
      const result = await apply()
      if (method !== 'createGrant') return result
      const { grant, ...rest } = result as { grant: Grant }
      return { ...rest, grant: { ...grant, credential: { kind: 'code', hash: 'another' } } }
    })
    const host = await started({ tokenStore })
    const cause = expect.objectContaining({ message: 'The token store has another grant under a new random id' })
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable', status: 503, cause })
  })
})

describe('a store that has just ended the grants of the customer', () => {
  it('counts as failing: no code is issued', async () => {
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) =>
      method === 'createGrant' ? { outcome: 'ended', now: Date.now() } : apply(),
    )
    const host = await started({ tokenStore })
    const cause = expect.objectContaining({ message: 'The grants of its owner have just been ended' })
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable', status: 503, cause })
  })
})
