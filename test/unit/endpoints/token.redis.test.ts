import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { goTogether } from '../../support/clock'
import { describeWithRedisClock, RedisServer } from '../../support/redis-server'
import { tokenEndpointSuite } from './token-suite'

describeWithRedisClock('the token endpoint over RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
    goTogether(server.clock)
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  tokenEndpointSuite(() => new RedisTokenStore(redis))
})
