import { MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import type { Response } from 'supertest'
import { releaseClock, stopClock } from '../../support/clock'
import { recordOf, recordsOf } from '../../support/records'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const many = 1000

/** A store that holds the swaps back until it has `many` of them, so that none ends before the last begins. */
function gatheringStore(): { tokenStore: TokenStore; gather(): void } {
  let waiting: (() => void)[] | undefined
  const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
    if (method === 'swapCredential' && waiting) {
      const held = waiting
      await new Promise<void>((resolve) => {
        held.push(resolve)
        if (held.length < many) return
        waiting = undefined
        for (const release of held) release()
      })
    }
    return apply()
  })
  return {
    tokenStore,
    gather: () => {
      waiting = []
    },
  }
}

const redemptions: Record<string, (host: TestSignIn) => Promise<() => PromiseLike<Response>>> = {
  code: async (host) => {
    const signedIn = await host.asCustomer()
    return () => host.exchange(signedIn)
  },
  'refresh token': async (host) => {
    const { refresh_token } = await host.connected()
    return () => host.refresh(refresh_token)
  },
}

afterEach(releaseClock)

describe.each(Object.keys(redemptions))(`${many} parallel redemptions of one %s`, (kind) => {
  /** Redeems it `many` times at once. @returns The only success. */
  async function redeemedAtOnce(replayTolerance?: number): Promise<{ host: TestSignIn; won: Tokens; other: Tokens }> {
    stopClock()
    const { tokenStore, gather } = gatheringStore()
    // Long enough that a slow machine does not reach the timeout while the swaps gather.
    const host = await started({ tokenStore, replayTolerance, hostTimeout: 60 })
    const redeem = await redemptions[kind]?.(host)
    if (!redeem) throw new Error(`There is no ${kind}`)
    const other = await host.connected({ subject: 'customer-2' })
    const otherRecord = await recordOf(tokenStore, 'acme', 'customer-2')
    gather()
    const answers = await Promise.all(Array.from({ length: many }, () => redeem()))
    const [won, ...others] = answers.sort((a, b) => a.status - b.status)
    if (!won) throw new Error('Nothing was answered')
    for (const lost of others) expectError(lost, 400, 'invalid_grant')
    expect(await recordOf(tokenStore, 'acme', 'customer-2')).toEqual(otherRecord)
    return { host, won: expectTokens(won), other }
  }

  it('have exactly one success, and its tokens work', async () => {
    const { host, won, other } = await redeemedAtOnce()
    await host.signIn.verifyAccessToken(won.access_token, { tenantKey: 'acme', checkRevocation: true })
    expectTokens(await host.refresh(won.refresh_token))
    expectTokens(await host.refresh(other.refresh_token))
  })

  it('have exactly one success, and end the grant if no replay is tolerated', async () => {
    const { host, won, other } = await redeemedAtOnce(0)
    expect(await recordsOf(host.tokenStore)).toEqual([])
    expectError(await host.refresh(won.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(other.refresh_token))
  })
})

describe('parallel redemptions of many credentials', () => {
  it('all succeed, each for its own customer', async () => {
    const host = await started({ hostTimeout: 60 })
    const subjects = Array.from({ length: 100 }, (_, number) => `customer-${number}`)
    const signedIn = await Promise.all(subjects.map((subject) => host.asCustomer({ subject })))
    const answers = await Promise.all(signedIn.map((each) => host.exchange(each)))
    const infos = answers.map((answer) =>
      host.signIn.verifyAccessToken(expectTokens(answer).access_token, { tenantKey: 'acme' }),
    )
    expect((await Promise.all(infos)).map(({ subject }) => subject)).toEqual(subjects)
  })
})
