import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { releaseClock } from '../support/clock'
import { recordOf } from '../support/records'
import { callsSoFar, commandsDuring } from '../support/redis-commands'
import { describeWithRedis, RedisServer } from '../support/redis-server'
import { SeededRandom } from '../support/seeded-random'
import { expectError, expectTokens, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'
import { startedOnRedis } from '../support/started-on-redis'
import { stopClockAtNoon } from '../support/stop-clock-at-noon'
import { wrapStore } from '../support/wrap-store'

const day = 86_400
const ofCustomer = { tenantKey: 'acme', subject: 'customer-1' }
const indexKey = 'csi:s:acme:customer-1'

describeWithRedis('the index of a customer’s grants', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())
  beforeEach(() => server.command('FLUSHALL'))
  afterEach(releaseClock)

  /** Until when the index knows the customer's only grant, and until when that lives. */
  async function knownAndLiving(host: TestSignIn): Promise<{ known: number; living: number }> {
    const { grantId, expiresAt } = await recordOf(host.tokenStore)
    const [score, expiry] = await Promise.all([
      server.command('ZSCORE', indexKey, grantId),
      server.command('PEXPIRETIME', indexKey),
    ])
    return { known: Math.min(Number(score), Number(expiry)), living: expiresAt }
  }

  it('is written before the grant', async () => {
    const host = await startedOnRedis(server.port)
    const run = await commandsDuring(server, () => host.asCustomer())
    const names = run.map(({ name }) => name)
    expect(names.indexOf('zadd')).toBeGreaterThanOrEqual(0)
    expect(names.indexOf('zadd')).toBeLessThan(names.indexOf('set'))
  })

  it('is written again by the first redemption of another day alone', async () => {
    const clock = stopClockAtNoon()
    const host = await startedOnRedis(server.port)
    const written = async () => (await callsSoFar(server)).zadd ?? 0
    const before = await written()
    let tokens = await host.connected()
    for (let days = 0; days < 5; days++) {
      for (let refreshes = 0; refreshes < 3; refreshes++) {
        tokens = expectTokens(await host.refresh(tokens.refresh_token))
        clock.advance(60)
      }
      expect(await written()).toBe(before + 1 + days)
      clock.advance(day)
    }
  })

  it('knows a grant for longer than that lives, whenever it is refreshed', async () => {
    const random = new SeededRandom(1)
    const clock = stopClockAtNoon()
    const host = await startedOnRedis(server.port)
    let tokens = await host.connected()
    for (let refresh = 0; refresh < 100; refresh++) {
      // Some soon, some at the last moment of the token's 30 days.
      clock.advance(random.pick([60, day / 3, random.below(30 * day), 30 * day - 1]))
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
      const { known, living } = await knownAndLiving(host)
      expect(known).toBeGreaterThan(living)
    }
  })

  it('knows a grant for long enough also when writing it failed and the client came back to another process', async () => {
    await server.command('ACL', 'SETUSER', 'host', 'on', 'nopass', '~*', '+@all')
    const clock = stopClockAtNoon()
    const options = { redis: { username: 'host', password: 'any' }, refreshRetryWindow: 10 }
    const [host, another] = [await startedOnRedis(server.port, options), await startedOnRedis(server.port, options)]
    const { refresh_token } = await host.connected()
    clock.advance(29 * day)
    await server.command('ACL', 'SETUSER', 'host', '-zadd')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await server.command('ACL', 'SETUSER', 'host', '+zadd')
    expectTokens(await another.refresh(refresh_token))
    const { known, living } = await knownAndLiving(host)
    expect(known).toBeGreaterThan(living)
  })

  it('forgets a grant that is gone when it is read, unless it was noted within the last two minutes', async () => {
    const clock = stopClockAtNoon()
    const host = await startedOnRedis(server.port)
    await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    await server.command('DEL', `csi:g:acme:${grantId}`)
    clock.advance(119)
    expect(await host.signIn.grants.list(ofCustomer)).toEqual([])
    expect(await server.command('ZRANGE', indexKey, 0, -1)).toEqual([grantId])
    clock.advance(2)
    expect(await host.signIn.grants.list(ofCustomer)).toEqual([])
    expect(await server.command('EXISTS', indexKey)).toBe(0)
  })

  it('keeps the live grants when it forgets others', async () => {
    const clock = stopClockAtNoon()
    const host = await startedOnRedis(server.port)
    await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    await host.connected()
    await host.connected()
    await server.command('DEL', `csi:g:acme:${grantId}`)
    clock.advance(121)
    expect(await host.signIn.grants.list(ofCustomer)).toHaveLength(2)
    expect(await server.command('ZCARD', indexKey)).toBe(2)
  })

  it('lets revokeAll end a grant that is created during it', async () => {
    const redis = new Redis(server.port, '127.0.0.1')
    let during: (() => Promise<unknown>) | undefined
    const tokenStore = wrapStore(new RedisTokenStore(redis), async ({ method, apply }) => {
      const result = await apply()
      if (method === 'deleteGrant') {
        const work = during
        during = undefined
        await work?.()
      }
      return result
    })
    try {
      const host = await started({ tokenStore })
      const first = await host.connected()
      const created: string[] = []
      during = async () => created.push((await host.connected()).refresh_token)
      expect(await host.signIn.grants.revokeAll(ofCustomer)).toBe(2)
      for (const token of [first.refresh_token, ...created]) {
        expectError(await host.refresh(token), 400, 'invalid_grant')
      }
    } finally {
      redis.disconnect()
    }
  })
})
