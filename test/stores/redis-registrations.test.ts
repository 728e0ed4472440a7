import { randomBytes, randomUUID } from 'node:crypto'
import type { NewClient } from 'customer-sign-in'
import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from 'ioredis'
import { checkedOptions } from '../../src/options'
import { textOf } from '../docs/pages'
import { RedisCluster } from '../support/redis-cluster'
import { describeWithRedis, describeWithRedisClock, RedisServer } from '../support/redis-server'
import { registered, saveClient } from '../support/registration'
import { startedOnRedis } from '../support/started-on-redis'

const day = 86_400_000
const index = 'csi:r'

function newClient(tenantId: string, members: Partial<NewClient> = {}): NewClient {
  const redirectUris = ['https://assistant.example/callback']
  return { tenantId, clientId: randomUUID(), redirectUris, lifetime: day, ...members }
}

/** The clients in a store and those in its index, by the ends of their keys. */
async function storedAndKnown(servers: readonly RedisServer[]): Promise<{ stored: string[]; known: string[] }> {
  const on = async (...command: [string, ...(string | number)[]]) =>
    (await Promise.all(servers.map((server) => server.command(...command).catch(() => [])))).flat() as string[]
  const stored = (await on('KEYS', 'csi:c:*')).map((key) => key.slice('csi:c:'.length))
  const rows = await on('ZRANGE', index, 0, -1)
  const known = rows.filter((row) => row.startsWith('c;')).map((row) => row.split(';').slice(1, 3).join(':'))
  return { stored: stored.sort(), known: known.sort() }
}

/** Registers 100 clients at each of three companies through each of the Redis clients, all at once. */
async function registerAtOnce(connections: readonly RedisClient[]): Promise<void> {
  const stores = connections.map((redis) => new RedisTokenStore(redis))
  const limits = { perTenant: 20, total: 36 }
  await Promise.all(
    stores.flatMap((store) =>
      Array.from({ length: 100 }, async () => {
        for (const tenantId of ['acme', 'globex', 'initech']) await store.saveClient(newClient(tenantId), limits)
      }),
    ),
  )
}

const each = { acme: 12, globex: 12, initech: 12 }

function countByTenant(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [tenant = ''] of keys.map((key) => key.split(':'))) counts[tenant] = (counts[tenant] ?? 0) + 1
  return counts
}

describeWithRedis('registrations that nobody uses, on Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(() => server.command('FLUSHALL'))

  it('are as many as they may be when several processes register at once', async () => {
    const connections = Array.from({ length: 4 }, () => new Redis(server.port))
    await registerAtOnce(connections)
    for (const connection of connections) connection.disconnect()
    const { stored, known } = await storedAndKnown([server])
    expect(countByTenant(stored)).toEqual(each)
    expect(known).toEqual(stored)
  })

  it('are not in the index once they are in use or deleted', async () => {
    const store = new RedisTokenStore(redis)
    for (const clientId of ['used', 'deleted']) await saveClient(store, { clientId })
    await store.touchClient('acme', 'used', { lifetime: day, inUse: true })
    await store.deleteClient('acme', 'deleted')
    expect(await redis.keys('*')).toEqual(['csi:c:acme:used'])
  })

  it('make room for those of another company in any state of the index that a lower limit leaves', async () => {
    const store = new RedisTokenStore(redis)
    for (let count = 0; count < 300; count++) {
      await store.saveClient(newClient('acme'), { perTenant: 1000, total: 1000 })
    }
    for (let count = 0; count < 16; count++) {
      await store.saveClient(newClient('globex'), { perTenant: 3, total: 10 })
    }
    const { stored, known } = await storedAndKnown([server])
    expect(countByTenant(stored)).toEqual({ acme: 7, globex: 3 })
    expect(known).toEqual(stored)
  })

  it.each([
    ['of its company', 'acme', { perTenant: 10, total: 1000 }],
    ['of all companies', 'globex', { perTenant: 1000, total: 10 }],
  ])(
    'make room for a lower limit %s 20 at a registration, so that Redis serves others in between',
    async (_, tenantId, limits) => {
      const store = new RedisTokenStore(redis)
      for (let count = 0; count < 100; count++) {
        await store.saveClient(newClient('acme'), { perTenant: 1000, total: 1000 })
      }
      const left: number[] = []
      for (let count = 0; count < 6; count++) {
        await store.saveClient(newClient(tenantId), limits)
        left.push((await storedAndKnown([server])).stored.length)
      }
      expect(left).toEqual([81, 62, 43, 24, 10, 10])
    },
  )

  it('are in the index for as long as they are stored, whatever extends them', async () => {
    const store = new RedisTokenStore(redis)
    await saveClient(store, { clientId: 'allowed', lifetime: day })
    await store.touchClient('acme', 'allowed', { lifetime: 60 * day, inUse: false })
    await store.touchClient('acme', 'allowed', { lifetime: day, inUse: false })
    const { expiresAt } = (await store.findClient('acme', 'allowed')) ?? {}
    const rows = await redis.zrange(index, 0, '-1')
    expect(rows.filter((row) => row.startsWith('x;'))).toEqual([`x;000${expiresAt};acme;allowed`])
    expect(await redis.pexpiretime(index)).toBe(expiresAt)
  })

  it('take together no more memory than docs/operations-redis.md says, and each at most 4 KiB', async () => {
    const { maxRegistrations } = checkedOptions({
      tenantStore: { findTenant: () => null },
      tokenStore: new RedisTokenStore(redis),
    })
    const host = await startedOnRedis(server.port)
    const metadata = { client_name: 'é'.repeat(60), redirect_uris: redirectUrisOf(3_825) }
    const clientId = await registered(host, metadata)
    const value = await redis.strlen(`csi:c:acme:${clientId}`)
    expect(value).toBeGreaterThan(4000)
    expect(value).toBeLessThanOrEqual(4096)

    const used = async () => Number(/used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1])
    const before = await used()
    const store = new RedisTokenStore(redis)
    const count = 2000
    const redirectUris = redirectUrisOf(3_950)
    for (let saved = 0; saved < count; saved += 100) {
      const clients = Array.from({ length: 100 }, (_, number) =>
        newClient(`company-${saved + number}`, { redirectUris, clientId: randomBytes(16).toString('base64url') }),
      )
      await Promise.all(clients.map((client) => store.saveClient(client, { perTenant: 1000, total: count })))
    }
    const megabytes = (((await used()) - before) / count) * maxRegistrations * 1e-6
    const [, promised] = /(\d+) MB at the most/.exec(textOf('docs/operations-redis.md')) ?? []
    expect(megabytes).toBeLessThanOrEqual(Number(promised))
    expect(megabytes).toBeGreaterThan(Number(promised) * 0.8)
  })
})

/** Redirect URIs that take this many bytes as JSON. */
function redirectUrisOf(bytes: number): string[] {
  const uris = Array.from({ length: 8 }, (_, number) => `https://assistant.example/${number}`)
  const missing = bytes - JSON.stringify(uris).length
  return uris.map((uri) => uri + 'x'.repeat(Math.floor(missing / uris.length)))
}

describeWithRedis('registrations that nobody uses, on a Cluster', () => {
  it('are as many as they may be when several processes register at once', async () => {
    const cluster = await RedisCluster.start()
    const connections = Array.from({ length: 3 }, () => new Cluster(cluster.nodes))
    try {
      await registerAtOnce(connections)
      const { stored, known } = await storedAndKnown(await cluster.masters())
      expect(countByTenant(stored)).toEqual(each)
      expect(known).toEqual(stored)
    } finally {
      for (const connection of connections) connection.disconnect()
      await cluster.stop()
    }
  })
})

describeWithRedisClock('registrations that nobody uses, on a Redis with a clock of its own', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start([], { clock: true })
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(() => server.command('FLUSHALL'))

  it('make room in the order in which they were made, also while the clock is set back', async () => {
    const store = new RedisTokenStore(redis)
    const clients = Array.from({ length: 4 }, () => newClient('acme'))
    for (const client of clients) {
      await store.saveClient(client, { perTenant: 2, total: 100 })
      server.clock.advance(-3600)
    }
    const found = await Promise.all(clients.map(({ clientId }) => store.findClient('acme', clientId)))
    expect(found.map(Boolean)).toEqual([false, false, true, true])
  })

  it('are removed from the index 50 at a time once they have expired, so that Redis serves others in between', async () => {
    const store = new RedisTokenStore(redis)
    const limits = { perTenant: 1000, total: 1000 }
    await store.saveClient(newClient('acme', { lifetime: day }), limits)
    for (let count = 0; count < 120; count++) await store.saveClient(newClient('acme', { lifetime: 1000 }), limits)
    server.clock.advance(2)
    const left: number[] = []
    for (let count = 0; count < 4; count++) {
      await store.saveClient(newClient('globex'), limits)
      left.push((await storedAndKnown([server])).known.length)
    }
    expect(left).toEqual([72, 23, 4, 5])
  })

  it('are deleted later, if the process that had to delete them was killed', async () => {
    let isKilled = false
    const dying: RedisClient = {
      call: (command, ...args) => (isKilled ? new Promise(() => {}) : redis.call(command, ...args)),
      pipeline: (commands) => redis.pipeline(commands as string[][]),
    }
    const store = new RedisTokenStore(redis)
    const limits = { perTenant: 1, total: 100 }
    const first = newClient('acme')
    await store.saveClient(first, limits)
    void new RedisTokenStore(dying).saveClient(newClient('acme'), limits)
    // The process has sent only the first of its commands.
    isKilled = true
    await redis.ping()
    server.clock.advance(11)
    await store.saveClient(newClient('globex'), limits)
    expect(await store.findClient('acme', first.clientId)).toBeUndefined()
  })
})
