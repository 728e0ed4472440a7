import { Cluster } from 'ioredis'
import request, { type Test } from 'supertest'
import { RedisCluster } from '../support/redis-cluster'
import { grantKey } from '../support/redis-keys'
import { hasAll, isMaster } from '../support/redis-replication'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'
import { refreshedEventually } from '../support/refusal'
import { resp } from '../support/resp'
import { ServerProxy } from '../support/server-proxy'
import { clientId, expectError, expectTokens, formBody, type TestSignIn } from '../support/sign-in'
import { startedOnRedis, startedOver } from '../support/started-on-redis'

function revoke(host: TestSignIn, token: string): Test {
  return request(host.url)
    .post('/v1/acme/oauth/revoke')
    .type('form')
    .send(formBody({ client_id: clientId, token }))
}

const everywhere = { tenantKey: 'acme', subject: 'customer-1' }
const unavailable = { code: 'temporarily_unavailable', status: 503 }

describeWithRedis('a store that waits for a replica', () => {
  // On a busy machine, a replica that runs needs its time too.
  const patient = { store: { replicas: 1, replicaTimeout: 1.5 }, hostTimeout: 60 }
  let master: RedisServer
  let replica: RedisServer
  beforeEach(async () => {
    master = await RedisServer.start(['--repl-diskless-sync-delay', '0'])
    replica = await RedisServer.start(['--replicaof', '127.0.0.1', String(master.port)])
    await eventually(() => hasAll(replica, master))
  })
  afterEach(() => Promise.all([replica.stop(), master.stop()]))

  it('responds with 503 to a redemption that no replica has, and gives the tokens for the same credential later', async () => {
    const host = await startedOnRedis(master.port, { ...patient, replayTolerance: 0 })
    const signedIn = await host.asCustomer()
    replica.signal('SIGSTOP')
    expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
    expect((await host.told('error')).at(-1)?.error.message).toMatch(/0 of 1 replicas/)
    replica.signal('SIGCONT')
    await master.command('WAIT', 1, 0)
    const { refresh_token } = expectTokens(await host.exchange(signedIn))

    replica.signal('SIGSTOP')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    replica.signal('SIGCONT')
    expectTokens(await host.refresh(expectTokens(await host.refresh(refresh_token)).refresh_token))
  })

  it('does not report a revocation that no replica has as done', async () => {
    const host = await startedOnRedis(master.port, patient)
    const { refresh_token } = await host.connected()
    replica.signal('SIGSTOP')
    await expect(host.signIn.grants.revokeAll(everywhere)).rejects.toMatchObject(unavailable)
    replica.signal('SIGCONT')
    await host.signIn.grants.revokeAll(everywhere)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    await eventually(async () => ((await replica.command('KEYS', 'csi:g:*')) as unknown[]).length === 0)
  })

  it('does not report a repeated revocation that no replica has as done', async () => {
    const host = await startedOnRedis(master.port, patient)
    const { access_token } = await host.connected()
    const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    replica.signal('SIGSTOP')
    for (const _ of [1, 2]) {
      await expect(
        host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId }),
      ).rejects.toMatchObject(unavailable)
    }
  })

  it('responds with 503 to a revocation that no replica has, however often it is sent', async () => {
    const host = await startedOnRedis(master.port, patient)
    const { access_token, refresh_token } = await host.connected()
    replica.signal('SIGSTOP')
    for (const token of [refresh_token, refresh_token, access_token, access_token]) {
      expectError(await revoke(host, token), 503, 'temporarily_unavailable')
    }
    replica.signal('SIGCONT')
    await master.command('WAIT', 1, 0)
    await revoke(host, refresh_token).expect(200)
    expect(await replica.command('KEYS', 'csi:g:*')).toEqual([])
  })

  it.each<[string, () => Parameters<TestSignIn['signIn']['grants']['revokeAll']>[0]]>([
    ['a customer', () => everywhere],
    ['a client', () => ({ tenantKey: 'acme', clientId })],
    ['a customer and a client', () => ({ ...everywhere, clientId })],
  ])(
    'does not report the end of all grants of %s as done if no replica has it, however often it is called',
    async (_, of) => {
      const host = await startedOnRedis(master.port, patient)
      await host.connected()
      replica.signal('SIGSTOP')
      for (const _ of [1, 2, 3]) await expect(host.signIn.grants.revokeAll(of())).rejects.toMatchObject(unavailable)
      // The same at a process that has ended no grant itself.
      const another = await startedOnRedis(master.port, patient)
      await expect(another.signIn.grants.revokeAll(of())).rejects.toMatchObject(unavailable)
      replica.signal('SIGCONT')
      await master.command('WAIT', 1, 0)
      expect(await another.signIn.grants.revokeAll(of())).toBe(0)
      expect(await replica.command('KEYS', 'csi:g:*')).toEqual([])
    },
  )

  it('does not report a revocation that no replica has as done if the connection breaks meanwhile', async () => {
    const proxy = await ServerProxy.start(master.port, resp)
    try {
      const host = await startedOnRedis(proxy.port, patient)
      const { access_token } = await host.connected()
      const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
      replica.signal('SIGSTOP')
      proxy.cutNext({ point: 'before the reply', at: 0 })
      await expect(
        host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId }),
      ).rejects.toMatchObject(unavailable)
    } finally {
      await proxy.stop()
    }
  })
})

describeWithRedis('a store that waits for a replica on a Cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster.stop())

  it('redeems and revokes while the slot of a grant moves', async () => {
    const host = await startedOver(new Cluster(cluster.nodes), { store: { replicas: 1 }, replayTolerance: 0 })
    const [first, second] = [await host.connected(), await host.connected()]
    const { grantId } = await host.signIn.verifyAccessToken(first.access_token, { tenantKey: 'acme' })
    const moving = await cluster.beginToMove(grantKey(grantId))
    let tokens = expectTokens(await host.refresh(first.refresh_token))
    await moving.moveKeys()
    for (let time = 0; time < 3; time++) tokens = expectTokens(await host.refresh(tokens.refresh_token))
    await revoke(host, tokens.refresh_token).expect(200)
    tokens = expectTokens(await host.refresh(second.refresh_token))
    await moving.end()
    tokens = expectTokens(await host.refresh(tokens.refresh_token))
    expect(await host.signIn.grants.revokeAll(everywhere)).toBe(1)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    expect(await host.told('error')).toEqual([])
  })

  it('redeems a grant of which only one key has moved, as soon as the other has moved too', async () => {
    const host = await startedOver(new Cluster(cluster.nodes), { store: { replicas: 1 }, replayTolerance: 0 })
    const { access_token, refresh_token } = await host.connected({ subject: 'customer-2' })
    const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    const { source, target, moveKeys, end } = await cluster.beginToMove(grantKey(grantId))
    await source.command('MIGRATE', '127.0.0.1', target.port, grantKey(grantId), 0, 5000)
    const refreshing = host.refresh(refresh_token).then(expectTokens)
    await new Promise((resolve) => setTimeout(resolve, 150))
    await moveKeys()
    await refreshing
    await end()
  })

  it('goes on after a failover', async () => {
    const redis = new Cluster(cluster.nodes)
    const host = await startedOver(redis, { store: { replicas: 1 }, replayTolerance: 0 })
    const { access_token, refresh_token } = await host.connected()
    const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    const { replica } = await cluster.serving(grantKey(grantId))
    await replica.command('CLUSTER', 'FAILOVER')
    await eventually(() => isMaster(replica))
    await eventually(() => cluster.isReady())

    await refreshedEventually(host, refresh_token)
  })
})
