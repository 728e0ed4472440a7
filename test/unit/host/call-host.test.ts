import { OAuthError } from 'customer-sign-in'
import { callHost, withinTime } from '../../../src/host/call-host'

const away = new Error('The database is away')
const unavailable = { code: 'temporarily_unavailable', status: 503 }

afterEach(() => jest.useRealTimers())

describe.each([1000, 'unlimited'] as const)('a call of the host with the time limit %s', (limit) => {
  const callIt = (call: () => unknown) => callHost('tenantStore.findTenant', limit, call)

  it('gives what the function returns or resolves to', async () => {
    expect(await callIt(() => 'acme')).toBe('acme')
    expect(await callIt(() => Promise.resolve('acme'))).toBe('acme')
    expect(await callIt(() => null)).toBeNull()
  })

  it.each([
    ['rejects', () => Promise.reject(away)],
    [
      'throws',
      () => {
        throw away
      },
    ],
  ])('is unavailable when the function %s, with its error as the cause', async (_how, call) => {
    await expect(callIt(call)).rejects.toMatchObject({ ...unavailable, cause: away, reason: 'tenant_store_failed' })
  })

  it('passes an OAuthError of the host on', async () => {
    const refusal = new OAuthError('access_denied', 'The company has not paid')
    await expect(callIt(() => Promise.reject(refusal))).rejects.toMatchObject({
      code: 'access_denied',
      description: 'The company has not paid',
      reason: 'store_refused',
    })
  })
})

describe('a call of the host with a time limit', () => {
  it('waits no longer than its limit, and names what it waited for', async () => {
    jest.useFakeTimers()
    const called = callHost('tokenStore.findGrant', 1000, () => new Promise(() => {}))
    const cause = { message: 'tokenStore.findGrant took longer than 1000 ms' }
    const refused = expect(called).rejects.toMatchObject({ ...unavailable, cause, reason: 'token_store_failed' })
    await jest.advanceTimersByTimeAsync(1000)
    await refused
  })

  it.each([
    ['resolves', () => Promise.resolve('a grant')],
    ['rejects', () => Promise.reject(away)],
  ])('leaves no timer behind when the function %s', async (_, call) => {
    jest.useFakeTimers()
    await callHost('tokenStore.findGrant', 1000, call).catch(() => undefined)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('names a guard of the host if the function belongs to no other part', async () => {
    const called = callHost('requireAccessToken.tenantKey', 1000, () => Promise.reject(away))
    await expect(called).rejects.toMatchObject({ ...unavailable, reason: 'hook_failed' })
  })

  it('waits for anything that has a `then`, which some database clients return', async () => {
    // biome-ignore lint/suspicious/noThenProperty: The test is about objects with `then`.
    const query = { then: (resolve: (row: string) => void) => resolve('a row') }
    expect(await callHost('tenantStore.findTenant', 1000, () => query as unknown as Promise<string>)).toBe('a row')
  })
})

describe('work with a time limit', () => {
  it('gives what it resolves to in time, or else what is given in its place', async () => {
    jest.useFakeTimers()
    const late = jest.fn(() => 'late')
    expect(await withinTime(Promise.resolve('in time'), 1000, late)).toBe('in time')
    await expect(withinTime(Promise.reject(away), 1000, late)).rejects.toBe(away)
    expect([late.mock.calls.length, jest.getTimerCount()]).toEqual([0, 0])
    const waiting = withinTime(new Promise<string>(() => {}), 1000, late)
    await jest.advanceTimersByTimeAsync(1000)
    expect(await waiting).toBe('late')
  })

  it('that rejects after its time disturbs nobody', async () => {
    jest.useFakeTimers()
    const work = new Promise<string>((_resolve, reject) => {
      setTimeout(() => reject(away), 2000)
    })
    const waiting = withinTime(work, 1000, () => 'late')
    await jest.advanceTimersByTimeAsync(2000)
    expect(await waiting).toBe('late')
  })
})
