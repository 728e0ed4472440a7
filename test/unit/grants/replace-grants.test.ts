import { MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { type Fault, faultyStore, hangsOnceApplied, rejects } from '../../support/faulty-store'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const api = { tenantKey: 'globex', resource: 'https://api.globex.example/mcp' }
const files = { tenantKey: 'globex', resource: 'https://files.globex.example/' }

afterEach(releaseClock)

describe('grants.replace', () => {
  it('ends the earlier grants of the same customer and client once the new code is redeemed, and reports each', async () => {
    const clock = stopClock()
    const host = await started({ grants: { replace: true } })
    const earlier = await host.connected()
    clock.advance(1)
    const signedIn = await host.asCustomer()
    const refreshed = expectTokens(await host.refresh(earlier.refresh_token))
    const later = expectTokens(await host.exchange(signedIn))
    expectError(await host.refresh(refreshed.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(later.refresh_token))
    const about = { reason: 'replaced', tenantKey: 'acme', tenantId: 'acme', clientId: 'assistant-app' }
    expect(await host.told('revoked')).toMatchObject([{ ...about, subject: 'customer-1' }])
    expect(await host.told('error')).toEqual([])
  })

  it('is off unless the host turns it on', async () => {
    const host = await started()
    const [first, second] = [await host.connected(), await host.connected()]
    for (const { refresh_token } of [first, second]) expectTokens(await host.refresh(refresh_token))
    expect(await host.told('revoked')).toEqual([])
  })

  it('ends nothing for a sign-in that the customer or the client abandons', async () => {
    const host = await started({ grants: { replace: true } })
    const { refresh_token } = await host.connected()
    const signedIn = await host.asCustomer()
    expectError(await host.exchange(signedIn, { code_verifier: 'x'.repeat(43) }), 400, 'invalid_grant')
    expectTokens(await host.refresh(refresh_token))
    expect(await host.told('revoked')).toEqual([])
  })

  it('also ends an earlier sign-in whose code is not redeemed yet', async () => {
    const clock = stopClock()
    const host = await started({ grants: { replace: true } })
    const abandoned = await host.asCustomer()
    clock.advance(1)
    await host.connected()
    expectError(await host.exchange(abandoned), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore)).toHaveLength(1)
  })

  it('keeps the grants of other customers, clients and companies, and of another API of the same client', async () => {
    const clock = stopClock()
    const host = await started({ grants: { replace: true } })
    const kept = [
      { ...(await host.connected({ ...api, subject: 'customer-2' })), ...api },
      { ...(await host.connected()), tenantKey: 'acme' },
      { ...(await host.connected(files)), ...files },
    ]
    const other = { client_id: 'other-app' }
    const ofOther = expectTokens(await host.exchange(await host.asCustomer({ ...api, clientId: 'other-app' }), other))
    await host.connected(api)
    clock.advance(1)
    await host.connected(api)
    for (const { refresh_token, tenantKey } of kept) expectTokens(await host.refresh(refresh_token, {}, tenantKey))
    expectTokens(await host.refresh(ofOther.refresh_token, other, 'globex'))
    expect(await host.told('revoked')).toHaveLength(1)
  })

  it.each([
    ['in the order in which they began', [0, 1]],
    ['in the other order', [1, 0]],
  ])('leaves the later one of two sign-ins that are finished %s', async (_, order) => {
    const clock = stopClock()
    const host = await started({ grants: { replace: true } })
    const codes = [await host.asCustomer()]
    clock.advance(1)
    codes.push(await host.asCustomer())
    const [first, second] = codes
    for (const index of order) await host.exchange((index === 0 ? first : second) as (typeof codes)[0])
    const [left, ...others] = await recordsOf(host.tokenStore)
    expect(left?.createdAt).toBe(clock.now())
    expect(others).toEqual([])
  })

  it('leaves exactly one of many sign-ins at the same time', async () => {
    stopClock()
    const memory = new MemoryTokenStore()
    let waiting: (() => void)[] = []
    const tokenStore = wrapStore(memory, async ({ method, apply }) => {
      const result = await apply()
      // Each lists the grants only after all codes have been redeemed.
      if (method === 'swapCredential') {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          if (waiting.length < 5) return
          for (const go of waiting) go()
          waiting = []
        })
      }
      return result
    })
    const host = await started({ tokenStore, grants: { replace: true } })
    const codes = []
    for (let count = 0; count < 5; count++) codes.push(await host.asCustomer())
    for (const response of await Promise.all(codes.map((code) => host.exchange(code)))) expectTokens(response)
    expect(await recordsOf(memory)).toHaveLength(1)
    expect(await host.told('revoked')).toHaveLength(4)
  })

  it.each<[string, 'listGrants' | 'deleteGrant', Fault]>([
    ['list the grants', 'listGrants', rejects],
    ['end one', 'deleteGrant', rejects],
    ['say that it has ended one', 'deleteGrant', hangsOnceApplied],
  ])('fails no sign-in if the store does not %s, and tells the operator', async (_, method, fault) => {
    const clock = stopClock()
    const { store, always, recover } = faultyStore()
    const host = await started({ tokenStore: store, grants: { replace: true }, hostTimeout: 0.1 })
    await host.connected()
    clock.advance(1)
    const signedIn = await host.asCustomer()
    always(method, fault)
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    const about = { where: 'grants.replace', reason: 'token_store_failed', tenantKey: 'acme', subject: 'customer-1' }
    expect(await host.told('error')).toMatchObject([about])
    recover()
    expectTokens(await host.refresh(refresh_token))
    clock.advance(1)
    await host.connected()
    expect(await recordsOf(store)).toHaveLength(1)
  })

  it('ends nothing at a refresh', async () => {
    const memory = new MemoryTokenStore()
    const before = await started({ tokenStore: memory })
    const baseUrl = before.url
    const tokens = [await before.connected(), await before.connected()]
    const host = await started({ tokenStore: memory, baseUrl, grants: { replace: true } })
    for (const { refresh_token } of tokens) expectTokens(await host.refresh(refresh_token))
    expect(await recordsOf(memory)).toHaveLength(2)
  })

  it('is off by default: earlier grants stay, and a code is redeemed with one call of the store', async () => {
    const calls: string[] = []
    const tokenStore = wrapStore(new MemoryTokenStore(), ({ method, apply }) => {
      calls.push(method)
      return apply()
    })
    const host = await started({ tokenStore })
    const { refresh_token } = await host.connected()
    const signedIn = await host.asCustomer()
    calls.splice(0)
    expectTokens(await host.exchange(signedIn))
    expect(calls).toEqual(['swapCredential'])
    expectTokens(await host.refresh(refresh_token))
  })
})
