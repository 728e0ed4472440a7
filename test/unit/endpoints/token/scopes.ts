import { decode } from 'jsonwebtoken'
import { clientId, expectError, expectTokens, redirectUri } from '../../../support/sign-in'
import type { Start } from './start'

export function scopes(start: Start): void {
  it('is everything that the company offers if the authorization named none', async () => {
    const host = await start()
    expect((await host.connected()).scope).toBe('profile calendar')
    expect((await host.connected({ tenantKey: 'globex' })).scope).toBe('profile')
  })

  it('is no more than the client may ask for', async () => {
    const client = { clientId, redirectUris: [redirectUri], scopes: ['calendar', 'mail'] }
    const host = await start({
      tenantStore: { findTenant: (key) => ({ key, clients: [client], scopes: ['profile', 'calendar'] }) },
    })
    expect((await host.connected()).scope).toBe('calendar')
    expect((await host.connected({ scopes: 'profile calendar' })).scope).toBe('calendar')
    await expect(host.asCustomer({ scopes: 'profile' })).rejects.toMatchObject({ code: 'invalid_scope' })
    await expect(host.asCustomer({ scopes: 'mail' })).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  it('is refused to a client that may ask for none of the scopes on offer', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], scopes: ['mail'] }]
    const host = await start({ tenantStore: { findTenant: (key) => ({ key, clients, scopes: ['profile'] }) } })
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  it('is empty at a company that has none', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    const host = await start({ tenantStore: { findTenant: (key) => ({ key, clients, scopes: [] }) } })
    const { scope, refresh_token } = await host.connected()
    expect([scope, expectTokens(await host.refresh(refresh_token)).scope]).toEqual(['', ''])
  })

  it.each(['calendar', 'admin', 'openid profile email', ' calendar', '"'])(
    'is that of the authorization, whatever scope the exchange of the code names: %j',
    async (scope) => {
      const host = await start()
      const tokens = expectTokens(await host.exchange(await host.asCustomer({ scopes: 'profile' }), { scope }))
      expect(tokens.scope).toBe('profile')
      expect(expectTokens(await host.refresh(tokens.refresh_token)).scope).toBe('profile')
    },
  )

  it('of a refresh can be narrower, for that access token only', async () => {
    const host = await start()
    const first = await host.connected()
    const narrow = expectTokens(await host.refresh(first.refresh_token, { scope: 'calendar' }))
    expect(narrow.scope).toBe('calendar')
    const { scopes } = await host.signIn.verifyAccessToken(narrow.access_token, { tenantKey: 'acme' })
    expect(scopes).toEqual(['calendar'])
    expect(expectTokens(await host.refresh(narrow.refresh_token)).scope).toBe('profile calendar')
  })

  it('of a refresh cannot be wider than was granted, although the company offers more', async () => {
    const host = await start()
    const { scope, refresh_token } = await host.connected({ scopes: 'profile' })
    expect(scope).toBe('profile')
    expectError(await host.refresh(refresh_token, { scope: 'calendar' }), 400, 'invalid_scope')
    const next = expectTokens(await host.refresh(refresh_token, { scope: 'profile calendar' }))
    expect(next.scope).toBe('profile')
    const { scopes } = await host.signIn.verifyAccessToken(next.access_token, { tenantKey: 'acme' })
    expect(scopes).toEqual(['profile'])
  })

  it('may name offline_access, which changes nothing', async () => {
    const host = await start()
    const { scope, refresh_token } = await host.connected({ scopes: 'calendar offline_access' })
    expect(scope).toBe('calendar')
    const next = expectTokens(await host.refresh(refresh_token, { scope: 'calendar offline_access' }))
    expect(next.scope).toBe('calendar')
    expect(expectTokens(await host.refresh(next.refresh_token, { scope: 'offline_access' })).scope).toBe('calendar')
  })

  it('of a refresh may repeat all that was first asked for, of which the granted part is answered', async () => {
    const host = await start()
    for (const scope of [
      'openid profile email',
      ' calendar  profile openid offline_access',
      'offline_access',
      'openid email offline_access',
    ]) {
      const first = await host.connected({ scopes: scope })
      const again = expectTokens(await host.refresh(first.refresh_token, { scope }))
      expect(again.scope.split(' ').sort()).toEqual(first.scope.split(' ').sort())
      const { scopes: granted } = await host.signIn.verifyAccessToken(again.access_token, { tenantKey: 'acme' })
      expect(granted).toEqual(again.scope.split(' '))
    }
  })

  it('of a refresh may repeat what the client’s own record did not allow, which is not given', async () => {
    const client = { clientId, redirectUris: [redirectUri], scopes: ['calendar'] }
    const host = await start({
      tenantStore: { findTenant: (key) => ({ key, clients: [client], scopes: ['profile', 'calendar'] }) },
    })
    const scope = 'profile calendar'
    const { refresh_token } = await host.connected({ scopes: scope })
    expect(expectTokens(await host.refresh(refresh_token, { scope })).scope).toBe('calendar')
  })

  it('may name a scope twice and in any order', async () => {
    const host = await start()
    const { refresh_token } = await host.connected()
    const response = await host.refresh(refresh_token, { scope: 'calendar profile calendar' })
    expect(expectTokens(response).scope.split(' ').sort()).toEqual(['calendar', 'profile'])
  })

  describe('that a company withdraws later', () => {
    async function connected(scopes: string, options = {}) {
      const tenant = {
        key: 'acme',
        clients: [{ clientId, redirectUris: [redirectUri] }],
        scopes: ['profile', 'calendar'],
      }
      const host = await start({ tenantStore: { findTenant: () => tenant }, replayTolerance: 0, ...options })
      return { host, tenant, tokens: await host.connected({ scopes }) }
    }

    it('is left out from the next refresh on, and the response says so', async () => {
      const { host, tenant, tokens } = await connected('profile calendar')
      tenant.scopes = ['profile', 'mail']
      const refreshed = expectTokens(await host.refresh(tokens.refresh_token))
      expect(refreshed.scope).toBe('profile')
      expect(decode(refreshed.access_token, { json: true })?.scope).toBe('profile')
      expect(expectTokens(await host.refresh(refreshed.refresh_token, { scope: 'profile calendar' })).scope).toBe(
        'profile',
      )
    })

    it('comes back when it is offered again, without scopes that were not granted', async () => {
      const { host, tenant, tokens } = await connected('profile calendar')
      tenant.scopes = ['profile', 'mail']
      const refreshed = expectTokens(await host.refresh(tokens.refresh_token))
      tenant.scopes = ['profile', 'calendar', 'mail']
      expect(expectTokens(await host.refresh(refreshed.refresh_token)).scope).toBe('profile calendar')
    })

    it.each([
      ['as it is', {}, {}],
      ['with a scope', { scope: 'calendar' }, {}],
      ['where the host adds claims', {}, { accessTokenClaims: () => ({ plan: 'gold' }) }],
      ['of a refresh token that was just issued, with refreshRetryWindow', {}, { refreshRetryWindow: 60 }],
    ])(
      'refuses a refresh %s if no scope is left, and keeps the grant and its refresh token',
      async (_, asked, options) => {
        const { host, tenant, tokens } = await connected('calendar', options)
        tenant.scopes = ['profile']
        for (const _again of [1, 2]) expectError(await host.refresh(tokens.refresh_token, asked), 400, 'invalid_scope')
        const denied = { reason: 'scopes_gone', subject: 'customer-1', detail: { scopes: ['calendar'] } }
        expect(await host.told('denied')).toMatchObject([denied, denied])
        tenant.scopes = ['profile', 'calendar']
        const refreshed = expectTokens(await host.refresh(tokens.refresh_token, asked))
        expect(refreshed.scope).toBe('calendar')
        expectTokens(await host.refresh(refreshed.refresh_token))
      },
    )

    it('keeps the refresh token valid at every process if nothing is left', async () => {
      const { host, tenant, tokens } = await connected('calendar')
      const { tokenStore, url: baseUrl } = host
      const elsewhere = await start({
        tokenStore,
        baseUrl,
        tenantStore: { findTenant: () => tenant },
        replayTolerance: 0,
      })
      tenant.scopes = ['profile']
      expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_scope')
      tenant.scopes = ['profile', 'calendar']
      expectTokens(await elsewhere.refresh(tokens.refresh_token))
    })

    it('does not reach accessTokenClaims if no scope is left', async () => {
      const asked: string[][] = []
      const accessTokenClaims = ({ scopes }: { scopes: string[] }) => void asked.push(scopes)
      const { host, tenant, tokens } = await connected('calendar', { accessTokenClaims })
      tenant.scopes = ['profile']
      expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_scope')
      expect(asked).toHaveLength(1)
    })

    it('refuses a code if no scope is left, and keeps it', async () => {
      const { host, tenant } = await connected('profile')
      const signedIn = await host.asCustomer({ scopes: 'calendar' })
      tenant.scopes = ['profile']
      expectError(await host.exchange(signedIn), 400, 'invalid_scope')
      tenant.scopes = ['profile', 'calendar']
      expect(expectTokens(await host.exchange(signedIn)).scope).toBe('calendar')
    })
  })
}
