import { type RedisClient, RedisTokenStore, type RedisTokenStoreOptions } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Cluster, Redis } from 'ioredis'
import { RedisCluster } from '../support/redis-cluster'
import { callsSoFar } from '../support/redis-commands'
import { hasAll } from '../support/redis-replication'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'

// The minimal ACL of docs/operations-redis.md.
const ofStore = [
  ...['del', 'eval', 'evalsha', 'get', 'info', 'pexpireat', 'scan', 'set', 'time'],
  ...['zadd', 'zrange', 'zrem', 'zremrangebyscore', 'zscore'],
]
const ofWaiting = ['wait']
const ofCluster = ['cluster|info', 'cluster|nodes', 'cluster|slots', 'readonly']

// What the test's own connections and the replica send, and commands by which clients set their name.
const ofTest = /^(acl|client|config|hello|ping|psync|replconf)\b/

const credentials = { username: 'sign-in', password: 'secret' }

/** Every method of a store in every case that the contract knows. */
async function doEverything(store: TokenStore): Promise<void> {
  const tests: (() => Promise<void>)[] = []
  tokenStoreContract({ describe: (_, define) => define(), it: (_, test) => tests.push(test) }, () => store)
  for (const test of tests) await test()
}

function allow(server: RedisServer, commands: readonly string[]): Promise<unknown> {
  const rules = ['on', `>${credentials.password}`, '~csi:*', ...commands.map((command) => `+${command}`)]
  return server.command('ACL', 'SETUSER', credentials.username, 'reset', ...rules)
}

/** The commands that a server has refused to a user, except those by which a client sets its name. */
async function refusedBy(server: RedisServer): Promise<string[]> {
  const log = (await server.command('ACL', 'LOG')) as string[][]
  return log.map((entry) => String(entry[7])).filter((command) => !command.startsWith('client'))
}

describeWithRedis('everything that a store does', () => {
  let server: RedisServer
  let replica: RedisServer
  let redis: Redis
  beforeEach(async () => {
    server = await RedisServer.start(['--repl-diskless-sync-delay', '0'])
    replica = await RedisServer.start(['--replicaof', '127.0.0.1', String(server.port)])
    await eventually(() => hasAll(replica, server))
    await allow(server, [...ofStore, ...ofWaiting])
    redis = new Redis(server.port, '127.0.0.1', credentials)
  })
  afterEach(async () => {
    redis.disconnect()
    await Promise.all([replica.stop(), server.stop()])
  })

  it.each<[string, RedisTokenStoreOptions, string[]]>([
    ['', {}, ofStore],
    [' that waits for a replica', { replicas: 1 }, [...ofStore, ...ofWaiting]],
  ])('needs exactly the commands of the minimal ACL, with a store%s', async (_, options, allowed) => {
    await server.command('CONFIG', 'RESETSTAT')
    await doEverything(new RedisTokenStore(redis, options))
    expect(await refusedBy(server)).toEqual([])
    const called = Object.keys(await callsSoFar(server)).filter((command) => !ofTest.test(command))
    expect(called.sort()).toEqual([...allowed].sort())
  })

  it('uses only the connection that the store was given, and leaves it open', async () => {
    const connections = async () => /total_connections_received:\d+/.exec(await redis.info('stats'))?.[0]
    const before = await connections()
    await doEverything(new RedisTokenStore(redis))
    expect(await connections()).toBe(before)
    expect(redis.status).toBe('ready')
  })

  it('works through SCRIPT FLUSH at any time', async () => {
    const admin = new Redis(server.port, '127.0.0.1')
    const flushing: RedisClient = {
      call: async (command, ...args) => {
        await admin.script('FLUSH')
        return redis.call(command, ...args)
      },
      pipeline: (commands) => redis.pipeline(commands),
    }
    await doEverything(new RedisTokenStore(flushing)).finally(() => admin.disconnect())
    expect((await callsSoFar(server)).eval).toBeGreaterThan(100)
  })
})

describeWithRedis('everything that a store does on a Cluster', () => {
  it('needs only the commands of the minimal ACL', async () => {
    const cluster = await RedisCluster.start()
    for (const server of cluster.servers) await allow(server, [...ofStore, ...ofCluster])
    const redis = new Cluster(cluster.nodes, { redisOptions: credentials })
    try {
      await doEverything(new RedisTokenStore(redis))
      for (const server of cluster.servers) expect(await refusedBy(server)).toEqual([])
    } finally {
      redis.disconnect()
      await cluster.stop()
    }
  })
})
