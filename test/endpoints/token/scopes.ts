import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import type { Start } from './start'

export function scopes(start: Start): void {
  it('is all that the company offers where the authorization named none', async () => {
    const host = await start()
    expect((await host.connected()).scope).toBe('profile calendar')
    expect((await host.connected({ tenantKey: 'globex' })).scope).toBe('profile')
  })

  it('is no more than the client may ask for', async () => {
    const client = { clientId, redirectUris: [redirectUri], scope: 'calendar mail' }
    const host = await start({
      tenantStore: { findTenant: (key) => ({ key, clients: [client], scopes: ['profile', 'calendar'] }) },
    })
    expect((await host.connected()).scope).toBe('calendar')
    await expect(host.asCustomer({ scope: 'profile' })).rejects.toMatchObject({ code: 'invalid_scope' })
    await expect(host.asCustomer({ scope: 'mail' })).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  it('of a refresh can be narrower, for that access token alone', async () => {
    const host = await start()
    const first = await host.connected()
    const narrow = expectTokens(await host.refresh(first.refresh_token, { scope: 'calendar' }))
    expect(narrow.scope).toBe('calendar')
    const { scopes } = await host.signIn.verifyAccessToken(narrow.access_token, { tenantKey: 'acme' })
    expect(scopes).toEqual(['calendar'])
    expect(expectTokens(await host.refresh(narrow.refresh_token)).scope).toBe('profile calendar')
  })

  it('of a refresh cannot be wider than was granted, though the company offers more', async () => {
    const host = await start()
    const { scope, refresh_token } = await host.connected({ scope: 'profile' })
    expect(scope).toBe('profile')
    const described = expectError(
      await host.refresh(refresh_token, { scope: 'profile calendar' }),
      400,
      'invalid_scope',
    )
    expect(described).toMatch(/calendar/)
    expect(expectTokens(await host.refresh(refresh_token, { scope: 'profile' })).scope).toBe('profile')
  })

  it('may name offline_access, which changes nothing', async () => {
    const host = await start()
    const { scope, refresh_token } = await host.connected({ scope: 'calendar offline_access' })
    expect(scope).toBe('calendar')
    const next = expectTokens(await host.refresh(refresh_token, { scope: 'calendar offline_access' }))
    expect(next.scope).toBe('calendar')
    expect(expectTokens(await host.refresh(next.refresh_token, { scope: 'offline_access' })).scope).toBe('calendar')
  })

  it('may name a scope twice and in any order', async () => {
    const host = await start()
    const { refresh_token } = await host.connected()
    const response = await host.refresh(refresh_token, { scope: 'calendar profile calendar' })
    expect(expectTokens(response).scope.split(' ').sort()).toEqual(['calendar', 'profile'])
  })

  it('stays as it was granted when the company offers less or more later', async () => {
    const tenant = {
      key: 'acme',
      clients: [{ clientId, redirectUris: [redirectUri] }],
      scopes: ['profile', 'calendar'],
    }
    const host = await start({ tenantStore: { findTenant: () => tenant } })
    const { refresh_token } = await host.connected({ scope: 'calendar' })
    tenant.scopes = ['profile', 'mail']
    expect(expectTokens(await host.refresh(refresh_token)).scope).toBe('calendar')
  })
}
