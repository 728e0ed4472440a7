import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { describeWithRedis, RedisServer } from '../support/redis-server'
import { tokenEndpointSuite } from './token-suite'

describeWithRedis('the token endpoint over RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  tokenEndpointSuite(() => new RedisTokenStore(redis))
})
