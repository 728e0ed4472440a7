import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { goTogether, releaseClock, stopClock } from '../support/clock'
import { recordOf } from '../support/records'
import { callsSoFar } from '../support/redis-commands'
import { grantKey, indexKey, indexMember } from '../support/redis-keys'
import { describeWithRedisClock, RedisServer } from '../support/redis-server'
import { SeededRandom } from '../support/seeded-random'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'
import { startedOnRedis } from '../support/started-on-redis'
import { wrapStore } from '../support/wrap-store'

const day = 86_400
const ofCustomer = { tenantKey: 'acme', subject: 'customer-1' }

describeWithRedisClock('the index of a customer’s grants', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
    goTogether(server.clock)
  })
  afterAll(() => server.stop())
  beforeEach(() => server.command('FLUSHALL'))
  afterEach(releaseClock)

  /** Until when the index has the customer's only grant, and until when the grant lives. */
  async function knownAndLiving(host: TestSignIn): Promise<{ known: number; living: number }> {
    const { grantId, expiresAt } = await recordOf(host.tokenStore)
    const [score, expiry] = await Promise.all([
      server.command('ZSCORE', indexKey(), indexMember(grantId)),
      server.command('PEXPIRETIME', indexKey()),
    ])
    return { known: Math.min(Number(score), Number(expiry)), living: expiresAt }
  }

  it('is written again only by the first refresh of a day', async () => {
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    const written = async () => (await callsSoFar(server)).zadd ?? 0
    let tokens = await host.connected()
    const before = await written()
    for (let days = 0; days < 5; days++) {
      expect(await written()).toBe(before + days)
      for (let refreshes = 0; refreshes < 3; refreshes++) {
        clock.advance(60)
        tokens = expectTokens(await host.refresh(tokens.refresh_token))
      }
      clock.advance(day)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
    }
  })

  it('has a grant for as long as the grant lives, whenever it is refreshed', async () => {
    const random = new SeededRandom(1)
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    let tokens = await host.connected()
    for (let refresh = 0; refresh < 100; refresh++) {
      // Some refresh soon, some at the last moment of the token's 30 days.
      clock.advance(random.pick([60, day / 3, random.below(30 * day), 30 * day - 1]))
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
      const { known, living } = await knownAndLiving(host)
      expect(known).toBeGreaterThanOrEqual(living)
    }
  })

  it('has a grant for as long as the grant lives, also if its company has made the lifetime longer', async () => {
    stopClock()
    const tenant = {
      key: 'acme',
      id: 'acme',
      clients: [{ clientId, redirectUris: [redirectUri] }],
      refreshTokenLifetime: 3600,
    }
    const host = await startedOnRedis(server.port, { tenantStore: { findTenant: () => tenant } })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    tenant.refreshTokenLifetime = 30 * day
    expectTokens(await host.refresh(second.refresh_token))
    const { known, living } = await knownAndLiving(host)
    expect(known).toBeGreaterThanOrEqual(living)
  })

  it('has a grant again after its next refresh, if the whole index was lost', async () => {
    const host = await startedOnRedis(server.port)
    const { refresh_token } = await host.connected()
    await server.command('DEL', indexKey())
    expect((await host.signIn.grants.list(ofCustomer)).grants).toEqual([])
    expectTokens(await host.refresh(refresh_token))
    expect((await host.signIn.grants.list(ofCustomer)).grants).toHaveLength(1)
  })

  it('loses no grant, and no grant is missing in it, while the memory is full', async () => {
    const clock = stopClock()
    const [host, another] = [await startedOnRedis(server.port), await startedOnRedis(server.port)]
    let { refresh_token } = await host.connected()
    // Each is the first refresh of its day, which writes both the grant and the index.
    for (let days = 0; days < 3; days++) {
      clock.advance(day)
      await server.command('CONFIG', 'SET', 'maxmemory', '1')
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
      await server.command('CONFIG', 'SET', 'maxmemory', '0')
      clock.advance(60)
      ;({ refresh_token } = expectTokens(await another.refresh(refresh_token)))
      const { known, living } = await knownAndLiving(host)
      expect(known).toBeGreaterThanOrEqual(living)
    }
  })

  it('makes a refresh fail if it cannot be written', async () => {
    await server.command('ACL', 'SETUSER', 'host', 'reset', 'on', 'nopass', '~*', '+@all')
    const clock = stopClock()
    const options = { redis: { username: 'host', password: 'any' }, replayTolerance: 0 }
    const [host, another] = [await startedOnRedis(server.port, options), await startedOnRedis(server.port, options)]
    const { refresh_token } = await host.connected()
    clock.advance(29 * day)
    const before = await recordOf(host.tokenStore)
    await server.command('ACL', 'SETUSER', 'host', '-zadd')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(await recordOf(host.tokenStore)).toEqual(before)
    clock.advance(600)
    await server.command('ACL', 'SETUSER', 'host', '+zadd')
    expectTokens(await another.refresh(refresh_token))
    const { known, living } = await knownAndLiving(host)
    expect(known).toBeGreaterThanOrEqual(living)
  })

  it('is deleted with the last grant, whether that is ended or expires', async () => {
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    await host.connected()
    await host.connected()
    expect(await host.signIn.grants.revokeAll(ofCustomer)).toBe(2)
    expect(await server.command('KEYS', 'csi:[^e]:*')).toEqual([])

    await host.connected()
    clock.advance(32 * day)
    expect(await server.command('EXISTS', indexKey())).toBe(0)
  })

  it('is deleted when the customer’s grants are ended, with its entries of expired grants', async () => {
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    await host.asCustomer()
    await host.connected()
    clock.advance(30 * day)
    await host.asCustomer()
    // Of these three, the index still has the one that was connected.
    clock.advance(600)
    expect(await server.command('EXISTS', indexKey())).toBe(1)
    expect(await host.signIn.grants.revokeAll(ofCustomer)).toBe(0)
    expect(await server.command('KEYS', 'csi:[^e]:*')).toEqual([])
  })

  it('is gone, like everything else, once a code has expired that was never redeemed', async () => {
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    await host.asCustomer()
    clock.advance(60.002)
    for (const key of [indexKey(), ...((await server.command('KEYS', '*')) as string[])]) {
      expect(await server.command('EXISTS', key)).toBe(0)
    }
  })

  it('drops expired entries when the customer signs in again', async () => {
    const clock = stopClock()
    const host = await startedOnRedis(server.port)
    await host.connected()
    for (let codes = 0; codes < 5; codes++) {
      await host.asCustomer()
      clock.advance(61)
    }
    await host.asCustomer()
    expect(await server.command('ZCARD', indexKey())).toBe(2)
  })

  it('shows and ends no grant of another customer whose handle is the same', async () => {
    const host = await startedOnRedis(server.port)
    const { refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    // The copy is as if another customer with the same handle had it.
    const key = grantKey(`${grantId.slice(0, 12)}${'x'.repeat(16)}`)
    await server.command('EVAL', script, 3, grantKey(grantId), key, indexKey(), 'x'.repeat(16))
    expect((await host.signIn.grants.list(ofCustomer)).grants).toHaveLength(1)
    expect(await host.signIn.grants.revokeAll(ofCustomer)).toBe(1)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await server.command('EXISTS', key)).toBe(1)
  })

  it('lets revokeAll end a grant that is created during it', async () => {
    const redis = new Redis(server.port, '127.0.0.1')
    let during: (() => Promise<unknown>) | undefined
    const tokenStore = wrapStore(new RedisTokenStore(redis), ({ apply }) => apply())
    const deleting = tokenStore.deleteGrants.bind(tokenStore)
    tokenStore.deleteGrants = async function* (owner) {
      for await (const grant of deleting(owner)) {
        yield grant
        const work = during
        during = undefined
        await work?.()
      }
    }
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

/** Copies a customer's grant to another customer. KEYS: the grant, the copy, the index. ARGV: the name of the copy in the index. */
const script = `
local value = string.gsub(redis.call('GET', KEYS[1]), 'customer%-1', 'customer-2')
redis.call('SET', KEYS[2], value, 'EX', 60)
return redis.call('ZADD', KEYS[3], 'CH', redis.call('TIME')[1] * 1000 + 60000, ARGV[1])
`
