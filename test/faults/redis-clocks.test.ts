import { redis } from '../support/database'
import { describeWithRedisClock, RedisServer } from '../support/redis-server'
import { clocks } from './suites/clocks'

clocks(redis)

describeWithRedisClock('the clock of a Redis server of these tests', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
  })
  afterAll(() => server.stop())

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
})
