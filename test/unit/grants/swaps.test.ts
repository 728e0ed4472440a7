import { fork } from 'node:child_process'
import { once } from 'node:events'
import { MemoryTokenStore } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'
import { Swaps } from '../../../src/grants/swaps'
import { GuardedStore } from '../../../src/host/guarded-store'
import { attemptsOf } from '../../support/attempts'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, losesItsAnswer, rejects } from '../../support/faulty-store'
import { recordOf } from '../../support/records'
import { kinds, liveCredential } from '../../support/redemptions'
import { eventually } from '../../support/redis-server'
import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

describe.each(kinds)('a redemption of a %s that was applied and whose answer was lost', (kind) => {
  /** A client that got 503 although the store has applied its redemption, and another process that knows nothing of it. */
  async function appliedUnanswered() {
    const faulty = faultyStore()
    const strict = {
      replayTolerance: 0,
      refreshRetryWindow: 0,
      hostTimeout: 0.2,
      baseUrl: 'https://assistant.example',
    }
    const host = await started({ ...strict, tokenStore: faulty.store })
    const elsewhere = await started({ ...strict, tokenStore: faulty.healthy })
    const redeem = await liveCredential[kind](host)
    const before = await recordOf(faulty.healthy)
    faulty.always('reverseSwap', rejects)
    faulty.next('swapCredential', losesItsAnswer, rejects)
    expectError(await redeem(), 503, 'temporarily_unavailable')
    const isReversed = async () => (await recordOf(faulty.healthy)).credential?.hash === before.credential?.hash
    expect(await isReversed()).toBe(false)
    return { faulty, host, elsewhere, redeem, before, isReversed }
  }

  it('is reversed as soon as the store answers, so that any process accepts the credential', async () => {
    const { faulty, elsewhere, redeem, isReversed } = await appliedUnanswered()
    faulty.recover()
    await eventually(isReversed)
    const tokens = expectTokens(await redeem(elsewhere))
    expectTokens(await elsewhere.refresh(tokens.refresh_token))
    expect(await elsewhere.told('replayed')).toEqual([])
  })

  it('is reversed when the client retries, and then redeemed as usual', async () => {
    const { faulty, host, redeem } = await appliedUnanswered()
    faulty.recover()
    const tokens = expectTokens(await redeem())
    expectTokens(await host.refresh(tokens.refresh_token))
    expect(await host.told('replayed')).toEqual([])
  })

  it('leaves no trace of the redemption in the record', async () => {
    const { faulty, before, isReversed } = await appliedUnanswered()
    faulty.recover()
    await eventually(isReversed)
    const record = await recordOf(faulty.healthy)
    expect(record.credential).toEqual(before.credential)
    expect(record.request).toEqual(before.request)
    // A grant remembers redeemed credentials only if refreshRetryWindow or replayTolerance needs them.
    expect(record.redeemed).toEqual([])
    if (kind === 'code') expect(record.expiresAt).toBe(before.expiresAt)
  })

  it('makes the client retry as long as it cannot be reversed', async () => {
    const { faulty, host, redeem } = await appliedUnanswered()
    expectError(await redeem(), 503, 'temporarily_unavailable')
    expect(await host.told('replayed')).toEqual([])
    faulty.recover()
    expectTokens(await redeem())
  })

  it('is not reversed if another process has gone on from there', async () => {
    const { faulty, elsewhere, redeem, isReversed } = await appliedUnanswered()
    const patient = await started({
      tokenStore: faulty.healthy,
      refreshRetryWindow: 60,
      replayTolerance: 60,
      baseUrl: 'https://assistant.example',
    })
    if (kind === 'code') return
    const answered = expectTokens(await redeem(patient))
    const next = expectTokens(await elsewhere.refresh(answered.refresh_token))
    faulty.recover()
    await new Promise((resolve) => faulty.next('reverseSwap', (apply) => apply().finally(() => resolve(undefined))))
    expect(await isReversed()).toBe(false)
    expectTokens(await elsewhere.refresh(next.refresh_token))
  })
})

describe('a redemption that was retried after its answer was lost', () => {
  it.each([0, 10])(
    'is as old as its redemption, however often the credential is presented: window %d',
    async (window) => {
      const clock = stopClock()
      const faulty = faultyStore()
      const host = await started({ tokenStore: faulty.store, refreshRetryWindow: window })
      const { refresh_token } = await host.connected()
      clock.advance(60)
      faulty.next('swapCredential', losesItsAnswer, rejects)
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
      clock.advance(5)
      const owner = expectTokens(await host.refresh(refresh_token))
      for (let repeat = 0; repeat < 3; repeat++) {
        clock.advance(3)
        const status = (await host.refresh(refresh_token)).status
        expect(status).toBe(window === 0 ? 400 : 200)
      }
      clock.advance(1)
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await host.refresh(owner.refresh_token), 400, 'invalid_grant')
      expect((await host.told('replayed')).at(-1)).toMatchObject({ ended: true, age: 10 })
    },
  )
})

describe('a redemption whose first answer was lost', () => {
  it.each(kinds)('of a %s is found to have been applied, also for a client that names the resource', async (kind) => {
    const faulty = faultyStore()
    const host = await started({ tokenStore: faulty.store, refreshRetryWindow: 0, replayTolerance: 0 })
    const redeem = await liveCredential[kind](host)
    faulty.next('swapCredential', losesItsAnswer)
    expectTokens(await redeem(host, { resource: host.issuer() }))
    expect(await host.told('replayed')).toEqual([])
  })
})

describe('the undecided attempts of a process', () => {
  const step = (number: number) => ({
    tenantId: 'acme',
    grantId: `grant-${number}`,
    from: 'first',
    to: 'second',
    redeems: ['first'],
    remember: 0,
    rest: 0,
    lifetime: 1000,
    presented: { credential: { kind: 'refresh_token' as const, hash: 'first' } },
    isIssuedHere: () => true,
  })

  it('do not include credentials that this server did not mint, so that those cannot crowd out others', async () => {
    const { store, always, recover, healthy } = faultyStore(new MemoryTokenStore())
    const swaps = new Swaps(new GuardedStore(store, 1000), 10)
    const reversed = jest.spyOn(healthy, 'reverseSwap')
    always('swapCredential', rejects)
    for (let number = 0; number < 20; number++) {
      await expect(swaps.take({ ...step(number), isIssuedHere: () => false })).rejects.toThrow()
    }
    recover()
    await swaps.take(step(0))
    expect(reversed).not.toHaveBeenCalled()
  })

  it('are a hundred at one step, and make room when their deadlines have passed', async () => {
    const clock = stopClock()
    const { store, always, recover, healthy } = faultyStore(new MemoryTokenStore({ now: clock.now }))
    const swaps = new Swaps(new GuardedStore(store, 1000))
    const reversed = jest.spyOn(healthy, 'reverseSwap')
    const mostReversed = () => Math.max(...reversed.mock.calls.map(([{ attempts }]) => attempts.length))
    always('swapCredential', rejects)
    for (let count = 0; count < 120; count++) await expect(swaps.take(step(0))).rejects.toThrow()
    recover()
    await expect(swaps.take(step(0))).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(mostReversed()).toBe(100)
    clock.advance(1)
    await expect(swaps.take(step(0))).resolves.toMatchObject({ outcome: 'missing' })
    expect(swaps.hasUndecided).toBe(false)
  })

  it('include one that was reversed after its answer was lost, which the store may apply again', async () => {
    const { store, next, healthy } = faultyStore(new MemoryTokenStore())
    const guarded = new GuardedStore(store, 1000)
    const swaps = new Swaps(guarded)
    const { tenantId, grantId, from, to, lifetime } = step(0)
    const credential = { kind: 'code' as const, hash: from }
    const request = { redirectUri: 'https://app.example', codeChallenge: 'challenge' }
    const given = { clientId: 'app', subject: 'customer', scopes: [], resource: 'https://api.example' }
    await guarded.createGrant({ ...given, tenantId, grantId, credential, request, lifetime }, guarded.patience())
    let applyFirst = async (): Promise<unknown> => undefined
    next('swapCredential', async (apply) => {
      applyFirst = apply
      throw new Error('The connection was lost')
    })
    const redemption = { ...step(0), presented: { credential, code: { request, lifetime } } }
    const taken = await swaps.take(redemption)
    if (taken.outcome !== 'swapped') throw new Error(`The store answered ${taken.outcome}`)
    await swaps.reverse(redemption, `${taken.grant.swap?.attempt}`)
    await applyFirst()
    expect(await healthy.findGrant(tenantId, grantId)).toMatchObject({ credential: { hash: to } })
    await expect(swaps.take(redemption)).resolves.toMatchObject({ outcome: 'swapped' })
  })

  it('are reversed as soon as the store can no longer apply one of them', async () => {
    const clock = stopClock()
    const { store, always, healthy } = faultyStore(new MemoryTokenStore({ now: clock.now }))
    const swaps = new Swaps(new GuardedStore(store, 1000))
    always('swapCredential', rejects)
    await expect(swaps.take(step(0))).rejects.toThrow()
    clock.advance(0.9)
    await expect(swaps.take(step(0))).rejects.toThrow()
    clock.advance(0.2)
    const reversed = jest.spyOn(healthy, 'reverseSwap')
    await eventually(async () => reversed.mock.calls.some(([{ attempts }]) => attempts.length === 2))
  })

  it('are given up with 503 if the store applies one between every two looks', async () => {
    const store = new MemoryTokenStore()
    const attempts: string[] = []
    jest.spyOn(store, 'reverseSwap').mockImplementation(async () => ({ outcome: 'reversed', now: Date.now() }))
    jest.spyOn(store, 'swapCredential').mockImplementation(async ({ attempt, to }) => {
      attempts.push(attempt)
      if (attempts.length <= 2) throw new Error('The connection was lost')
      const swap = { attempt: attempts[0], at: 0, redeemed: 'refresh_token' }
      const grant = { credential: { kind: 'refresh_token', hash: to }, swap } as Grant
      return { outcome: 'mismatch', grant, now: Date.now() }
    })
    const swaps = new Swaps(new GuardedStore(store, 1000))
    await expect(swaps.take(step(0))).rejects.toThrow()
    await expect(swaps.take(step(0))).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(attempts).toHaveLength(2 + 3)
  })

  it('are limited in number, and the first of an outage stay', async () => {
    const { store, always, recover, healthy } = faultyStore(new MemoryTokenStore())
    const swaps = new Swaps(new GuardedStore(store, 1000), 10)
    const reversed: string[] = []
    jest.spyOn(healthy, 'reverseSwap').mockImplementation(async ({ grantId }) => {
      reversed.push(grantId)
      return { outcome: 'mismatch', now: Date.now() }
    })
    always('swapCredential', rejects)
    always('reverseSwap', rejects)
    for (let number = 0; number <= 10; number++) await expect(swaps.take(step(number))).rejects.toThrow()
    recover()
    await swaps.take(step(0))
    expect(reversed).toContain('grant-0')
    await swaps.take(step(10))
    expect(reversed).not.toContain('grant-10')
  })
})

it('names no attempt as another process does, or another copy of the module', async () => {
  const ofProcess = async (): Promise<string[]> => {
    const child = fork(require.resolve('../../support/attempts.ts'), { execArgv: ['--import', 'tsx'] })
    const [attempts] = await once(child, 'message')
    return attempts
  }
  const ofCopy = () => {
    let attempts: Promise<string[]> | undefined
    jest.isolateModules(() => {
      attempts = attemptsOf(require('../../../src/grants/swaps'))
    })
    return attempts
  }
  const all = (await Promise.all([ofProcess(), ofProcess(), ofCopy(), ofCopy(), attemptsOf({ Swaps })])).flat()
  expect(all).toHaveLength(15)
  expect(new Set(all).size).toBe(15)
})
