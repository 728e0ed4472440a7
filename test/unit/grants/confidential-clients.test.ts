import { type Client, MemoryTokenStore, newClientSecret } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { recordOf, restore } from '../../support/records'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const { secret, hash } = newClientSecret()
const authenticated = { client_secret: secret }
const authentication = { clients: { authentication: ['none', 'client_secret_post'] } } as const

/** A host whose only client has a secret, until a test changes the client. */
async function hostWith(options: TestOptions = {}, members: Partial<Client> = { secretHashes: [hash] }) {
  const client: Client = { clientId, redirectUris: [redirectUri], ...members }
  const resources = ['https://api.example/mcp']
  const tenantStore = { findTenant: (key: string) => ({ key, id: key, clients: [client], resources }) }
  return { host: await started({ tenantStore, ...authentication, ...options }), client }
}

async function connected(host: TestSignIn): Promise<string> {
  return expectTokens(await host.exchange(await host.asCustomer(), authenticated)).refresh_token
}

afterEach(releaseClock)

describe('the code and the refresh token of a client that authenticates', () => {
  it('are redeemed by the client', async () => {
    const { host } = await hostWith()
    const second = expectTokens(await host.refresh(await connected(host), authenticated))
    expectTokens(await host.refresh(second.refresh_token, authenticated))
  })

  it('are not used up by a request without authentication, and the grant does not end', async () => {
    const { host } = await hostWith()
    const signedIn = await host.asCustomer()
    expectError(await host.exchange(signedIn), 401, 'invalid_client')
    const { refresh_token } = expectTokens(await host.exchange(signedIn, authenticated))
    expectError(await host.refresh(refresh_token), 401, 'invalid_client')
    expectTokens(await host.refresh(refresh_token, authenticated))
    expect(await host.told('replayed')).toEqual([])
  })

  it('are not redeemed without authentication even where the server has forgotten that the client must authenticate', async () => {
    const { host, client } = await hostWith()
    const signedIn = await host.asCustomer()
    const refreshToken = await connected(host)
    delete client.secretHashes
    for (const response of [
      await host.exchange(signedIn),
      await host.refresh(refreshToken),
      await host.refresh(refreshToken, { scope: 'profile' }),
    ]) {
      expect(expectError(response, 401, 'invalid_client')).toBe('The client must authenticate')
    }
    const [, ofGrant] = await host.told('denied')
    const [{ grantId } = { grantId: '' }] = await host.told('issued')
    expect(ofGrant).toMatchObject({ reason: 'not_authenticated', tenantId: 'acme', clientId, grantId })
    client.secretHashes = [hash]
    expectTokens(await host.exchange(signedIn, authenticated))
    expectTokens(await host.refresh(refreshToken, authenticated))
  })

  it('are refused, and not used up, while the host has switched the method off', async () => {
    const tokenStore = new MemoryTokenStore()
    const { host } = await hostWith({ tokenStore })
    const { host: without } = await hostWith({ tokenStore, clients: { authentication: ['none'] } })
    const refreshToken = await connected(host)
    expectError(await without.refresh(refreshToken, authenticated), 401, 'invalid_client')
    expectTokens(await host.refresh(refreshToken, authenticated))
  })

  it('are refused once they have expired, without a word about the customer', async () => {
    const clock = stopClock()
    const { host, client } = await hostWith()
    const refreshToken = await connected(host)
    clock.advance(31 * 86_400)
    expectError(await host.refresh(refreshToken, authenticated), 400, 'invalid_grant')
    expect(await host.told('expired')).toMatchObject([{ clientId, limit: 'lifetimes.refreshToken' }])
    delete client.secretHashes
    expectError(await host.refresh(refreshToken), 401, 'invalid_client')
  })

  it('end their grant when they are replayed', async () => {
    const clock = stopClock()
    const { host } = await hostWith()
    const first = await connected(host)
    const { refresh_token } = expectTokens(await host.refresh(first, authenticated))
    clock.advance(60)
    expectError(await host.refresh(first, authenticated), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
    expectError(await host.refresh(refresh_token, authenticated), 400, 'invalid_grant')
  })

  it('are answered again inside refreshRetryWindow, and only if the client authenticates again', async () => {
    const clock = stopClock()
    const { host } = await hostWith({ refreshRetryWindow: 300 })
    const first = await connected(host)
    const second = expectTokens(await host.refresh(first, authenticated)).refresh_token
    clock.advance(60)
    expectError(await host.refresh(first), 401, 'invalid_client')
    expect(expectTokens(await host.refresh(first, authenticated)).refresh_token).toBe(second)
  })

  it('go on after a failover that lost the newest redemptions', async () => {
    const { host } = await hostWith()
    const first = await connected(host)
    const copy = await recordOf(host.tokenStore)
    const second = expectTokens(await host.refresh(first, authenticated)).refresh_token
    const third = expectTokens(await host.refresh(second, authenticated)).refresh_token
    await restore(host.tokenStore, copy)
    expectTokens(await host.refresh(third, authenticated))
    expect(await host.told('refreshed')).toMatchObject([{}, {}, { recovered: true }])
  })

  it('can be revoked by the client alone', async () => {
    const { host, client } = await hostWith()
    const { access_token, refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), authenticated))
    const revoke = (token: string, fields = {}) => host.revoke({ token, ...fields })
    for (const token of [access_token, refresh_token]) expectError(await revoke(token), 401, 'invalid_client')
    delete client.secretHashes
    expectError(await revoke(refresh_token), 401, 'invalid_client')
    client.secretHashes = [hash]
    const next = expectTokens(await host.refresh(refresh_token, authenticated))
    await revoke(next.refresh_token, authenticated).expect(200)
    expectError(await host.refresh(next.refresh_token, authenticated), 400, 'invalid_grant')
  })
})

describe('a client that begins to authenticate', () => {
  async function asPublic(options: TestOptions = {}) {
    const { host, client } = await hostWith(options, {})
    const begin = () => {
      client.secretHashes = [hash]
    }
    return { host, client, begin, refreshToken: (await host.connected()).refresh_token }
  }

  it('needs one new sign-in of each customer, and nothing that it has from before is used up', async () => {
    const { host, client, begin, refreshToken } = await asPublic()
    const signedIn = await host.asCustomer()
    begin()
    for (const fields of [{}, { scope: 'profile' }]) {
      expectError(await host.refresh(refreshToken, { ...authenticated, ...fields }), 400, 'invalid_grant')
    }
    expectError(await host.exchange(signedIn, authenticated), 400, 'invalid_grant')
    expectError(await host.refresh(refreshToken), 401, 'invalid_client')
    expect(await host.told('replayed')).toEqual([])
    const again = expectTokens(await host.exchange(await host.asCustomer(), authenticated))
    expectTokens(await host.refresh(again.refresh_token, authenticated))
    delete client.secretHashes
    expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(refreshToken))
  })

  it('can revoke a refresh token from before', async () => {
    const { host, begin, refreshToken } = await asPublic()
    begin()
    await host.revoke({ token: refreshToken, ...authenticated }).expect(200)
    expectError(await host.refresh(refreshToken, authenticated), 400, 'invalid_grant')
  })
})
