import { RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { everyMethod } from '../../support/every-method'
import { RedisCluster } from '../../support/redis-cluster'
import { RedisSentinels } from '../../support/redis-sentinel'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { textOf } from '../pages'

const user = { username: 'sign-in', password: 'password' }
const page = textOf('docs/operations-redis.md')
const rights = /^ACL SETUSER (.+)$/m.exec(page)?.[1]?.split(' ') ?? []
const [waitRight = ''] = rightsFor('`replicas`')
const clusterRights = rightsFor('a Cluster')
const sentinelRights =
  /on the Sentinels: `ACL SETUSER ([^`]+)`/.exec(page)?.[1]?.replaceAll('\\|', '|').split(' ') ?? []
// The host itself sends PING; the store needs all the others.
const needed = rights.filter((right) => right.startsWith('+') && right !== '+ping')

function rightsFor(what: string): string[] {
  const [, cell = ''] = new RegExp(`^\\| ${what} \\| \`(.+)\` \\|$`, 'm').exec(page) ?? []
  return cell.replaceAll('\\|', '|').split(' ')
}

async function allow(server: RedisServer, given: readonly string[]): Promise<void> {
  await server.command('ACL', 'SETUSER', user.username, 'reset', ...given.slice(1))
}

describeWithRedis('the rights that docs/operations-redis.md gives', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    await allow(server, rights)
    redis = new Redis({ port: server.port, ...user })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  // Loading a script that the server does not know yet takes more rights.
  beforeEach(async () => {
    await server.command('SCRIPT', 'FLUSH')
    await server.command('FLUSHALL')
  })

  it('are enough, and Redis has refused no command', async () => {
    await everyMethod(new RedisTokenStore(redis))
    expect(await server.command('ACL', 'LOG')).toEqual([])
  })

  it.each(needed)('are not enough without %s', async (right) => {
    await allow(
      server,
      rights.filter((other) => other !== right),
    )
    await expect(everyMethod(new RedisTokenStore(redis))).rejects.toThrow(/NOPERM|can't run this command/)
  })

  it.each([
    ['5', (options: typeof user & { port: number }) => new Redis5(options)],
    ['6', (options: typeof user & { port: number }) => new Redis(options)],
  ])('are enough for a readiness probe over ioredis %s, from the first connection on', async (_, connected) => {
    await allow(server, rights)
    await server.command('ACL', 'LOG', 'RESET')
    const client = connected({ port: server.port, ...user })
    expect(await client.ping()).toBe('PONG')
    expect(await server.command('ACL', 'LOG')).toEqual([])
    const withoutPing = rights.filter((right) => right !== '+ping')
    await allow(server, withoutPing)
    await expect(client.ping()).rejects.toThrow('NOPERM')
    client.disconnect()
  })

  it('open no other keys', async () => {
    await allow(server, rights)
    await expect(redis.get('another')).rejects.toThrow('NOPERM')
    await expect(new RedisTokenStore(redis, { keyPrefix: 'another:' }).findGrant('acme', 'id')).rejects.toThrow(
      'NOPERM',
    )
  })
})

describeWithRedis('the rights on a Cluster that docs/operations-redis.md gives', () => {
  let cluster: RedisCluster | undefined
  beforeAll(async () => {
    const started = await RedisCluster.start()
    cluster = started
    for (const server of started.servers) await allow(server, [...rights, ...clusterRights, waitRight])
  })
  afterAll(() => cluster?.stop())

  it('are enough, also to wait for replicas', async () => {
    const redis = new Cluster(cluster?.nodes ?? [], { redisOptions: user })
    await everyMethod(new RedisTokenStore(redis, { replicas: 1 }))
    redis.disconnect()
  })
})

describeWithRedis('the rights by way of Sentinel that docs/operations-redis.md gives', () => {
  let sentinels: RedisSentinels
  beforeAll(async () => {
    sentinels = await RedisSentinels.start()
    for (const server of [sentinels.master, sentinels.replica]) await allow(server, [...rights, waitRight])
    for (const server of sentinels.sentinels) await allow(server, sentinelRights)
  })
  afterAll(() => sentinels.stop())

  it('are enough, also to wait for replicas', async () => {
    const { name, addresses } = sentinels
    const ofSentinels = { sentinelUsername: user.username, sentinelPassword: user.password }
    const redis = new Redis({ name, sentinels: addresses, ...user, ...ofSentinels })
    await everyMethod(new RedisTokenStore(redis, { replicas: 1 }))
    redis.disconnect()
  })
})
