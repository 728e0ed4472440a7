import { MemoryTenantStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { faultyStore, rejects } from '../../../support/faulty-store'
import { clientId, expectError, expectTokens, tenants } from '../../../support/sign-in'
import type { CreateTokenStore, Start } from './start'

export function storeFaults(start: Start, createTokenStore: CreateTokenStore): void {
  it.each<[keyof TokenStore, string, Record<string, string>]>([
    ['swapCredential', 'the step itself', {}],
    ['swapCredential', 'the step with a resource', { resource: 'https://api.globex.example/mcp' }],
    ['findGrant', 'the read before a narrower scope', { scope: 'profile' }],
  ])('at %s, %s, gives 503 with Retry-After, and the refresh token still works', async (method, _, fields) => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const { refresh_token } = await host.connected({ tenantKey: 'globex' })

    faults.always(method, rejects)
    const response = await host.refresh(refresh_token, fields, 'globex')
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    const error = expect.objectContaining({ message: 'The store is out of reach' })
    const fault = { type: 'error', where: 'token', reason: 'token_store_failed', tenantKey: 'globex', clientId, error }
    expect(await host.told('error')).toMatchObject([fault])
    expect(await host.told('denied')).toEqual([])

    faults.recover()
    expectTokens(await host.refresh(refresh_token, fields, 'globex'))
  })

  it('does not use a code up', async () => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const signedIn = await host.asCustomer()
    faults.always('swapCredential', rejects)
    expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
    expect(await host.told('error')).toHaveLength(1)
    faults.recover()
    expectTokens(await host.exchange(signedIn))
  })

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('No tenants today')
      },
    ],
    ['rejects', () => Promise.reject(new Error('No tenants today'))],
  ])('gives 503 as well if it is the tenant store and %s', async (_, fault) => {
    const healthy = new MemoryTenantStore(tenants)
    let broken = false
    const host = await start({ tenantStore: { findTenant: (key) => (broken ? fault() : healthy.findTenant(key)) } })
    const { refresh_token } = await host.connected()
    broken = true
    const response = await host.refresh(refresh_token)
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    const error = expect.objectContaining({ message: 'No tenants today' })
    const told = { type: 'error', where: 'token', reason: 'tenant_store_failed', tenantKey: 'acme', error }
    expect(await host.told('error')).toMatchObject([told])
    broken = false
    expectTokens(await host.refresh(refresh_token))
  })

  it('tells no client what has failed', async () => {
    const faults = faultyStore(await createTokenStore())
    const host = await start({ tokenStore: faults.store })
    const { refresh_token } = await host.connected()
    faults.always('swapCredential', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:6379')))
    const response = await host.refresh(refresh_token)
    expect(JSON.stringify([response.body, response.headers])).not.toMatch(/ECONN|10\.0\.0\.7/)
  })
}
