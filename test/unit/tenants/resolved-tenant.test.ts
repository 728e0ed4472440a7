import { MemoryTenantStore } from 'customer-sign-in'
import { offeredScopes } from '../../../src/tenants/offered-scopes'
import { type ResolvedTenant, stillOffered } from '../../../src/tenants/resolved-tenant'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { craftedId } from '../../support/crafted-id'
import { redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

describe('a company', () => {
  it('keeps of the scopes of a grant those that it still offers', () => {
    const tenant = { policy: { scopes: ['a', 'b'] } } as unknown as ResolvedTenant
    expect(stillOffered(['b', 'a'], tenant)).toEqual(['b', 'a'])
    expect(stillOffered(['a', 'c'], tenant)).toEqual(['a'])
    expect(stillOffered(['c'], tenant)).toBeUndefined()
  })

  it('at which nobody may register knows no client that has registered itself', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', registration: false }])
    const host = await started({ authenticate: asTheySay, tenantStore })
    expectErrorPage(await new Authorization(host, { client_id: craftedId({ text: redirectUri }) }).open())
    expect(await host.told('denied')).toMatchObject([{ reason: 'registration_off' }])
  })

  it('offers no permission that is called offline_access', () => {
    expect(Object.keys(offeredScopes({ profile: 'Know you', offline_access: 'Stay' }, 'scopes'))).toEqual(['profile'])
  })
})
