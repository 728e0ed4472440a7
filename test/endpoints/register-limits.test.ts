import { randomUUID } from 'node:crypto'
import { type CustomerSignInOptions, MemoryTokenStore, type TokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { Authorization, asTheySay, expectErrorPage } from '../support/authorization'
import { goAlone, goTogether, releaseClock, stopClock } from '../support/clock'
import { faultyStore, rejects } from '../support/faulty-store'
import { describeWithRedisClock, eventually, RedisServer } from '../support/redis-server'
import { registered } from '../support/registration'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../support/sign-in'
import { started } from '../support/started'

const day = 86_400
const refreshToken = `csir_${'A'.repeat(84)}`

describe('registrations in MemoryTokenStore', () => {
  limits(() => new MemoryTokenStore())

  it('make room at their own tenant also when the store is full', async () => {
    const tokenStore = new MemoryTokenStore({ maxClients: 2 })
    const host = await started({ tokenStore, maxRegistrationsPerTenant: 2 })
    const ids = [await registered(host), await registered(host), await registered(host)]
    const left = await Promise.all(ids.map((clientId) => host.signIn.clients.find({ tenantKey: 'acme', clientId })))
    expect(left.map(Boolean)).toEqual([false, true, true])
  })

  it('are not refused at one company because a customer of another has allowed many and connected none', async () => {
    const tokenStore = new MemoryTokenStore({ maxClients: 4 })
    const host = await started({ tokenStore, maxRegistrationsPerTenant: 2 })
    for (let count = 0; count < 6; count++) {
      await host.asCustomer({ clientId: await registered(host), subject: 'attacker' })
    }
    const clientId = await registered(host, {}, 'globex')
    expect(await host.signIn.clients.find({ tenantKey: 'globex', clientId })).toBeDefined()
  })
})

describeWithRedisClock('registrations in RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
    goTogether(server.clock)
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    goAlone(server.clock)
    await server.stop()
  })
  limits(() => new RedisTokenStore(redis, { keyPrefix: `${randomUUID()}:` }))
})

/** What every store guarantees about the registrations of a tenant. */
function limits(createStore: () => TokenStore): void {
  afterEach(releaseClock)

  const start = (options: Partial<CustomerSignInOptions> = {}) =>
    started({ authenticate: asTheySay, tokenStore: createStore(), ...options })

  /** Registers clients one after the other, a second apart. */
  async function severalAt(host: TestSignIn, count: number, tenantKey = 'acme'): Promise<string[]> {
    const clock = stopClock()
    const ids: string[] = []
    while (ids.length < count) {
      ids.push(await registered(host, {}, tenantKey))
      clock.advance(1)
    }
    return ids
  }

  /** Which of the clients are still registered. */
  async function leftOf(host: TestSignIn, ids: readonly string[], tenantKey = 'acme'): Promise<string[]> {
    const found = await Promise.all(ids.map((clientId) => host.signIn.clients.find({ tenantKey, clientId })))
    return ids.filter((_, index) => found[index])
  }

  /** A customer connects a client. */
  async function connect(host: TestSignIn, clientId: string): Promise<Tokens> {
    const signedIn = await new Authorization(host, { client_id: clientId }).allowed()
    const tokens = expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    await kept(host, clientId)
    return tokens
  }

  // A response does not wait until the registration is extended.
  const kept = (host: TestSignIn, clientId: string) =>
    eventually(async () => {
      const grants = (await host.tokenStore.listGrants('acme', 'customer-1')).filter(
        (each) => each.clientId === clientId,
      )
      const client = await host.tokenStore.findClient('acme', clientId)
      const until = Math.max(...grants.map(({ expiresAt }) => expiresAt))
      return client?.inUse === true && client.expiresAt >= until
    })

  const outcome = async (host: TestSignIn, clientId: string) =>
    (await host.refresh(refreshToken, { client_id: clientId })).body.error

  describe('that nobody uses', () => {
    it('make room for others, the oldest first', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const ids = await severalAt(host, 5)
      expect(await leftOf(host, ids)).toEqual(ids.slice(2))
      expect(await Promise.all(ids.map((id) => outcome(host, id)))).toEqual([
        ...['invalid_client', 'invalid_client', 'invalid_grant', 'invalid_grant', 'invalid_grant'],
      ])
    })

    it('make room only for those of their own tenant', async () => {
      const host = await start({ maxRegistrationsPerTenant: 2 })
      const there = await severalAt(host, 2, 'globex')
      await severalAt(host, 5)
      expect(await leftOf(host, there, 'globex')).toEqual(there)
    })

    it('make room at the company that has the most, if all companies together have too many', async () => {
      const host = await start({ maxRegistrations: 5 })
      const there = await severalAt(host, 2, 'globex')
      const ids = await severalAt(host, 20)
      expect(await leftOf(host, there, 'globex')).toEqual(there)
      expect(await leftOf(host, ids)).toEqual(ids.slice(-3))
      const later = await severalAt(host, 1, 'globex')
      expect(await leftOf(host, later, 'globex')).toEqual(later)
    })

    it('expire, and a client that comes back is told to register again', async () => {
      const host = await start({ registrationLifetime: 3600 })
      const clock = stopClock()
      const clientId = await registered(host)
      clock.advance(3599)
      expect(await leftOf(host, [clientId])).toEqual([clientId])
      expect(await outcome(host, clientId)).toBe('invalid_grant')
      // The server keeps a key to the end of its millisecond.
      clock.advance(1.002)
      expectErrorPage(await new Authorization(host, { client_id: clientId }).open())
      const response = await host.refresh(refreshToken, { client_id: clientId })
      expectError(response, 401, 'invalid_client')
      expect(response.headers['www-authenticate']).toMatch(/^Basic /)
    })
  })

  describe('that a customer is being asked about', () => {
    it('make room after all others', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const [clientId = '', ...others] = await severalAt(host, 3)
      const authorization = new Authorization(host, { client_id: clientId })
      const form = await authorization.form()
      const later = await severalAt(host, 2)
      expect(await leftOf(host, [clientId, ...others, ...later])).toEqual([clientId, ...later])
      const signedIn = authorization.signedIn(await authorization.answer(form))
      expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    })

    it('live as long as new registrations from then on', async () => {
      const host = await start({ registrationLifetime: 60 })
      const clock = stopClock()
      const clientId = await registered(host)
      clock.advance(59)
      await new Authorization(host, { client_id: clientId }).form()
      clock.advance(59)
      expect(await leftOf(host, [clientId])).toEqual([clientId])
      clock.advance(1.002)
      expect(await leftOf(host, [clientId])).toEqual([])
    })

    it('never exceed the limit for unused ones, for however many of them a customer opens the page', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const ids: string[] = []
      for (let count = 0; count < 8; count++) {
        ids.push(...(await severalAt(host, 1)))
        await new Authorization(host, { client_id: ids.at(-1) ?? '' }).form()
      }
      expect(await leftOf(host, ids)).toEqual(ids.slice(-3))
    })

    it('make room as before, if nobody has signed in for the page', async () => {
      const authenticate: CustomerSignInOptions['authenticate'] = (_req, res) => void res.end('Who are you?')
      const host = await start({ maxRegistrationsPerTenant: 2, authenticate })
      const [clientId = '', second = ''] = await severalAt(host, 2)
      await new Authorization(host, { client_id: clientId }).open().expect(200)
      const later = await severalAt(host, 1)
      expect(await leftOf(host, [clientId, second, ...later])).toEqual([second, ...later])
    })
  })

  describe('that a customer has allowed', () => {
    it('never exceed the limit for unused ones, for however many of them a customer presses Allow', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const ids: string[] = []
      for (let count = 0; count < 8; count++) {
        ids.push(...(await severalAt(host, 1)))
        await new Authorization(host, { client_id: ids.at(-1) ?? '' }).allowed()
      }
      expect(await leftOf(host, ids)).toEqual(ids.slice(-3))
    })

    it('never exceed the limit for unused ones, for however many of them a host issues codes', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const ids: string[] = []
      for (let count = 0; count < 8; count++) {
        ids.push(...(await severalAt(host, 1)))
        await host.asCustomer({ clientId: ids.at(-1) ?? '' })
      }
      expect(await leftOf(host, ids)).toEqual(ids.slice(-3))
    })

    it('make room after all others until the code is redeemed', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const [clientId = '', ...others] = await severalAt(host, 3)
      const signedIn = await host.asCustomer({ clientId })
      const later = await severalAt(host, 2)
      expect(await leftOf(host, [clientId, ...others, ...later])).toEqual([clientId, ...later])
      expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    })

    it('live until the code is redeemed, even if they were about to expire', async () => {
      const host = await start({ registrationLifetime: 60 })
      const clock = stopClock()
      const clientId = await registered(host)
      clock.advance(59)
      const signedIn = await host.asCustomer({ clientId })
      clock.advance(59)
      expectTokens(await host.exchange(signedIn, { client_id: clientId }))
    })
  })

  describe('that are in use', () => {
    it('stay, however many come after them', async () => {
      const host = await start({ maxRegistrationsPerTenant: 2 })
      const clock = stopClock()
      const clientId = await registered(host)
      const { refresh_token } = await connect(host, clientId)
      clock.advance(1)
      const ids = await severalAt(host, 5)
      expect(await leftOf(host, [clientId, ...ids])).toEqual([clientId, ...ids.slice(3)])
      expectTokens(await host.refresh(refresh_token, { client_id: clientId }))
    })

    it('take no room from those that are not in use', async () => {
      const host = await start({ maxRegistrationsPerTenant: 3 })
      const [first = '', second = ''] = await severalAt(host, 2)
      await connect(host, second)
      const ids = [first, second, ...(await severalAt(host, 2))]
      expect(await leftOf(host, ids)).toEqual(ids)
    })

    it('outlive their grants, through years of refreshing, and expire after the last', async () => {
      const host = await start({ registrationLifetime: 60 })
      const clock = stopClock()
      const clientId = await registered(host)
      let tokens = await connect(host, clientId)
      for (let month = 0; month < 24; month++) {
        clock.advance(29 * day)
        tokens = expectTokens(await host.refresh(tokens.refresh_token, { client_id: clientId }))
        await kept(host, clientId)
      }
      clock.advance(100 * day)
      expectError(await host.refresh(tokens.refresh_token, { client_id: clientId }), 401, 'invalid_client')
    })

    it('outlive the grant of a code although the store failed to record its redemption, and are in use from the next refresh on', async () => {
      const { store, next } = faultyStore(createStore())
      const host = await start({ tokenStore: store, registrationLifetime: 60 })
      const clock = stopClock()
      const clientId = await registered(host)
      const signedIn = await new Authorization(host, { client_id: clientId }).allowed()
      next('touchClient', rejects)
      const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_id: clientId }))
      clock.advance(29 * day)
      expect(await host.signIn.clients.find({ tenantKey: 'acme', clientId })).not.toHaveProperty('inUse', true)
      expectTokens(await host.refresh(refresh_token, { client_id: clientId }))
      await kept(host, clientId)
    })

    it('outlive their grants although the store once failed to extend one', async () => {
      const { store, next } = faultyStore(createStore())
      const host = await start({ tokenStore: store })
      const clock = stopClock()
      const clientId = await registered(host)
      const first = await connect(host, clientId)
      clock.advance(29 * day)
      next('touchClient', rejects)
      const second = expectTokens(await host.refresh(first.refresh_token, { client_id: clientId }))
      clock.advance(29 * day)
      expectTokens(await host.refresh(second.refresh_token, { client_id: clientId }))
    })
  })
}
