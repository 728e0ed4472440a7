import { MemoryTokenStore } from 'customer-sign-in'
import type { CreateResult, NewGrant, TokenStore } from 'customer-sign-in/store'
import { GuardedStore } from '../../../src/host/guarded-store'
import { releaseClock, stopClock } from '../../support/clock'
import { SkewedClocks } from '../../support/skewed-clocks'
import { type StoreCall, wrapStore } from '../../support/wrap-store'

const timeout = 1000
const unavailable = { code: 'temporarily_unavailable', status: 503 }

const grant = (grantId: string): Omit<NewGrant, 'deadline'> => ({
  tenantId: 'acme',
  grantId,
  clientId: 'assistant-app',
  subject: 'customer-1',
  scopes: ['profile'],
  resource: 'https://acme.example',
  credential: { kind: 'code', hash: 'a code' },
  request: { redirectUri: 'https://assistant.example/callback', codeChallenge: 'challenge' },
  lifetime: 60_000,
})

/** A guarded store, and the calls that reach the store behind it. A test can hold each of them back. */
function guarded(store: TokenStore, patience = timeout) {
  const calls: StoreCall[] = []
  let around = (call: StoreCall) => call.apply()
  const counted = wrapStore(store, (call) => {
    calls.push(call)
    return around(call)
  })
  const guardedStore = new GuardedStore(counted, patience)
  return {
    calls,
    guardedStore,
    hold: (hold: typeof around) => {
      around = hold
    },
    create: (grantId: string) =>
      guardedStore.createGrant(grant(grantId), { giveUpAt: performance.now() + patience, timeout: patience }),
  }
}

afterEach(releaseClock)

describe.each([0, 0.02, -0.02, 61, -61, 86_400, -86_400])('a store whose clock is %d s ahead', (offset) => {
  it('is called twice the first time, because its answer shows its clock, and once from then on', async () => {
    const clocks = new SkewedClocks(offset)
    const { calls, create } = guarded(clocks.keep(new MemoryTokenStore()))
    expect((await create('first')).outcome).toBe('created')
    expect(calls).toHaveLength(2)
    for (const grantId of ['second', 'third']) {
      clocks.advance(3600)
      expect((await create(grantId)).outcome).toBe('created')
    }
    expect(calls).toHaveLength(4)
  })

  it('neither applies a call later that was given up, nor makes another one', async () => {
    const clocks = new SkewedClocks(offset)
    const memory = clocks.keep(new MemoryTokenStore())
    const { calls, hold, create } = guarded(memory, 100)
    clocks.advance(3600)
    await create('first')
    let late: Promise<unknown> | undefined
    let letGo = () => {}
    hold(({ apply }) => {
      late = new Promise<void>((resolve) => {
        letGo = resolve
      }).then(apply)
      return late
    })
    await expect(create('given up')).rejects.toMatchObject(unavailable)
    clocks.advance(1)
    letGo()
    expect(await late).toMatchObject({ outcome: 'late' })
    await new Promise(setImmediate)
    expect(calls).toHaveLength(3)
    expect(await memory.findGrant('acme', 'given up')).toBeUndefined()
  })
})

it('makes no call again for an answer that comes after its call was given up, by a timer that was early', async () => {
  stopClock()
  const { calls, hold, create } = guarded(new MemoryTokenStore(), 20)
  await create('first')
  const answers: ((late: CreateResult) => void)[] = []
  hold(() => new Promise((resolve) => answers.push(resolve)))
  await expect(create('given up')).rejects.toMatchObject(unavailable)
  const made = calls.length
  for (const answer of answers) answer({ outcome: 'late', now: Date.now() })
  await new Promise(setImmediate)
  expect(calls).toHaveLength(made)
})

it('asks for the time of a store with a swap that has the form of any other, of a grant that there cannot be', async () => {
  const { calls, guardedStore } = guarded(new MemoryTokenStore())
  await guardedStore.clockOffset(Date.now)
  const hash = expect.stringMatching(/^[\w-]{43}$/)
  const swap = { from: hash, to: hash, attempt: hash, redeems: [] }
  expect(calls).toMatchObject([{ method: 'swapCredential', args: [swap] }])
})

describe('a store whose clock is set', () => {
  it.each([3600, -3600])('by %d s is called again with its new time', async (seconds) => {
    const clock = stopClock()
    const { calls, create } = guarded(new MemoryTokenStore())
    await create('first')
    jest.setSystemTime(clock.now() + seconds * 1000)
    expect((await create('second')).outcome).toBe('created')
    expect((await create('third')).outcome).toBe('created')
    const { deadline } = calls.flatMap(({ args }) => args as NewGrant[]).at(-1) as NewGrant
    expect(deadline - clock.now()).toBeLessThanOrEqual(timeout)
  })

  it('again and again leads to 503, with an error that names the clock', async () => {
    const memory = new MemoryTokenStore()
    const { create, hold } = guarded(memory)
    hold(async () => ({ outcome: 'late', now: 0 }) satisfies CreateResult)
    await expect(create('first')).rejects.toMatchObject({
      ...unavailable,
      cause: { message: expect.stringMatching(/clock/) },
    })
  })
})

describe('a store that is called by a process that was held up', () => {
  afterEach(() => jest.restoreAllMocks())

  it('is not called again once the time is over', async () => {
    const { calls, create, hold } = guarded(new MemoryTokenStore())
    const now = performance.now.bind(performance)
    hold(async ({ apply }) => {
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 5 * timeout)
      return apply()
    })
    await expect(create('first')).rejects.toMatchObject({
      ...unavailable,
      cause: { message: `tokenStore.createGrant took longer than ${timeout} ms` },
    })
    expect(calls).toHaveLength(1)
  })
})

describe('a store that does not tell its time', () => {
  it('leads to 503', async () => {
    const { create, hold } = guarded(new MemoryTokenStore())
    hold(async ({ apply }) => ({ ...((await apply()) as object), now: undefined }))
    await expect(create('first')).rejects.toMatchObject(unavailable)
  })
})
