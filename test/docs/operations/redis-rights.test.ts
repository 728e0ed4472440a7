import type { TokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Cluster, Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { createGrant, reversalOf, swapOf } from '../../../src/testing/records'
import { RedisCluster } from '../../support/redis-cluster'
import { RedisSentinels } from '../../support/redis-sentinel'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { saveClient } from '../../support/registration'
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

const day = 86_400_000

/** Calls every method of a store. Rejects if one command is not allowed. */
async function everything(store: TokenStore): Promise<void> {
  const grant = await createGrant(store, { subject: 'ada' })
  const { tenantId, grantId, clientId } = grant
  const swap = swapOf(grant)
  expect(await store.swapCredential(swap)).toMatchObject({ outcome: 'swapped' })
  expect(await store.reverseSwap(reversalOf(swap))).toMatchObject({ outcome: 'reversed' })
  expect(await store.findGrant(tenantId, grantId)).toBeDefined()
  expect(await store.listGrants(tenantId, 'ada')).toHaveLength(1)
  const ended: string[] = []
  for await (const { grantId } of store.deleteGrants({ tenantId, clientId })) ended.push(grantId)
  expect(ended).toEqual([grantId])
  await store.deleteGrant(tenantId, grantId)

  for (const clientId of ['one', 'two']) await saveClient(store, { tenantId, clientId })
  await store.touchClient(tenantId, 'two', { lifetime: day, inUse: true })
  expect(await store.findClient(tenantId, 'two')).toBeDefined()
  await store.deleteClient(tenantId, 'two')
  expect(await store.useOnce(tenantId, 'an id', day)).toBe(true)
  for await (const _ of store.deleteTenant(tenantId)) throw new Error('Its only grant has been deleted before')
  expect(await store.findClient(tenantId, 'one')).toBeUndefined()
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

  describe('are enough', () => {
    tokenStoreContract({ describe, it }, () => new RedisTokenStore(redis))
  })

  it('are enough for everything else, and Redis has refused no command', async () => {
    await everything(new RedisTokenStore(redis))
    expect(await server.command('ACL', 'LOG')).toEqual([])
  })

  it.each(needed)('are not enough without %s', async (right) => {
    await allow(
      server,
      rights.filter((other) => other !== right),
    )
    await expect(everything(new RedisTokenStore(redis))).rejects.toThrow(/NOPERM|can't run this command/)
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
    await everything(new RedisTokenStore(redis, { replicas: 1 }))
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
    await everything(new RedisTokenStore(redis, { replicas: 1 }))
    redis.disconnect()
  })
})
