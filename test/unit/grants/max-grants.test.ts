import { MemoryTokenStore } from 'customer-sign-in'
import type { GrantPage } from 'customer-sign-in/store'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, rejects } from '../../support/faulty-store'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const tenantKey = 'globex'

/** Connects a client of a customer this many times, a second apart. */
async function connectedTimes(host: TestSignIn, times: number, clientId = 'assistant-app', subject = 'customer-1') {
  const clock = stopClock()
  const refreshes: (() => ReturnType<TestSignIn['refresh']>)[] = []
  for (let time = 0; time < times; time++) {
    const signedIn = await host.asCustomer({ tenantKey, clientId, subject })
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    refreshes.push(() => host.refresh(refresh_token, { client_id: clientId }, tenantKey))
    clock.advance(1)
  }
  return refreshes
}

afterEach(releaseClock)

describe('grants.perClient', () => {
  it('ends the oldest grants of a customer and a client, and reports it', async () => {
    const host = await started({ grants: { perClient: 3 } })
    const refreshes = await connectedTimes(host, 5)
    const [first, second, ...kept] = refreshes
    for (const refresh of [first, second]) expectError((await refresh?.()) as never, 400, 'invalid_grant')
    for (const refresh of kept) expectTokens(await refresh())
    const about = { reason: 'too_many', tenantKey, clientId: 'assistant-app', subject: 'customer-1' }
    expect(await host.told('revoked')).toMatchObject([about, about])
  })

  it('ends the oldest, in whatever order the store lists them', async () => {
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      const result = await apply()
      if (method !== 'listGrants') return result
      const [first, ...others] = (result as GrantPage).grants.reverse()
      return { grants: first ? [...others, first] : [] }
    })
    const host = await started({ tokenStore, grants: { perClient: 4 } })
    const [first, ...kept] = await connectedTimes(host, 5)
    expectError((await first?.()) as never, 400, 'invalid_grant')
    for (const refresh of kept) expectTokens(await refresh())
  })

  it('reports none that another process has ended already', async () => {
    const memory = new MemoryTokenStore()
    const tokenStore = wrapStore(memory, async ({ method, apply }) => {
      const result = await apply()
      return method === 'deleteGrant' ? false : result
    })
    const host = await started({ tokenStore, grants: { perClient: 1 } })
    await connectedTimes(host, 2)
    expect(await recordsOf(memory, tenantKey)).toHaveLength(1)
    expect(await host.told('revoked')).toEqual([])
  })

  it('is 100 by default', async () => {
    const host = await started()
    await connectedTimes(host, 101)
    expect(await recordsOf(host.tokenStore, tenantKey)).toHaveLength(100)
  })

  it('counts for each customer and client separately', async () => {
    const host = await started({ grants: { perClient: 2 } })
    const refreshes = [
      ...(await connectedTimes(host, 2)),
      ...(await connectedTimes(host, 2, 'other-app')),
      ...(await connectedTimes(host, 2, 'assistant-app', 'customer-2')),
    ]
    for (const refresh of refreshes) expectTokens(await refresh())
  })

  it('also limits the codes that are not redeemed yet', async () => {
    const host = await started({ grants: { perClient: 3 } })
    const codes = []
    for (let time = 0; time < 10; time++) codes.push(await host.asCustomer())
    expect(await recordsOf(host.tokenStore)).toHaveLength(3)
    expectTokens(await host.exchange(codes.at(-1) ?? fail()))
  })

  it('ends codes that nobody has redeemed before grants in use, so that a page which asks again and again signs nobody out', async () => {
    const host = await started({ grants: { perClient: 3 } })
    const [inUse] = await connectedTimes(host, 1)
    for (let time = 0; time < 10; time++) await host.asCustomer({ tenantKey })
    expectTokens(await (inUse?.() ?? fail()))
    expect(await recordsOf(host.tokenStore, tenantKey)).toHaveLength(3)
  })

  it('fails no sign-in if the store cannot list the grants', async () => {
    const { store, always, recover } = faultyStore()
    const host = await started({ tokenStore: store, grants: { perClient: 1 } })
    await host.connected()
    always('listGrants', rejects)
    await host.connected()
    expect(await host.told('error')).toMatchObject([{ where: 'createGrant', tenantKey: 'acme' }])
    recover()
    await host.connected()
    expect(await recordsOf(store)).toHaveLength(1)
  })
})

function fail(): never {
  throw new Error('There is no code')
}
