import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { registered } from '../../../support/registration'
import {
  expectError,
  expectTokens,
  clientId as own,
  redirectUri,
  type TestSignIn,
  tenants,
} from '../../../support/sign-in'
import { wrapStore } from '../../../support/wrap-store'
import type { CreateTokenStore, Start } from './start'

export function registeredClients(start: Start, createTokenStore: CreateTokenStore): void {
  /** Connects a client. @returns What redeems its newest refresh token. */
  async function connected(host: TestSignIn, client_id: string) {
    let { refresh_token: newest } = expectTokens(
      await host.exchange(await host.asCustomer({ clientId: client_id }), { client_id }),
    )
    return async () => {
      const response = await host.refresh(newest, { client_id })
      newest = response.body.refresh_token ?? newest
      return response
    }
  }

  it('redeems codes and refresh tokens like any other', async () => {
    const host = await start()
    const refresh = await connected(host, await registered(host))
    for (const _ of [1, 2]) expectTokens(await refresh())
  })

  it('gets refresh tokens even if it has registered only for authorization codes', async () => {
    const host = await start()
    const refresh = await connected(host, await registered(host, { grant_types: ['authorization_code'] }))
    expectTokens(await refresh())
  })

  it('costs the store what one of the company’s own costs', async () => {
    const calls: string[] = []
    const tokenStore = wrapStore(await createTokenStore(), ({ method, apply }) => {
      calls.push(method)
      return apply()
    })
    const host = await start({ tokenStore })
    const costOf = async (client: string) => {
      calls.length = 0
      const refresh = await connected(host, client)
      for (const _ of [1, 2]) expectTokens(await refresh())
      return [...calls]
    }
    // The first call of all also learns the time of the store.
    await connected(host, own)
    const costs = await costOf(own)
    expect(costs).toContain('swapCredential')
    expect(await costOf(await registered(host))).toEqual(costs)
  })

  it.each<[what: string, record: Partial<Tenant>]>([
    ['lets no client register any more', { registration: false }],
    ['has moved to the host of its redirect URI', { formerBaseUrls: [new URL(redirectUri).origin] }],
  ])('stays connected at a company that %s, and no customer can connect it again', async (_, then) => {
    let record: Partial<Tenant> = {}
    const store = new MemoryTenantStore(tenants)
    const findTenant = (key: string) => {
      const tenant = store.findTenant(key)
      return tenant && { ...tenant, ...record }
    }
    const host = await start({ tenantStore: { findTenant, findTenantByHost: () => undefined } })
    const clientId = await registered(host)
    const refresh = await connected(host, clientId)
    record = then
    await expect(host.asCustomer({ clientId })).rejects.toMatchObject({ code: 'invalid_client' })
    expectTokens(await refresh())
  })

  it('whose id is not known here is told so, and nothing is used up', async () => {
    const host = await start()
    const clientId = await registered(host)
    const signedIn = await host.asCustomer({ clientId })
    for (const client_id of ['dcr_', `dcr_A${clientId.slice(5)}`, `${clientId}=`, 'gone']) {
      const response = await host.exchange(signedIn, { client_id })
      expectError(response, 401, 'invalid_client')
      expect(response.headers['www-authenticate']).toMatch(/^Basic /)
    }
    expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    expect((await host.told('denied')).map(({ reason }) => reason)).toEqual(Array(4).fill('client_gone'))
  })

  it('does not redeem what another one with the same registration was given', async () => {
    const host = await start()
    const [one, other] = [await registered(host), await registered(host)]
    const signedIn = await host.asCustomer({ clientId: one })
    expectError(await host.exchange(signedIn, { client_id: other }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { client_id: one }))
  })
}
