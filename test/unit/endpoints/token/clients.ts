import { type Client, MemoryTenantStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../../support/clock'
import { clientId, expectError, expectTokens, redirectUri } from '../../../support/sign-in'
import type { Start } from './start'

const basic = (username: string, password = '') => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Tenants with one company, which has this client. */
function companyWith(client: Partial<Client>): { tenantStore: MemoryTenantStore } {
  return {
    tenantStore: new MemoryTenantStore([
      { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri], ...client }] },
    ]),
  }
}

export function clients(start: Start): void {
  afterEach(releaseClock)

  it.each([
    ['the username of HTTP Basic', undefined],
    ['both the username of HTTP Basic and client_id', clientId],
  ])('can name itself by %s', async (_, inForm) => {
    const host = await start()
    const signedIn = await host.asCustomer()
    const { refresh_token } = expectTokens(
      await host.exchange(signedIn, { client_id: inForm }).set('Authorization', basic(clientId)),
    )
    expectTokens(await host.refresh(refresh_token, { client_id: inForm }).set('Authorization', basic(clientId)))
  })

  it('may change how it names itself between the code and the refresh', async () => {
    const host = await start()
    const { refresh_token } = await host.connected()
    const basically = host.refresh(refresh_token, { client_id: undefined }).set('Authorization', basic(clientId, 'x'))
    expectTokens(await host.refresh(expectTokens(await basically).refresh_token))
  })

  it('that names itself in two ways is refused, and its code is not used up', async () => {
    const host = await start()
    const signedIn = await host.asCustomer()
    const response = await host.exchange(signedIn).set('Authorization', basic('other-app'))
    expectError(response, 400, 'invalid_request')
    expectTokens(await host.exchange(signedIn))
  })

  it('that does not exist gets 401 with a challenge, and no credential is used up', async () => {
    const host = await start()
    const signedIn = await host.asCustomer()
    const { refresh_token } = await host.connected()
    for (const response of [
      await host.exchange(signedIn, { client_id: 'nobody' }),
      await host.refresh(refresh_token, { client_id: 'nobody' }),
      await host.refresh(refresh_token, { client_id: undefined }).set('Authorization', basic('nobody')),
    ]) {
      expectError(response, 401, 'invalid_client')
      expect(response.headers['www-authenticate']).toMatch(/^Basic /)
    }
    expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(refresh_token))
  })

  it('without the grant type refresh_token gets no refresh token and may present none', async () => {
    const host = await start(companyWith({ grantTypes: ['authorization_code'] }))
    const { body, status } = await host.exchange(await host.asCustomer())
    expect({ status, ...body }).toEqual({
      status: 200,
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'profile',
    })
    expectError(await host.refresh('csir_'), 400, 'unauthorized_client')
  })

  it('with both grant types stays signed in for as long as any other', async () => {
    const clock = stopClock()
    const host = await start(companyWith({ grantTypes: ['authorization_code', 'refresh_token'] }))
    const { refresh_token } = await host.connected()
    clock.advance(29 * 86_400)
    expectTokens(await host.refresh(refresh_token))
  })

  it('without the grant type authorization_code gets no code and may present none', async () => {
    const host = await start(companyWith({ grantTypes: ['refresh_token'] }))
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'unauthorized_client' })
    const presented = { code: 'csic_', codeVerifier: 'x'.repeat(43), tenantKey: 'acme' }
    expectError(await host.exchange(presented), 400, 'unauthorized_client')
  })

  it('whose grant types are taken away and given back can still refresh', async () => {
    const client: Client = { clientId, redirectUris: [redirectUri] }
    const host = await start({ tenantStore: { findTenant: (key) => ({ key, clients: [client] }) } })
    const { refresh_token } = await host.connected()
    client.grantTypes = ['authorization_code']
    expectError(await host.refresh(refresh_token), 400, 'unauthorized_client')
    client.grantTypes = ['authorization_code', 'refresh_token']
    expectTokens(await host.refresh(refresh_token))
  })
}
