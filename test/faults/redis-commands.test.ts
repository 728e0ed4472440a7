import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { newRegisteredId } from '../../src/protocol/client-id'
import { goTogether, releaseClock, stopClock } from '../support/clock'
import { commandsDuring } from '../support/redis-commands'
import { describeWithRedisClock, eventually, RedisServer } from '../support/redis-server'
import { saveClient } from '../support/registration'
import { resp } from '../support/resp'
import { ServerProxy } from '../support/server-proxy'
import { expectTokens, type TestSignIn } from '../support/sign-in'
import { startedOnRedis } from '../support/started-on-redis'

const year = 365 * 86_400_000

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

  it('is one command for a refresh token of a client that registered itself, one more with the first after a sign-in, and two more with the first of a day', async () => {
    const clientId = newRegisteredId()
    await saveClient(host.tokenStore, { clientId, lifetime: year })
    await host.tokenStore.touchClient('acme', clientId, { lifetime: year, inUse: true })
    let tokens = expectTokens(await host.exchange(await host.asCustomer({ clientId }), { client_id: clientId }))
    const refresh = async () => {
      tokens = expectTokens(await host.refresh(tokens.refresh_token, { client_id: clientId }))
    }
    expect((await sentDuring(refresh)).sort()).toEqual(['evalsha', 'get'])
    expect(await sentDuring(refresh)).toEqual(['evalsha'])
    clock.advance(86_400)
    // The registration is looked up, and its use is written.
    expect((await sentDuring(refresh)).sort()).toEqual(['evalsha', 'evalsha', 'get'])
    expect(await sentDuring(refresh)).toEqual(['evalsha'])
  })

  it('is one more command for the code of a registered client, sent before the reply to the first', async () => {
    const proxy = await ServerProxy.start(server.port, resp)
    try {
      const through = await startedOnRedis(proxy.port)
      await saveClient(through.tokenStore)
      await through.tokenStore.touchClient('acme', 'registered', { lifetime: year, inUse: true })
      const signedIn = await through.asCustomer({ clientId: 'registered' })
      const before = proxy.arrived.length
      const sent = () => proxy.arrived.slice(before).flat().sort()
      server.signal('SIGSTOP')
      const answer = through.exchange(signedIn, { client_id: 'registered' }).then(expectTokens)
      await eventually(async () => sent().length >= 2).finally(() => server.signal('SIGCONT'))
      await answer
      expect(sent()).toEqual(['evalsha', 'get'])
    } finally {
      await proxy.stop()
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
