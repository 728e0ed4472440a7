import { randomUUID } from 'node:crypto'
import { MemoryTokenStore, type TokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { type FaultyStore, faultyStore, rejects } from '../support/faulty-store'
import { describeWithRedis, RedisServer } from '../support/redis-server'
import { registered } from '../support/registration'
import { expectError, expectTokens, clientId as ownClientId, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'

describe('clients.delete, in MemoryTokenStore', () => deletingClients(() => new MemoryTokenStore()))

describeWithRedis('clients.delete, in RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  deletingClients(() => new RedisTokenStore(redis, { keyPrefix: `${randomUUID()}:` }))
})

/** What the host can rely on when it deletes a registered client. */
function deletingClients(createStore: () => TokenStore): void {
  async function prepared(): Promise<{ host: TestSignIn; faulty: FaultyStore; clientId: string }> {
    const faulty = faultyStore(createStore())
    const host = await started({ tokenStore: faulty.store })
    return { host, faulty, clientId: await registered(host) }
  }

  /** Connects a client of a customer. */
  async function connect(host: TestSignIn, clientId: string, subject = 'ada') {
    const signedIn = await host.asCustomer({ clientId, subject })
    const tokens = expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    return { refresh: () => host.refresh(tokens.refresh_token, { client_id: clientId }), ...tokens }
  }

  it('ends the grants of the client, whichever customer connected it, and those of no other client', async () => {
    const { host, clientId } = await prepared()
    const other = await connect(host, await registered(host))
    const connected = [await connect(host, clientId, 'ada'), await connect(host, clientId, 'bob')]
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId })).toBe(true)
    for (const { refresh, access_token } of connected) {
      const check = host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme', checkRevocation: true })
      await expect(check).rejects.toMatchObject({ code: 'invalid_token' })
      expectError(await refresh(), 401, 'invalid_client')
    }
    expectTokens(await other.refresh())
    const told = await host.told('revoked')
    expect(told.map(({ reason, subject }) => `${reason} ${subject}`).sort()).toEqual([
      'client_gone ada',
      'client_gone bob',
    ])
  })

  it('ends the grants of a client that hundreds of customers have connected', async () => {
    const { host, clientId } = await prepared()
    const customers = Array.from({ length: 120 }, (_, index) => `customer-${index}`)
    for (const subject of customers) await host.asCustomer({ clientId, subject })
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId })).toBe(true)
    expect((await host.told('revoked')).map(({ subject }) => subject).sort()).toEqual(customers.sort())
  })

  it('ends with the next call what was left because the store failed', async () => {
    const { host, faulty, clientId } = await prepared()
    const { refresh } = await connect(host, clientId)
    faulty.next('deleteGrants', rejects)
    const deletion = () => host.signIn.clients.delete({ tenantKey: 'acme', clientId })
    await expect(deletion()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(await host.told('error')).toMatchObject([{ where: 'clients.delete', tenantKey: 'acme', clientId }])
    expect(await deletion()).toBe(false)
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client_gone', clientId }])
    expectError(await refresh(), 401, 'invalid_client')
  })

  it('lets no code redeem a grant from then on, also while the grants are being ended', async () => {
    const { host, faulty, clientId } = await prepared()
    const signedIn = await host.asCustomer({ clientId, subject: 'ada' })
    faulty.next('deleteGrants', async (apply) => {
      expectError(await host.exchange(signedIn, { client_id: clientId }), 401, 'invalid_client')
      return apply()
    })
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId })).toBe(true)
    expect(await host.told('issued')).toEqual([])
  })

  it('ends no grant of a client that has not registered itself', async () => {
    const { host } = await prepared()
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId: 'unknown' })).toBe(false)
    const { refresh_token } = await host.connected()
    expect(await host.signIn.clients.delete({ tenantKey: 'acme', clientId: ownClientId })).toBe(false)
    expectTokens(await host.refresh(refresh_token))
  })
}
