import { kinds, liveCredential } from '../support/redemptions'
import { callsSoFar } from '../support/redis-commands'
import { describeWithRedisClock, RedisServer } from '../support/redis-server'
import { expectError, expectTokens, type TestSignIn } from '../support/sign-in'
import { startedOnRedis } from '../support/started-on-redis'

const [minute, day] = [60, 86_400]
const strict = { refreshRetryWindow: 0, replayTolerance: 0 }
const differences = [0.02, 2, 61, 5 * minute, day].flatMap((seconds) => [
  [`${seconds} s ahead of the hosts'`, seconds] as const,
  [`${seconds} s behind the hosts'`, -seconds] as const,
])

describeWithRedisClock('the clock of Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
  })
  afterAll(() => server.stop())
  beforeEach(() => server.command('FLUSHALL'))
  afterEach(() => server.clock.set(0))

  const hosts = (options = {}): Promise<[TestSignIn, TestSignIn]> =>
    Promise.all([startedOnRedis(server.port, options), startedOnRedis(server.port, options)])

  it('follows what these tests set, for scripts and for the expiry of keys', async () => {
    const time = async () => Number((await server.command('EVAL', "return redis.call('TIME')[1]", 0)) as string)
    const before = await time()
    await server.command('SET', 'key', 'value', 'EX', 100)
    server.clock.advance(90)
    expect(await server.command('EXISTS', 'key')).toBe(1)
    server.clock.advance(20)
    expect(await server.command('EXISTS', 'key')).toBe(0)
    expect((await time()) - before).toBeGreaterThanOrEqual(110)
    server.clock.set(-3600)
    expect((await time()) - before).toBeLessThan(-3500)
  })

  describe.each(differences)('%s', (_, ahead) => {
    beforeEach(() => server.clock.set(ahead))

    it.each(kinds)('lets one of six parallel redemptions of a %s win, with the strict defaults', async (kind) => {
      const [one, other] = await hosts(strict)
      const redeem = await liveCredential[kind](one)
      const answers = await Promise.all([one, other, one, other, one, other].map((host) => redeem(host)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    })

    it('lets a code be redeemed at another process until it expires, and not later', async () => {
      const [one, other] = await hosts({ authorizationCodeLifetime: 60 })
      const [inTime, tooLate] = [await one.asCustomer(), await one.asCustomer()]
      server.clock.advance(50)
      const { refresh_token } = expectTokens(await other.exchange(inTime))
      expectTokens(await one.refresh(refresh_token))
      server.clock.advance(11)
      expectError(await other.exchange(tooLate), 400, 'invalid_grant')
    })

    it('lets refreshRetryWindow last as long as it says', async () => {
      const [one, other] = await hosts({ refreshRetryWindow: 30, replayTolerance: 0 })
      const { refresh_token } = await one.connected()
      const next = expectTokens(await one.refresh(refresh_token)).refresh_token
      server.clock.advance(28)
      expect(expectTokens(await other.refresh(refresh_token)).refresh_token).toBe(next)
      server.clock.advance(3)
      expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await one.refresh(next), 400, 'invalid_grant')
    })

    it('lets replayTolerance last as long as it says', async () => {
      const [one, other] = await hosts({ refreshRetryWindow: 0, replayTolerance: 30 })
      const { refresh_token } = await one.connected()
      const next = expectTokens(await one.refresh(refresh_token)).refresh_token
      server.clock.advance(28)
      expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
      expect(await other.told('replayed')).toMatchObject([{ ended: false }])
      server.clock.advance(3)
      expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await one.refresh(next), 400, 'invalid_grant')
      expect(await other.told('replayed')).toMatchObject([{ ended: false }, { ended: true }])
    })

    it('makes no access token live longer or shorter than its grant', async () => {
      const [one, other] = await hosts({ grantLifetime: 600 })
      const { expires_in, refresh_token } = await one.connected()
      expect([599, 600]).toContain(expires_in)
      server.clock.advance(500)
      const refreshed = expectTokens(await other.refresh(refresh_token))
      expect([98, 99, 100]).toContain(refreshed.expires_in)
      await one.signIn.verifyAccessToken(refreshed.access_token, { tenantKey: 'acme', checkRevocation: true })
    })

    it('keeps a customer’s grants listed, and ends them all', async () => {
      const [one, other] = await hosts()
      const { refresh_token } = await one.connected()
      expect(await other.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).toHaveLength(1)
      expect(await other.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })).toBe(1)
      expectError(await one.refresh(refresh_token), 400, 'invalid_grant')
    })
  })

  describe('that is set back by 5 minutes', () => {
    it('does not make a repeat count as early: it gets 503, and an event says why', async () => {
      const [one, other] = await hosts({ refreshRetryWindow: 10, replayTolerance: 10 })
      const { refresh_token } = await one.connected()
      const next = expectTokens(await one.refresh(refresh_token)).refresh_token
      server.clock.set(-5 * minute)
      for (const host of [one, other]) {
        expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
        const [told] = await host.told('error')
        expect(told?.error.message).toMatch(/^The token store's clock is (300|299) s behind .* has it been set back\?$/)
      }
      server.clock.set(60)
      expectError(await other.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await one.refresh(next), 400, 'invalid_grant')
    })

    it.each(kinds)('lets the owner of a %s go on as usual', async (kind) => {
      const [one, other] = await hosts(strict)
      const redeem = await liveCredential[kind](one)
      server.clock.set(-5 * minute)
      let { refresh_token } = expectTokens(await redeem(other))
      for (let refresh = 0; refresh < 5; refresh++) {
        ;({ refresh_token } = expectTokens(await (refresh % 2 ? one : other).refresh(refresh_token)))
      }
      expect([...(await one.told('error')), ...(await other.told('error'))]).toEqual([])
    })

    it('still lets a repeat of what is redeemed after that end the grant', async () => {
      const [one] = await hosts(strict)
      const { refresh_token } = await one.connected()
      server.clock.set(-5 * minute)
      const next = expectTokens(await one.refresh(refresh_token)).refresh_token
      server.clock.set(1)
      expectError(await one.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await one.refresh(next), 400, 'invalid_grant')
    })
  })

  it('that jumps costs one more command, and nobody notices', async () => {
    const [host] = await hosts(strict)
    let { refresh_token } = await host.connected()
    for (const ahead of [3600, -3600, day, -day, 0]) {
      server.clock.set(ahead)
      const before = await callsSoFar(server)
      ;({ refresh_token } = expectTokens(await host.refresh(refresh_token)))
      const after = await callsSoFar(server)
      expect((after.evalsha ?? 0) - (before.evalsha ?? 0)).toBeLessThanOrEqual(2)
    }
    expect(await host.told('error')).toEqual([])
  })
})
