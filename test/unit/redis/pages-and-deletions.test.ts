import { randomUUID } from 'node:crypto'
import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import type { Grant, GrantOwner } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { createGrant, newGrant } from '../../../src/store-contract/records'
import { describeWithRedis, RedisServer } from '../../support/redis-server'

describeWithRedis('RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(() => redis.flushall())

  /** In turns, so that none waits in a queue beyond its deadline. */
  async function createGrants(store: RedisTokenStore, count: number, members: Partial<Grant>): Promise<Grant[]> {
    const grants: Grant[] = []
    while (grants.length < count) {
      const turn = Array.from({ length: Math.min(500, count - grants.length) })
      grants.push(...(await Promise.all(turn.map(() => createGrant(store, members as never)))))
    }
    return grants
  }

  describe('listGrants', () => {
    it('looks at 10,000 grants of other clients at the most for a page, and goes on there', async () => {
      const store = new RedisTokenStore(redis)
      const tenantId = randomUUID()
      await createGrants(store, 10_001, { tenantId })
      const [meant] = await createGrants(store, 1, { tenantId, clientId: 'rare' })
      const of = { tenantId, clientId: 'rare', limit: 2 }
      const first = await store.listGrants(of)
      expect(first.next).toBeDefined()
      const second = await store.listGrants({ ...of, after: first.next })
      expect(second.next).toBeUndefined()
      expect([...first.grants, ...second.grants].map(({ grantId }) => grantId)).toEqual([meant?.grantId])
    })

    it('has no page after the one with the last grant', async () => {
      const store = new RedisTokenStore(redis)
      const tenantId = randomUUID()
      await createGrants(store, 4, { tenantId })
      const first = await store.listGrants({ tenantId, limit: 2 })
      const second = await store.listGrants({ tenantId, after: first.next, limit: 2 })
      expect([first.grants.length, second.grants.length, second.next]).toEqual([2, 2, undefined])
    })

    /** The server is another one for each of the first `times` that somebody asks which it is. */
    function changing(times: number): RedisClient {
      let asked = 0
      return {
        pipeline: (commands) => redis.pipeline(commands as never) as never,
        async call(command, ...args) {
          const reply = await redis.call(command, ...args)
          if (command !== 'info') return reply
          return String(reply).replace(/run_id:\w+/, `run_id:${Math.min(++asked, times)}`)
        },
      }
    }

    it('begins a page again if the server has been restarted meanwhile', async () => {
      const tenantId = randomUUID()
      const [grant] = await createGrants(new RedisTokenStore(redis), 1, { tenantId })
      const { grants } = await new RedisTokenStore(changing(4)).listGrants({ tenantId, limit: 2 })
      expect(grants).toMatchObject([{ grantId: grant?.grantId }])
    })

    it('does not begin again because of what else a node of a Cluster says of itself', async () => {
      let asked = 0
      const node: RedisClient = {
        pipeline: (commands) => redis.pipeline(commands as never) as never,
        async call(command, ...args) {
          if (command !== 'cluster') return redis.call(command, ...args)
          return `07c3 127.0.0.1:30001@31001 myself,master - 0 ${++asked} 1 connected 0-16383\n`
        },
      }
      const cluster = { ...node, nodes: () => [node], refreshSlotsCache: (done: () => void) => done() }
      const tenantId = randomUUID()
      await createGrants(new RedisTokenStore(redis), 1, { tenantId })
      expect((await new RedisTokenStore(cluster).listGrants({ tenantId, limit: 2 })).grants).toHaveLength(1)
      expect(asked).toBe(2)
    })

    it('rejects if the server is restarted again and again', async () => {
      const page = new RedisTokenStore(changing(1000)).listGrants({ tenantId: 't', limit: 2 })
      await expect(page).rejects.toThrow('the servers keep changing, so not every grant can be found')
    })

    it('rejects if it cannot read a grant, and names its key', async () => {
      const store = new RedisTokenStore(redis)
      const tenantId = randomUUID()
      await createGrants(store, 2, { tenantId })
      const [key = ''] = await redis.keys(`csi:g:*`)
      await redis.set(key, 'somebody else')
      await expect(store.listGrants({ tenantId, limit: 2 })).rejects.toMatchObject({
        name: 'UnreadableValueError',
        message: expect.stringContaining(`cannot read the value of the key "${key}"`),
      })
    })

    it('rejects with what the server says if it may not read a grant', async () => {
      const tenantId = randomUUID()
      await createGrants(new RedisTokenStore(redis), 2, { tenantId })
      const [key = ''] = await redis.keys(`csi:g:*`)
      await redis.call('acl', 'setuser', 'default', 'resetkeys', '~csi:c:*', `~${key}`)
      try {
        await expect(new RedisTokenStore(redis).listGrants({ tenantId, limit: 2 })).rejects.toThrow('NOPERM')
      } finally {
        await redis.call('acl', 'setuser', 'default', 'allkeys')
      }
    })
  })

  it('rejects if the server refuses to delete one of the grants that are ended, and deletes the others', async () => {
    const tenantId = randomUUID()
    await createGrants(new RedisTokenStore(redis), 2, { tenantId })
    const [refused = ''] = await redis.keys('csi:g:*')
    let refusals = 0
    const refusing: RedisClient = {
      pipeline: (commands) => redis.pipeline(commands as never) as never,
      call(command, ...args) {
        const isFirst = /^eval/i.test(command) && args.includes(refused) && refusals++ === 0
        return isFirst ? Promise.reject(new Error('LOADING')) : redis.call(command, ...args)
      },
    }
    const deleted: Grant[] = []
    const deleteAll = async () => {
      const all = new RedisTokenStore(refusing).deleteGrants({ tenantId, all: 'grants' })
      for await (const grant of all) deleted.push(grant)
    }
    await expect(deleteAll()).rejects.toThrow('LOADING')
    expect(deleted).toHaveLength(1)
    expect(await redis.keys('csi:g:*')).toEqual([refused])
  })

  /** Sends commands on, and calls `onCall` between each command and its reply. It has no replicas to wait for. */
  function observed(onCall: (command: string, args: unknown[]) => unknown): RedisClient {
    return {
      pipeline: () => {
        throw new Error('No replica is waited for')
      },
      async call(command, ...args) {
        const reply = await redis.call(command, ...args)
        await onCall(command, args)
        return reply
      },
    }
  }

  async function endedBy(store: RedisTokenStore, owner: GrantOwner): Promise<string[]> {
    const ended: string[] = []
    for await (const { grantId } of store.deleteGrants(owner)) ended.push(grantId)
    return ended.sort()
  }

  it('looks for marks only if a grant has been asserted', async () => {
    const read: unknown[] = []
    const store = new RedisTokenStore(observed((command, [key]) => command === 'get' && read.push(key)))
    await createGrant(store, {})
    expect(read).toEqual([])
    await createGrant(store, { assertedAt: 0 })
    expect(read).toEqual(Array(4).fill(expect.stringMatching(/^csi:e:/)))
  })

  it('deletes a grant that was ended since it was asserted, and sends nothing more if it came too late to be created', async () => {
    const owner = { tenantId: randomUUID(), subject: 'ada' }
    const grant = newGrant({ ...owner, assertedAt: 0, deadline: 0 })
    await endedBy(new RedisTokenStore(redis), owner)
    const steps: unknown[] = []
    const store = new RedisTokenStore(observed((command) => command.startsWith('eval') && steps.push(command)))
    expect(await store.createGrant(grant)).toMatchObject({ outcome: 'ended' })
    expect(steps).toHaveLength(1)
    expect(await store.createGrant({ ...grant, deadline: Date.now() + 60_000 })).toMatchObject({ outcome: 'ended' })
    expect(await redis.keys('csi:g:*')).toEqual([])
    expect(steps).toHaveLength(3)
  })

  it('ends what was asserted in the very millisecond of the end, and nothing later', async () => {
    const owner = { tenantId: randomUUID(), subject: 'ada' }
    const store = new RedisTokenStore(redis)
    await endedBy(store, owner)
    const [mark = ''] = await redis.keys('csi:e:*')
    const at = Number(await redis.get(mark))
    const asserted = (assertedAt: number) =>
      store.createGrant(newGrant({ ...owner, assertedAt, deadline: Date.now() + 60_000 }))
    expect(await asserted(at)).toMatchObject({ outcome: 'ended' })
    expect(await asserted(at + 1)).toMatchObject({ outcome: 'created' })
  })

  it('ends also the grants that are created while it looks, until it finds none', async () => {
    const [tenantId, other] = [randomUUID(), new RedisTokenStore(redis)]
    const created: Grant[] = []
    let passes = 0
    const store = new RedisTokenStore(
      observed(async (command) => {
        if (command === 'scan' && ++passes <= 2) created.push(await createGrant(other, { tenantId }))
      }),
    )
    const ended = await endedBy(store, { tenantId, all: 'grants' })
    expect(ended).toEqual(created.map(({ grantId }) => grantId).sort())
    expect(passes).toBe(4)
    expect(await redis.keys('csi:g:*')).toEqual([])
  })

  it('drops what is left of expired grants in batches, and looks at no other customer', async () => {
    const owner = { tenantId: randomUUID(), subject: 'ada' }
    await createGrants(new RedisTokenStore(redis), 1000, owner)
    await redis.del(await redis.keys('csi:g:*'))
    const own = await redis.keys('csi:s:*')
    const other = await createGrant(new RedisTokenStore(redis), { tenantId: owner.tenantId })
    const drops: number[] = []
    const looked: unknown[] = []
    const store = new RedisTokenStore(
      observed((command, [first, count, key]) => {
        if (command === 'zrange') looked.push(first)
        if (command.startsWith('eval') && own.includes(String(key))) drops.push(Number(count) - 1)
      }),
    )
    expect(await endedBy(store, owner)).toEqual([])
    expect(drops).toEqual([500, 500])
    expect(new Set(looked)).toEqual(new Set(own))
    expect(await redis.keys('csi:s:*')).toEqual([expect.not.stringContaining(String(own[0]))])
    expect(await new RedisTokenStore(redis).findGrant(other.tenantId, other.grantId)).toEqual(other)
  })

  it('reads no index of a tenant as if it were a grant', async () => {
    const tenantId = randomUUID()
    await createGrants(new RedisTokenStore(redis), 2, { tenantId })
    const own = await redis.keys('csi:g:*')
    const read: unknown[] = []
    const store = new RedisTokenStore(observed((command, [key]) => command === 'get' && read.push(key)))
    expect(await endedBy(store, { tenantId, all: 'grants' })).toHaveLength(2)
    expect(new Set(read)).toEqual(new Set(own))
  })

  it.each([
    [
      'what the server says',
      [
        [null, ''],
        [new Error('LOADING'), null],
      ],
      'RedisTokenStore: LOADING',
    ],
    ['that nothing has come', null, 'RedisTokenStore: 0 of 1 replicas have the write'],
  ])('says %s in place of what the replicas have', async (_, replies, says) => {
    const failing: RedisClient = {
      call: (command, ...args) => redis.call(command, ...args),
      pipeline: () => ({ exec: async () => replies as never }),
    }
    const ending = endedBy(new RedisTokenStore(failing, { replicas: 1 }), { tenantId: randomUUID(), all: 'grants' })
    await expect(ending).rejects.toThrow(new Error(says))
  })
})
