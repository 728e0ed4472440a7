import { MemoryTenantStore } from 'customer-sign-in'
import { Authorization, asTheySay } from '../support/authorization'
import { consentForm } from '../support/consent-form'
import { registered } from '../support/registration'
import { expectError, expectTokens, tenants } from '../support/sign-in'
import { started } from '../support/started'

describe('consent', () => {
  it('is asked for a client that registered itself, even if the tenant’s own clients need none', async () => {
    const host = await started({ authenticate: asTheySay, consent: false })
    await new Authorization(host).open().expect(303)
    const client_id = await registered(host)
    consentForm(await new Authorization(host, { client_id }).open().expect(200))
  })

  it('counts only for what the page has shown: if that changes, the customer is asked again', async () => {
    const acme = { ...tenants[0], key: 'acme', scopes: ['profile'] }
    const host = await started({ authenticate: asTheySay, tenantStore: new MemoryTenantStore([acme]) })
    const authorization = new Authorization(host)
    const form = await authorization.form()
    acme.scopes = ['profile', 'payments']
    const asked = consentForm(await authorization.answer(form).expect(200))
    expect(await host.tokenStore.listGrants('acme', 'customer-1')).toEqual([])
    const { scope } = expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(asked))))
    expect(scope).toBe('profile payments')
  })

  it('that is given again on an old page revives no ended grant and none of its refresh tokens', async () => {
    const host = await started({ authenticate: asTheySay })
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const first = authorization.signedIn(await authorization.answer(form))
    const stolen = expectTokens(await host.exchange(first))
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    const again = authorization.signedIn(await authorization.answer(form))
    expect(again.code).not.toBe(first.code)
    expectError(await host.exchange(first), 400, 'invalid_grant')
    expectError(await host.refresh(stolen.refresh_token), 400, 'invalid_grant')
  })
})
