import { Cluster, Redis } from 'ioredis'
import { RedisCluster } from '../support/redis-cluster'
import { RedisSentinels } from '../support/redis-sentinel'
import { describeWithRedis, eventually, type RedisServer } from '../support/redis-server'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../support/sign-in'
import { startedOver } from '../support/started-on-redis'

jest.setTimeout(90_000)

/** Refreshes as a client does: with the same token again as long as it is told to come again. */
async function refreshPatiently(host: TestSignIn, { refresh_token }: Tokens): Promise<Tokens> {
  let answer = await host.refresh(refresh_token)
  await eventually(async () => {
    if (answer.status !== 503) return true
    expectError(answer, 503, 'temporarily_unavailable')
    answer = await host.refresh(refresh_token)
    return false
  })
  return expectTokens(answer)
}

async function grantKeyOf({ access_token }: Tokens, host: TestSignIn): Promise<string> {
  const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  return `csi:g:acme:${grantId}`
}

/** The master dies with writes that its replica, cut off just before them, never gets. */
async function loseTheNewestWrites(
  { master, replica }: { master: RedisServer; replica: RedisServer },
  write: () => Promise<void>,
): Promise<void> {
  replica.signal('SIGSTOP')
  // What is on its way to a frozen replica would still arrive when it goes on.
  await master.command('CLIENT', 'KILL', 'TYPE', 'replica')
  await write()
  await master.kill('SIGKILL')
  replica.signal('SIGCONT')
  await replica.command('CLUSTER', 'FAILOVER', 'TAKEOVER')
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

  it.each([1, 2, 4])('that loses the newest %d writes of a chain signs nobody out', async (writes) => {
    const host = await startedOver(new Cluster(cluster.nodes), { replayTolerance: 0 })
    const first = await host.connected()
    const pair = await cluster.serving(await grantKeyOf(first, host))
    await eventually(() => hasAll(pair.replica, pair.master))
    let newest = first
    await loseTheNewestWrites(pair, async () => {
      for (let write = 0; write < writes; write++) newest = expectTokens(await host.refresh(newest.refresh_token))
    })

    const next = await refreshPatiently(host, newest)
    expect(await host.told('refreshed')).toContainEqual(expect.objectContaining({ recovered: true }))
    expectTokens(await host.refresh(next.refresh_token))
  })

  it('that loses a redemption still lets a replay after it end the grant', async () => {
    const host = await startedOver(new Cluster(cluster.nodes), { replayTolerance: 0 })
    const first = await host.connected()
    const pair = await cluster.serving(await grantKeyOf(first, host))
    await eventually(() => hasAll(pair.replica, pair.master))
    let second = first
    await loseTheNewestWrites(pair, async () => {
      second = expectTokens(await host.refresh(first.refresh_token))
    })

    const third = await refreshPatiently(host, second)
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(third.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
  })

  it('that loses the redemption of the code signs nobody out', async () => {
    const host = await startedOver(new Cluster(cluster.nodes), { replayTolerance: 0 })
    const signedIn = await host.asCustomer()
    const [grant] = await host.tokenStore.listGrants('acme', 'customer-1')
    const pair = await cluster.serving(`csi:g:acme:${grant?.grantId}`)
    await eventually(() => hasAll(pair.replica, pair.master))
    let tokens: Tokens | undefined
    await loseTheNewestWrites(pair, async () => {
      tokens = expectTokens(await host.exchange(signedIn))
    })
    await refreshPatiently(host, tokens as unknown as Tokens)
  })
})

describeWithRedis('a Sentinel failover', () => {
  let sentinels: RedisSentinels
  beforeAll(async () => {
    sentinels = await RedisSentinels.start()
  })
  afterAll(() => sentinels.stop())

  it('is survived by every customer', async () => {
    const { name, addresses } = sentinels
    const host = await startedOver(new Redis({ name, sentinels: addresses }), { replayTolerance: 0 })
    const customers = Array.from({ length: 20 }, (_, index) => `customer-${index}`)
    const tokens = await Promise.all(customers.map((subject) => host.connected({ subject })))
    await eventually(() => hasAll(sentinels.replica, sentinels.master))
    await sentinels.master.kill('SIGKILL')
    const next = await Promise.all(tokens.map((held) => refreshPatiently(host, held)))
    await Promise.all(next.map((held) => refreshPatiently(host, held)))
    expect(await host.told('replayed')).toEqual([])
  })
})

/** Whether a replica has everything that its master has written. */
async function hasAll(replica: RedisServer, master: RedisServer): Promise<boolean> {
  const offsetOf = async (server: RedisServer, field: string) =>
    new RegExp(`${field}:(\\d+)`).exec(String(await server.command('INFO', 'replication')))?.[1]
  return (await offsetOf(replica, 'slave_repl_offset')) === (await offsetOf(master, 'master_repl_offset'))
}
