import { RedisTokenStore } from 'customer-sign-in/redis'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Redis } from 'ioredis'
import { redisContents } from '../../support/redis-contents'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

describeWithRedis('RedisTokenStore on one server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  describe('with the newest ioredis', () => {
    let redis: Redis
    beforeAll(() => {
      redis = new Redis(server.url)
    })
    afterAll(() => redis.disconnect())
    tokenStoreContract({ describe, it }, () => new RedisTokenStore(redis), { contents: () => redisContents([server]) })
  })

  it('keeps the mark of what was ended for an hour and a minute', async () => {
    const redis = new Redis(server.url)
    try {
      const store = new RedisTokenStore(redis, { keyPrefix: 'marks:' })
      for await (const _ of store.deleteGrants({ tenantId: 'acme', subject: 'ada' }));
      const [key = '', ...others] = await redis.keys('marks:*')
      const left = await redis.pttl(key)
      expect([key.slice(0, 8), others, left <= 3_660_000 && left > 3_600_000]).toEqual(['marks:e:', [], true])
    } finally {
      redis.disconnect()
    }
  })
})
