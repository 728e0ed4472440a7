import { OAuthError } from 'customer-sign-in'
import { callHost, callHostWithin } from '../../../src/host/call-host'

const away = new Error('The database is away')
const unavailable = { code: 'temporarily_unavailable', status: 503 }

/** Both ways to call a function of the host. */
const calls: [string, (call: () => unknown) => Promise<unknown>][] = [
  ['callHost', (call) => callHost('tenantStore', call)],
  ['callHostWithin', (call) => callHostWithin('tenantStore.findTenant', 1000, call)],
]

afterEach(() => jest.useRealTimers())

describe.each(calls)('%s', (_, callIt) => {
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

describe('callHostWithin', () => {
  it('waits no longer than its limit, and names what it waited for', async () => {
    jest.useFakeTimers()
    const called = callHostWithin('tokenStore.findGrant', 1000, () => new Promise(() => {}))
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
    await callHostWithin('tokenStore.findGrant', 1000, call).catch(() => undefined)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('names a guard of the host if the function belongs to no other part', async () => {
    const called = callHostWithin('requireAccessToken.tenantKey', 1000, () => Promise.reject(away))
    await expect(called).rejects.toMatchObject({ ...unavailable, reason: 'hook_failed' })
  })

  it('waits for anything that has a `then`, which some database clients return', async () => {
    // biome-ignore lint/suspicious/noThenProperty: The test is about objects with `then`.
    const query = { then: (resolve: (row: string) => void) => resolve('a row') }
    expect(await callHostWithin('tenantStore.findTenant', 1000, () => query as unknown as Promise<string>)).toBe(
      'a row',
    )
  })
})
