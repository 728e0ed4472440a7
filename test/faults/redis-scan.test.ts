import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from 'ioredis'
import { freePort } from '../../scripts/free-port'
import { RedisCluster } from '../support/redis-cluster'
import { grantKey } from '../support/redis-keys'
import { hasAll } from '../support/redis-replication'
import { describeWithRedis, eventually, RedisServer } from '../support/redis-server'
import { clientId, expectError, type TestSignIn, type Tokens } from '../support/sign-in'
import { started } from '../support/started'
import { startedOnRedis, startedOver } from '../support/started-on-redis'

const ofClient = { tenantKey: 'acme', clientId }
const subjects = Array.from({ length: 30 }, (_, index) => `customer-${index}`)
const unavailable = { code: 'temporarily_unavailable', status: 503 }

async function keyOf({ access_token }: Tokens, host: TestSignIn): Promise<string> {
  const { grantId } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  return grantKey(grantId)
}

/** A node as the store uses it. The test sees each reply to SCAN first. */
function scanned(
  node: RedisClient,
  around: (reply: [string, string[]], node: RedisClient) => Promise<unknown>,
): RedisClient {
  return {
    call: async (command, ...args) => {
      const reply = await node.call(command, ...args)
      return command === 'scan' ? around(reply as [string, string[]], node) : reply
    },
    pipeline: (commands) => node.pipeline(commands),
    options: node.options,
  }
}

describeWithRedis('ending all grants of a client, while the server is killed and started again', () => {
  let server: RedisServer
  let redis: Redis
  beforeEach(async () => {
    server = await RedisServer.start(['--appendonly', 'yes', '--appendfsync', 'always'])
    redis = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 10 })
    redis.on('error', () => {})
  })
  afterEach(async () => {
    redis.disconnect()
    await server.stop()
  })

  it('has ended every one when it resolves, although the server has other keys for the old cursors', async () => {
    const host = await startedOnRedis(server.port, { redis: { maxRetriesPerRequest: null } })
    const tokens = await host.connected()
    const key = await keyOf(tokens, host)
    await server.command('EVAL', "for i = 1, 3000 do redis.call('SET', 'other:' .. i, 'x') end", 0)
    let restarts = 0
    let pass = 0
    // The server restarts during two passes in a row, and the key is among those that the cursors then leave out.
    const client = scanned(redis, async ([cursor, keys]) => {
      if (restarts === pass && pass < 2 && cursor !== '0') {
        restarts++
        await server.kill()
        await server.start()
      }
      const isLost = pass < 2
      if (cursor === '0') pass++
      return [cursor, isLost ? keys.filter((found) => found !== key) : keys]
    })
    const ending = await started({ tokenStore: new RedisTokenStore(client) })
    expect(await ending.signIn.grants.revokeAll(ofClient)).toBe(1)
    expect(restarts).toBe(2)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('has ended every one when it resolves, or else rejects, wherever in the scan that happens', async () => {
    const host = await startedOnRedis(server.port, { redis: { maxRetriesPerRequest: null } })
    await server.command('EVAL', "for i = 1, 20000 do redis.call('SET', 'other:' .. i, 'x') end", 0)
    for (let attempt = 0; attempt < 5; attempt++) {
      const tokens = await host.connected()
      let scans = 0
      const client = scanned(redis, async (reply) => {
        scans++
        if (scans === 3 * attempt + 1) {
          await server.kill()
          await server.start()
        }
        return reply
      })
      const ending = await started({ tokenStore: new RedisTokenStore(client) })
      await ending.signIn.grants.revokeAll(ofClient)
      expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    }
  })
})

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

  it('reaches a grant whose slot moves in mid scan, and again in the next, to a master that has already been scanned', async () => {
    const redis = new Cluster(cluster.nodes)
    const host = await startedOver(redis)
    const tokens = await host.connected()
    const key = await keyOf(tokens, host)
    let [holder, first] = [(await cluster.serving(key)).master.port, 0]
    let moves = 0
    const around = async (reply: [string, string[]], { options }: RedisClient) => {
      if (moves < 2 && options?.port === first) {
        moves++
        const moving = await cluster.beginToMove(
          key,
          (await cluster.masters()).find(({ port }) => port === first),
        )
        await moving.moveKeys()
        await moving.end()
        holder = first
      }
      return reply
    }
    const isHolder = ({ options }: RedisClient) => Number(options?.port === holder)
    const client: RedisClient = {
      call: (command, ...args) => redis.call(command, ...args) as Promise<unknown>,
      pipeline: (commands) => redis.pipeline(commands),
      refreshSlotsCache: (callback) => redis.refreshSlotsCache(callback),
      // The master that has the grant comes last.
      nodes: (role) => {
        const nodes = (redis.nodes(role) as RedisClient[]).sort((one, other) => isHolder(one) - isHolder(other))
        first = Number(nodes[0]?.options?.port)
        return nodes.map((node) => scanned(node, around))
      },
    }
    const ending = await started({ tokenStore: new RedisTokenStore(client) })
    expect(await ending.signIn.grants.revokeAll(ofClient)).toBe(1)
    expect(moves).toBe(2)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('waits for a slot that is moving, and reaches the grants in it', async () => {
    const redis = new Cluster(cluster.nodes)
    const host = await startedOver(redis)
    const tokens = await host.connected()
    const moving = await cluster.beginToMove(await keyOf(tokens, host))
    const ending = host.signIn.grants.revokeAll(ofClient)
    await moving.moveKeys()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await moving.end()
    expect(await ending).toBe(1)
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('does not resolve while a master of a Cluster is down', async () => {
    const redis = new Cluster(cluster.nodes)
    const tokens = await (await startedOver(redis)).connected()
    const host = await startedOver(redis, { hostTimeout: 1 })
    const { master, replica } = await cluster.serving(await keyOf(tokens, host))
    await eventually(() => hasAll(replica, master))
    const left = new Promise((resolve) => redis.once('-node', resolve))
    await master.kill()
    await left
    await expect(host.signIn.grants.revokeAll(ofClient)).rejects.toMatchObject(unavailable)
    // Its result says nothing here: a call that ended the grant may have failed on a node that did not know the new master yet.
    await eventually(() =>
      host.signIn.grants.revokeAll(ofClient).then(
        () => true,
        () => false,
      ),
    )
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('fails like any other call of the store if the server cannot be reached', async () => {
    const redis = new Redis(await freePort(), '127.0.0.1', { maxRetriesPerRequest: 0 })
    const host = await startedOver(redis)
    await expect(host.signIn.grants.revokeAll(ofClient)).rejects.toMatchObject(unavailable)
  })
})
