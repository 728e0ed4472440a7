import { Cluster, Redis } from 'ioredis'
import { RedisCluster } from '../support/redis-cluster'
import { grantKey, indexKey } from '../support/redis-keys'
import { hasAll, isMaster } from '../support/redis-replication'
import { RedisSentinels } from '../support/redis-sentinel'
import { describeWithRedis, eventually, type RedisServer } from '../support/redis-server'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../support/sign-in'
import { startedOver } from '../support/started-on-redis'
import { lostWrites, refreshPatiently } from './suites/lost-writes'

async function grantKeyOf({ access_token }: Tokens, host: TestSignIn): Promise<string> {
  const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  return grantKey(grantId)
}

/** Kills the master with writes that its replica never gets, because it was cut off just before them. */
async function loseTheNewestWrites<T>(
  { master, replica }: { master: RedisServer; replica: RedisServer },
  write: () => Promise<T>,
): Promise<T> {
  await eventually(() => hasAll(replica, master))
  replica.signal('SIGSTOP')
  // Data on its way to a frozen replica would still arrive when it goes on.
  await master.command('CLIENT', 'KILL', 'TYPE', 'replica')
  const written = await write()
  await master.kill('SIGKILL')
  replica.signal('SIGCONT')
  await replica.command('CLUSTER', 'FAILOVER', 'TAKEOVER')
  return written
}

describeWithRedis('a Cluster failover', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())
  afterEach(async () => {
    for (const server of cluster.servers) await server.start()
    await eventually(() => cluster.isReady())
  })

  beforeEach(async () => {
    const host = await startedOver(new Cluster(cluster.nodes))
    for (const subject of ['customer-1', 'customer-2'])
      await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject })
  })

  lostWrites({
    startedOn: () => startedOver(new Cluster(cluster.nodes), { replayTolerance: 0 }),
    losing: async (grantId, write) => loseTheNewestWrites(await cluster.serving(grantKey(grantId)), write),
  })

  it('that loses the newest writes leaves no grant that is missing in its customer’s list', async () => {
    const host = await startedOver(new Cluster(cluster.nodes), { replayTolerance: 0 })
    const of = { tenantKey: 'acme', subject: 'customer-3' }
    const first = await host.connected(of)
    const key = await grantKeyOf(first, host)
    const [ofGrant, ofIndex] = await Promise.all([cluster.serving(key), cluster.serving(indexKey(of.subject))])
    expect(ofIndex.master.port).toBe(ofGrant.master.port)

    // A sign-in and a refresh that never reach the replica.
    const [lost, next] = await loseTheNewestWrites(ofGrant, async () => {
      const tokens = await host.connected(of)
      const refreshed = expectTokens(await host.refresh(first.refresh_token))
      return [tokens, refreshed]
    })
    const again = await refreshPatiently(host, next as Tokens)
    expectError(await host.refresh((lost as Tokens).refresh_token), 400, 'invalid_grant')
    expect((await host.signIn.grants.list(of)).grants).toHaveLength(1)
    expect(await host.signIn.grants.revokeAll(of)).toBe(1)
    expectError(await host.refresh(again.refresh_token), 400, 'invalid_grant')
  })
})

describeWithRedis('a Sentinel failover', () => {
  let sentinels: RedisSentinels
  beforeEach(async () => {
    sentinels = await RedisSentinels.start()
    await eventually(() => hasAll(sentinels.replica, sentinels.master))
  })
  afterEach(() => sentinels.stop())

  it.each<[string, () => Promise<unknown>]>([
    ['after the master has died', () => sentinels.master.kill()],
    ['by hand', () => sentinels.sentinels[0]?.command('SENTINEL', 'FAILOVER', sentinels.name) ?? Promise.resolve()],
  ])('%s signs nobody out', async (_, failOver) => {
    const { name, addresses, master, replica } = sentinels
    const host = await startedOver(new Redis({ name, sentinels: addresses }), { replayTolerance: 0 })
    const customers = Array.from({ length: 20 }, (_, index) => `customer-${index}`)
    const tokens = await Promise.all(customers.map((subject) => host.connected({ subject })))
    await eventually(() => hasAll(replica, master))
    await failOver()
    await eventually(() => isMaster(replica))
    const next = await Promise.all(tokens.map((held) => refreshPatiently(host, held)))
    await Promise.all(next.map((held) => refreshPatiently(host, held)))
    expect(await host.told('replayed')).toEqual([])
  })
})
