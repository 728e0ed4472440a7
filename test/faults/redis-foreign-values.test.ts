import { Redis } from 'ioredis'
import { newGrant } from '../../src/store-contract/records'
import { recordOf } from '../support/records'
import { grantKey, indexKey } from '../support/redis-keys'
import { describeWithRedis, RedisServer } from '../support/redis-server'
import { clientId, expectError, expectTokens, type TestSignIn } from '../support/sign-in'
import { startedOnRedis } from '../support/started-on-redis'

const ofCustomer = { tenantKey: 'acme', subject: 'customer-1' }
const unavailable = { code: 'temporarily_unavailable', status: 503 }

/** Replaces a value of the store by something else. */
type Write = (redis: Redis, key: string, ours: Buffer) => Promise<unknown>

/** Our value with other lines in place of one. */
const withLine =
  (index: number, ...lines: string[]): Write =>
  (redis, key, ours) =>
    redis.set(
      key,
      ours
        .toString()
        .split('\n')
        .toSpliced(index, 1, ...lines)
        .join('\n'),
    )

const foreign: [name: string, write: Write][] = [
  ['a list', (redis, key) => redis.rpush(key, 'one', 'two')],
  ['a hash', (redis, key) => redis.hset(key, 'field', 'value')],
  ['an empty text', (redis, key) => redis.set(key, '')],
  ['another text', (redis, key) => redis.set(key, 'session of somebody')],
  ['JSON', (redis, key) => redis.set(key, '{"version":1}')],
  ['bytes that are no text', (redis, key) => redis.set(key, Buffer.from([0x31, 0x3b, 0xff, 0x00, 0x0a, 0x2e]))],
  [
    'a value with a kind of credential that it does not know',
    (redis, key, ours) => redis.set(key, Buffer.concat([Buffer.from('1;x'), ours.subarray(3)])),
  ],
  [
    'a value of a later version',
    (redis, key, ours) => redis.set(key, Buffer.concat([Buffer.from('2'), ours.subarray(1)])),
  ],
]

const foreignGrants: typeof foreign = [
  ...foreign,
  ['a value whose header ends after its kind', withLine(0, '1;r')],
  ['a value whose resource is no JSON', withLine(1, '"https://api.example')],
  ['a value whose resource is no text', withLine(1, '{}')],
  ['a value whose third line is no JSON', withLine(2, '["https://client.example","customer-1"')],
  ['a value whose third line is no list', withLine(2, '{"subject":"customer-1"}')],
  ['a value whose third line says no scope', withLine(2, '["https://client.example","customer-1"]')],
  ['a value whose third line names no customer', withLine(2, '["https://client.example",7,"profile",null]')],
  [
    'a value with a line too much',
    withLine(2, '["client","customer-1","profile",null]', '["client","customer-1"]', '[]'),
  ],
]

describeWithRedis('a value under the key prefix that is not the store’s own', () => {
  let server: RedisServer
  let redis: Redis
  let host: TestSignIn
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port, '127.0.0.1')
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(async () => {
    await redis.flushall()
    host = await startedOnRedis(server.port, { replayTolerance: 0 })
  })

  /** Fails unless `work` leaves a foreign value under a key as it is, and the operator is told. */
  async function expectLeftAlone(key: string, write: Write, work: () => Promise<unknown>): Promise<void> {
    const ours = await redis.getBuffer(key)
    await redis.del(key)
    await write(redis, key, ours ?? Buffer.alloc(0))
    const before = await redis.dumpBuffer(key)
    host.events.length = 0
    await work()
    expect(await redis.dumpBuffer(key)).toEqual(before)
    expect(await redis.pttl(key)).toBe(-1)
    const told = await host.told('error')
    expect(told.map(({ error }) => error.message)).toEqual(told.map(() => expect.stringContaining(JSON.stringify(key))))
    await redis.del(key)
    if (ours) await redis.set(key, ours)
  }

  async function keyOfGrant(): Promise<string> {
    return grantKey((await recordOf(host.tokenStore)).grantId)
  }

  it.each(foreignGrants)(
    'is left alone by a refresh, which succeeds once the right value is back: %s',
    async (_, write) => {
      const { refresh_token } = await host.connected()
      await expectLeftAlone(await keyOfGrant(), write, async () => {
        expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
        expect(await host.told('error')).toHaveLength(1)
      })
      expectTokens(await host.refresh(refresh_token))
    },
  )

  it.each(foreignGrants)(
    'is left alone by an exchange of a code, which succeeds once the right value is back: %s',
    async (_, write) => {
      const signedIn = await host.asCustomer()
      await expectLeftAlone(await keyOfGrant(), write, async () => {
        expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
        expect(await host.told('error')).toHaveLength(1)
      })
      expectTokens(await host.exchange(signedIn))
    },
  )

  it.each(foreignGrants)('is left alone by calls that read or revoke a grant: %s', async (_, write) => {
    const { access_token, refresh_token } = await host.connected()
    const { grantId } = await recordOf(host.tokenStore)
    await expectLeftAlone(await keyOfGrant(), write, async () => {
      expectError(await host.refresh(refresh_token, { scope: 'profile' }), 503, 'temporarily_unavailable')
      const { grants } = host.signIn
      const check = { tenantKey: 'acme', checkRevocation: true }
      await expect(host.signIn.verifyAccessToken(access_token, check)).rejects.toMatchObject(unavailable)
      await expect(grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId })).rejects.toMatchObject(
        unavailable,
      )
      await expect(grants.revokeAll(ofCustomer)).rejects.toMatchObject(unavailable)
      await expect(grants.list(ofCustomer)).rejects.toMatchObject(unavailable)
    })
    expectTokens(await host.refresh(refresh_token))
  })

  it.each<[string, Parameters<TestSignIn['signIn']['grants']['revokeAll']>[0]]>([
    ['a customer', ofCustomer],
    ['a client', { tenantKey: 'acme', clientId }],
    ['a customer and a client', { ...ofCustomer, clientId }],
  ])('keeps no other grant of %s from being ended, and is named at the end', async (_, of) => {
    const tokens = [await host.connected(), await host.connected(), await host.connected()]
    const [, second] = await Promise.all(
      tokens.map(({ access_token }) => host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })),
    )
    const key = grantKey(second?.grantId ?? '')
    await redis.set(key, '2;a later version', 'KEEPTTL')
    for (const ended of [2, 0]) {
      host.events.length = 0
      await expect(host.signIn.grants.revokeAll(of)).rejects.toMatchObject(unavailable)
      expect(await host.told('revoked')).toHaveLength(ended)
      const errors = await host.told('error')
      expect(errors).toMatchObject([{ where: 'grants.revokeAll', tenantKey: 'acme' }])
      expect(errors[0]?.error.message).toContain(JSON.stringify(key))
    }
    for (const index of [0, 2]) {
      expectError(await host.refresh(tokens[index]?.refresh_token ?? ''), 400, 'invalid_grant')
    }
    expect(await redis.get(key)).toBe('2;a later version')
  })

  it.each(foreign)('is deleted with everything else when its company is erased: %s', async (_, write) => {
    const { refresh_token } = await host.connected()
    const key = await keyOfGrant()
    const ours = (await redis.getBuffer(key)) ?? Buffer.alloc(0)
    const other = await host.connected()
    await redis.del(key)
    await write(redis, key, ours)
    expect(await host.signIn.tenants.erase({ tenantId: 'acme' })).toBe(1)
    expect(await redis.keys('csi:[^e]:*')).toEqual([])
    for (const token of [refresh_token, other.refresh_token]) {
      expectError(await host.refresh(token), 400, 'invalid_grant')
    }
  })

  it('is known for what it is wherever a value of the store’s own is cut off', async () => {
    const signedIn = await host.asCustomer({ subject: 'Zoë 中 😀' })
    const { grantId } = await recordOf(host.tokenStore, 'acme', 'Zoë 中 😀')
    const key = grantKey(grantId)
    const cutAt =
      (length: number): Write =>
      (redis, key, ours) =>
        redis.set(key, ours.subarray(0, length))

    for (let length = await redis.strlen(key); length-- > 0; ) {
      await expectLeftAlone(key, cutAt(length), async () => {
        expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
        await expect(host.tokenStore.findGrant('acme', grantId)).rejects.toThrow(key)
      })
    }
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    for (let length = await redis.strlen(key); length-- > 0; ) {
      await expectLeftAlone(key, cutAt(length), async () => {
        expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
        await expect(host.tokenStore.findGrant('acme', grantId)).rejects.toThrow(key)
      })
    }
    expectTokens(await host.refresh(refresh_token))
  })

  it.each(foreign)('is left alone by a new grant of the same id: %s', async (_, write) => {
    await host.connected()
    const { tenantId, grantId, subject } = await recordOf(host.tokenStore)
    const grant = newGrant({ tenantId, grantId, subject, deadline: Date.now() + 60_000 })
    const key = await keyOfGrant()
    await expectLeftAlone(key, write, () => expect(host.tokenStore.createGrant(grant)).rejects.toThrow(key))
  })

  it.each(foreign)('is left alone in place of the index: %s', async (_, write) => {
    const key = indexKey()
    await expectLeftAlone(key, write, async () => {
      await expect(host.asCustomer()).rejects.toMatchObject({
        ...unavailable,
        cause: { message: expect.stringContaining('WRONGTYPE') },
      })
      await expect(host.signIn.grants.list(ofCustomer)).rejects.toMatchObject(unavailable)
    })
    expect(await redis.keys('csi:g:*')).toEqual([])
  })
})
