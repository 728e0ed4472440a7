import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import { tokenStoreContract } from 'customer-sign-in/testing'
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import { RedisCluster } from '../../support/redis-cluster'
import { redisContents } from '../../support/redis-contents'
import { RedisSentinels } from '../../support/redis-sentinel'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

type Client = RedisClient & { disconnect(): void }

/** Runs the contract with a Redis client that lives as long as the suite. */
function contractOver(
  name: string,
  connect: () => Client,
  servers: () => RedisServer[] | Promise<RedisServer[]>,
): void {
  describe(name, () => {
    let redis: Client
    beforeAll(() => {
      redis = connect()
    })
    afterAll(() => redis.disconnect())
    tokenStoreContract({ describe, it }, () => new RedisTokenStore(redis), {
      contents: async () => redisContents(await servers()),
    })
  })
}

describeWithRedis('RedisTokenStore on one server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  contractOver(
    'with ioredis 6',
    () => new ioredis6.Redis(server.url),
    () => [server],
  )
  contractOver(
    'with ioredis 6 and RESP3',
    () => new ioredis6.Redis(server.url, { protocol: 3 }),
    () => [server],
  )
  contractOver(
    'with ioredis 5',
    () => new ioredis5.Redis(server.url),
    () => [server],
  )
  contractOver(
    'with a key prefix of the client',
    () => new ioredis6.Redis(server.url, { keyPrefix: 'host:' }),
    () => [server],
  )

  it('keeps the mark of what was ended for an hour and a minute', async () => {
    const redis = new ioredis6.Redis(server.url)
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

describeWithRedis('RedisTokenStore on a Cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())

  contractOver(
    'with ioredis 6',
    () => new ioredis6.Cluster(cluster.nodes),
    () => cluster.masters(),
  )
  contractOver(
    'with ioredis 5',
    () => new ioredis5.Cluster(cluster.nodes),
    () => cluster.masters(),
  )

  describe('that waits for a replica', () => {
    let redis: ioredis6.Cluster
    beforeAll(() => {
      redis = new ioredis6.Cluster(cluster.nodes)
    })
    afterAll(() => redis.disconnect())
    tokenStoreContract({ describe, it }, () => new RedisTokenStore(redis, { replicas: 1 }))
  })
})

describeWithRedis('RedisTokenStore by way of Sentinel', () => {
  let sentinels: RedisSentinels
  beforeAll(async () => {
    sentinels = await RedisSentinels.start()
  })
  afterAll(() => sentinels.stop())

  const options = () => ({ sentinels: sentinels.addresses, name: sentinels.name })
  contractOver(
    'with ioredis 6',
    () => new ioredis6.Redis(options()),
    () => [sentinels.master],
  )
  contractOver(
    'with ioredis 5',
    () => new ioredis5.Redis(options()),
    () => [sentinels.master],
  )
})
