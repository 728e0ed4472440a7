import { RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from 'ioredis'
import { RedisCluster } from '../../support/redis-cluster'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

describeWithRedis('the commands of concurrent requests', () => {
  it('leave for a server in one write', async () => {
    const server = await RedisServer.start()
    const redis = new Redis(server.url)
    try {
      const store = new RedisTokenStore(redis)
      await read(store, 1)
      const writes = writesOf([redis])
      await read(store, 30)
      expect(writes()).toEqual([1])
    } finally {
      redis.disconnect()
      await server.stop()
    }
  })

  it('leave for each master of a Cluster in one write', async () => {
    const servers = await RedisCluster.start()
    const cluster = new Cluster(servers.nodes)
    try {
      const store = new RedisTokenStore(cluster)
      // Connects to each of them.
      await read(store, 30)
      const writes = writesOf(cluster.nodes('master'))
      await read(store, 30)
      expect(writes()).toEqual([1, 1, 1])
    } finally {
      cluster.disconnect()
      await servers.stop()
    }
  })
})

/** Reads grants of so many customers at once. */
async function read(store: RedisTokenStore, customers: number): Promise<void> {
  const handles = Array.from({ length: customers }, (_, index) => `customer-${index}`.padEnd(28, '0'))
  expect(await Promise.all(handles.map((grantId) => store.findGrant('acme', grantId)))).toEqual(
    handles.map(() => undefined),
  )
}

/** Counts the system calls that write to each server. */
function writesOf(clients: readonly Redis[]): () => number[] {
  const counts = clients.map(() => 0)
  for (const [index, { stream }] of clients.entries()) {
    for (const method of ['_write', '_writev'] as const) {
      const original = stream[method]?.bind(stream)
      Object.assign(stream, {
        [method]: (...args: unknown[]) => {
          counts[index] = (counts[index] ?? 0) + 1
          Reflect.apply(original as (...args: unknown[]) => void, stream, args)
        },
      })
    }
  }
  return () => counts
}
