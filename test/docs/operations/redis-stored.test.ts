import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { customerHandle } from '../../../src/protocol/customer-handle'
import { grantKey, indexKey } from '../../support/redis-keys'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { tableUnder, textOf } from '../pages'

const page = textOf('docs/operations-redis.md')
const day = 86_400_000
const handle = customerHandle('acme', 'ada')

/** The reply to a command, in the form that the page shows. */
function shown(command: string): string[] {
  const [, reply = ''] = page.split(`> ${command}`)
  return (
    reply
      .split(/\n> |\n```/)[0]
      ?.split('\n')
      .slice(1) ?? []
  )
}

/** Replaces the values that differ in each run by their shape. */
function shape(lines: readonly unknown[]): string[] {
  return lines.map((line) =>
    String(line)
      .replace(/\b\d{13}\b/g, 'TIME')
      .replace(/^1;f;[\w-]{43};[^;]{12};/, '1;f;HASH;ATTEMPT;')
      .replace(/;[\w-]{8}0$/, ';MARK0'),
  )
}

describeWithRedis('What is stored, as docs/operations-redis.md shows it', () => {
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

  it('is what the store writes', async () => {
    const store = new RedisTokenStore(redis)
    const [, rest = ''] = page.split(`GET ${grantKey(handle)}`)[1]?.match(/^(\S+)/) ?? []
    const now = Date.now()
    const of = { tenantId: 'acme', grantId: handle + rest }
    const clientId = 'https://assistant.example/client.json'
    await store.createGrant({
      ...of,
      ...{ clientId, subject: 'ada', scopes: ['profile', 'bookings'] },
      resource: 'https://assistant.example/v1/acme/mcp',
      ...{ lifetime: day, deadline: now + day },
      credential: { kind: 'code', hash: 'a'.repeat(43) },
      request: { redirectUri: 'https://assistant.example/callback', codeChallenge: 'b'.repeat(43) },
    })
    const swap = { from: 'a'.repeat(43), to: 'c'.repeat(43), attempt: 'd'.repeat(12), redeems: ['a'.repeat(43)] }
    await store.swapCredential({ ...of, ...swap, lifetime: 30 * day, remember: 0, rest: 0, deadline: now + day })

    const keyOfGrant = grantKey(of.grantId)
    const value = async (key: string) => shape(String(await redis.get(key)).split('\n'))
    expect(shape(shown(`GET ${keyOfGrant}`))).toEqual(await value(keyOfGrant))
    const index = indexKey('ada')
    expect(shape(shown(`ZRANGE ${index} 0 -1 WITHSCORES`))).toEqual(
      shape(await redis.zrange(index, '0', '-1', 'WITHSCORES')),
    )
  })

  it('has four kinds of key, each with an expiry', async () => {
    const rows = tableUnder('## What is stored', 'docs/operations-redis.md')
    const kinds = rows.map(([key = '', type]) => [/^`(csi:\w:?)/.exec(key)?.[1], type])
    const store = new RedisTokenStore(redis)
    await store.useOnce('acme', 'e'.repeat(43), day)
    for await (const _ of store.deleteGrants({ tenantId: 'acme', subject: 'nobody' }));
    const keys = await redis.keys('*')
    const stored = await Promise.all(
      keys.map(async (key) => {
        expect(await redis.pttl(key)).toBeGreaterThan(0)
        return [key.slice(0, 6), (await redis.type(key)).replace('zset', 'sorted set')] as const
      }),
    )
    expect([...new Map(stored)].sort()).toEqual(kinds.sort())
  })
})
