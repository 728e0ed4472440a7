import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { clientId, expectError, expectTokens, redirectUri, tenants as testTenants } from '../../../support/sign-in'
import type { Start } from './start'

const clients = [{ clientId, redirectUris: [redirectUri] }]

export function tenants(start: Start): void {
  it('does not redeem codes and tokens of another', async () => {
    const host = await start()
    const signedIn = await host.asCustomer({ tenantKey: 'acme' })
    expectError(await host.exchange({ ...signedIn, tenantKey: 'globex' }), 400, 'invalid_grant')
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    expectError(await host.refresh(refresh_token, {}, 'globex'), 400, 'invalid_grant')
    expectTokens(await host.refresh(refresh_token, {}, 'acme'))
  })

  describe('whose key has passed to another company', () => {
    /** The key `acme` before and after it passes to another company, with the same clients and resources. */
    async function passingOn() {
      const tenant: Tenant = { key: 'acme', id: 'company-1', clients, resources: ['https://api.acme.example'] }
      const host = await start({ tenantStore: { findTenant: () => ({ ...tenant }) } })
      const passTo = (id: string) => {
        tenant.id = id
      }
      return { host, passTo }
    }

    it('redeems none of the old codes and refresh tokens, and uses none up', async () => {
      const { host, passTo } = await passingOn()
      const signedIn = await host.asCustomer()
      const { refresh_token } = await host.connected()
      passTo('company-2')
      expectError(await host.exchange(signedIn), 400, 'invalid_grant')
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      passTo('company-1')
      expectTokens(await host.exchange(signedIn))
      expectTokens(await host.refresh(refresh_token))
    })

    it('accepts none of the old access tokens', async () => {
      const { host, passTo } = await passingOn()
      const { access_token } = await host.connected()
      await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
      passTo('company-2')
      await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
        code: 'invalid_token',
      })
    })

    it('neither lists nor revokes the grants of the old company', async () => {
      const { host, passTo } = await passingOn()
      const customer = { tenantKey: 'acme', subject: `customer-${Date.now()}` }
      const { refresh_token } = await host.connected({ subject: customer.subject })
      passTo('company-2')
      expect((await host.signIn.grants.list(customer)).grants).toEqual([])
      expect(await host.signIn.grants.revokeAll(customer)).toBe(0)
      passTo('company-1')
      expectTokens(await host.refresh(refresh_token))
    })
  })

  it.each([{ accessTokenLifetime: 3601 }, { refreshTokenLifetime: 30 * 86_400 + 1 }, { accessTokenLifetime: 0 }])(
    'whose record says %j is reported to the operator, and the others go on working',
    async (lifetime) => {
      const broken: Tenant = { key: 'initech', clients }
      const host = await start({ tenantStore: new MemoryTenantStore([...testTenants, broken]) })
      const signedIn = await host.asCustomer({ tenantKey: 'initech' })

      Object.assign(broken, lifetime)
      expectError(await host.exchange(signedIn), 500, 'server_error')
      const [option = ''] = Object.keys(lifetime)
      expect(await host.told('error')).toEqual([
        {
          at: expect.any(Number),
          type: 'error',
          reason: 'misconfigured',
          where: 'token',
          tenantKey: 'initech',
          error: expect.objectContaining({ name: 'ConfigurationError', option: `tenant.${option}` }),
        },
      ])
      expectTokens(await host.exchange(await host.asCustomer({ tenantKey: 'acme' })))

      Object.assign(broken, { [option]: 60 })
      expectTokens(await host.exchange(signedIn))
    },
  )
}
