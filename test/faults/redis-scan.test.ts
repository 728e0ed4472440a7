import { Cluster, Redis } from 'ioredis'
import { RedisCluster } from '../support/redis-cluster'
import { grantKey } from '../support/redis-keys'
import { hasAll } from '../support/redis-replication'
import { describeWithRedis, eventually, freePort } from '../support/redis-server'
import { clientId, expectError, type TestSignIn, type Tokens } from '../support/sign-in'
import { startedOver } from '../support/started-on-redis'

const ofClient = { tenantKey: 'acme', clientId }
const subjects = Array.from({ length: 30 }, (_, index) => `customer-${index}`)
const unavailable = { code: 'temporarily_unavailable', status: 503 }

async function keyOf({ access_token }: Tokens, host: TestSignIn): Promise<string> {
  const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  return grantKey(grantId)
}

describeWithRedis('ending all grants of a client', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())

  it('reaches every master of a Cluster', async () => {
    const host = await startedOver(new Cluster(cluster.nodes))
    const tokens = await Promise.all(subjects.map((subject) => host.connected({ subject })))
    expect(await host.signIn.grants.revokeAll(ofClient)).toBe(subjects.length)
    for (const { refresh_token } of tokens) expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('reaches a master that the client has not heard of yet', async () => {
    const before = await startedOver(new Cluster(cluster.nodes))
    const { master } = await cluster.serving(await keyOf(await before.connected(), before))
    const others = cluster.nodes.filter(({ port }) => port !== master.port)
    const host = await startedOver(new Cluster(others.slice(0, 1)))
    expect(await host.signIn.grants.revokeAll(ofClient)).toBe(1)
  })

  it('is not taken for done while a master of a Cluster is away', async () => {
    const redis = new Cluster(cluster.nodes)
    const host = await startedOver(redis, { storeTimeout: 1 })
    const tokens = await host.connected()
    const { master, replica } = await cluster.serving(await keyOf(tokens, host))
    await eventually(() => hasAll(replica, master))
    const left = new Promise((resolve) => redis.once('-node', resolve))
    await master.kill()
    await left
    await expect(host.signIn.grants.revokeAll(ofClient)).rejects.toMatchObject(unavailable)
    // What it gives is no measure here: a call that ended the grant may have failed on a node that did not know the new master yet.
    await eventually(() =>
      host.signIn.grants.revokeAll(ofClient).then(
        () => true,
        () => false,
      ),
    )
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('is refused as any other fault of the store when the server cannot be reached', async () => {
    const redis = new Redis(await freePort(), '127.0.0.1', { maxRetriesPerRequest: 0 })
    const host = await startedOver(redis)
    await expect(host.signIn.grants.revokeAll(ofClient)).rejects.toMatchObject(unavailable)
  })
})
