import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import { tokenStoreContract } from 'customer-sign-in/testing'
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import { everyMethod } from '../../support/every-method'
import { RedisCluster } from '../../support/redis-cluster'
import { redisContents } from '../../support/redis-contents'
import { RedisSentinels } from '../../support/redis-sentinel'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

/** Calls every method by way of a client. The whole contract runs on one server, and on one Cluster. */
async function everyMethodOver(redis: RedisClient & { disconnect(): void }, options = {}): Promise<void> {
  try {
    await everyMethod(new RedisTokenStore(redis, options))
  } finally {
    redis.disconnect()
  }
}

describeWithRedis('RedisTokenStore on one server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  it.each([
    ['ioredis 6 and RESP3', () => new ioredis6.Redis(server.url, { protocol: 3 })],
    ['ioredis 5', () => new ioredis5.Redis(server.url)],
    ['a key prefix of the client', () => new ioredis6.Redis(server.url, { keyPrefix: 'host:' })],
  ])('does everything with %s', async (_, connect) => {
    await everyMethodOver(connect())
  })

  it('takes braces in a key prefix only around a whole hash tag', async () => {
    const redis = new ioredis6.Redis(server.url)
    for (const keyPrefix of ['{}:', '{app', 'app}:', '{a}{b}:']) {
      expect(() => new RedisTokenStore(redis, { keyPrefix })).toThrow(
        /RedisTokenStore\.keyPrefix must be a string, with braces only/,
      )
    }
    await everyMethodOver(redis, { keyPrefix: '{app}:' })
  })
})

describeWithRedis('RedisTokenStore on a Cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())

  describe('with ioredis 6', () => {
    let redis: ioredis6.Cluster
    beforeAll(() => {
      redis = new ioredis6.Cluster(cluster.nodes)
    })
    afterAll(() => redis.disconnect())
    tokenStoreContract({ describe, it }, () => new RedisTokenStore(redis), {
      contents: async () => redisContents(await cluster.masters()),
    })
  })

  it('does everything with ioredis 5', async () => {
    await everyMethodOver(new ioredis5.Cluster(cluster.nodes))
  })

  it('does everything while it waits for a replica', async () => {
    await everyMethodOver(new ioredis6.Cluster(cluster.nodes), { replicas: 1 })
  })
})

describeWithRedis('RedisTokenStore by way of Sentinel', () => {
  let sentinels: RedisSentinels
  beforeAll(async () => {
    sentinels = await RedisSentinels.start()
  })
  afterAll(() => sentinels.stop())

  const options = () => ({ sentinels: sentinels.addresses, name: sentinels.name })
  it.each([
    ['ioredis 6', () => new ioredis6.Redis(options())],
    ['ioredis 5', () => new ioredis5.Redis(options())],
  ])('does everything with %s', async (_, connect) => {
    await everyMethodOver(connect())
  })
})
