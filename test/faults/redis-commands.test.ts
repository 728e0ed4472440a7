import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { goTogether, releaseClock, stopClock } from '../support/clock'
import { commandsDuring } from '../support/redis-commands'
import { describeWithRedisClock, RedisServer } from '../support/redis-server'
import { registered } from '../support/registration'
import { resp } from '../support/resp'
import { ServerProxy } from '../support/server-proxy'
import { expectTokens, type TestSignIn } from '../support/sign-in'
import { startedOnRedis } from '../support/started-on-redis'

describeWithRedisClock('what is sent to Redis', () => {
  let server: RedisServer
  let host: TestSignIn
  let clock: ReturnType<typeof stopClock>
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
    goTogether(server.clock)
  })
  afterAll(() => server.stop())
  afterEach(releaseClock)
  beforeEach(async () => {
    clock = stopClock()
    host = await startedOnRedis(server.port)
    // From then on, the server has the scripts.
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
  })

  /** The names of the commands that clients send. */
  async function sentDuring(work: () => PromiseLike<unknown>): Promise<string[]> {
    return (await commandsDuring(server, work)).filter(({ inScript }) => !inScript).map(({ name }) => name)
  }

  it('is one command for a code, and one for a refresh token', async () => {
    const signedIn = await host.asCustomer()
    expect(await sentDuring(() => host.exchange(signedIn))).toEqual(['evalsha'])
    const { refresh_token } = await host.connected()
    expect(await sentDuring(() => host.refresh(refresh_token))).toEqual(['evalsha'])
  })

  it('is one command also for the first refresh after a week', async () => {
    const { refresh_token } = await host.connected()
    clock.advance(7 * 86_400)
    expect(await sentDuring(() => host.refresh(refresh_token))).toEqual(['evalsha'])
  })

  it('is one command also if the request names a resource', async () => {
    const resource = 'https://files.globex.example'
    const { refresh_token } = await host.connected({ tenantKey: 'globex', resource })
    expect(await sentDuring(() => host.refresh(refresh_token, { resource }, 'globex'))).toEqual(['evalsha'])
  })

  it('is two commands if the request narrows the scope', async () => {
    const { refresh_token } = await host.connected()
    expect(await sentDuring(() => host.refresh(refresh_token, { scope: 'profile' }))).toEqual(['get', 'evalsha'])
  })

  it('is one command for a code that is refused', async () => {
    const signedIn = await host.asCustomer()
    const work = () => host.exchange(signedIn, { code_verifier: 'x'.repeat(43) })
    expect(await sentDuring(work)).toEqual(['evalsha'])
  })

  it('is one command also for a client that registered itself, with the first refresh of a day as with any other', async () => {
    const clientId = await registered(host)
    let { refresh_token: newest } = expectTokens(
      await host.exchange(await host.asCustomer({ clientId }), { client_id: clientId }),
    )
    for (const _ of [1, 2]) {
      const refresh = async () => {
        newest = expectTokens(await host.refresh(newest, { client_id: clientId })).refresh_token
      }
      expect(await sentDuring(refresh)).toEqual(['evalsha'])
      clock.advance(86_400)
    }
  })

  it('goes out together for all calls in one turn of the event loop', async () => {
    const proxy = await ServerProxy.start(server.port, resp)
    const redis = new Redis(proxy.port)
    try {
      const store = new RedisTokenStore(redis)
      await store.findGrant('acme', 'before')
      const before = proxy.arrived.length
      await Promise.all(Array.from({ length: 20 }, (_, index) => store.findGrant('acme', `grant-${index}`)))
      expect(proxy.arrived.slice(before)).toEqual([Array(20).fill('get')])
    } finally {
      redis.disconnect()
      await proxy.stop()
    }
  })

  it('goes out even if a test of the host has installed fake timers', async () => {
    const redis = new Redis(server.port)
    const timers = jest.requireActual<typeof import('node:timers')>('node:timers')
    const fake = jest.spyOn(timers, 'setImmediate').mockImplementation(() => ({}) as NodeJS.Immediate)
    try {
      expect(await new RedisTokenStore(redis).findGrant('acme', 'unknown')).toBeUndefined()
      expect(await new RedisTokenStore(redis).findGrant('acme', 'unknown')).toBeUndefined()
    } finally {
      fake.mockRestore()
      redis.disconnect()
    }
  })
})
