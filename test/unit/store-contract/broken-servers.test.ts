import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { reverseScript, type Script, swapScript } from '../../../src/redis/scripts'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { runContract } from './run-contract'

/** The same text with one part of it broken, which must be there exactly once. */
function broken(text: string, sound: string, wrong: string): string {
  const parts = text.split(sound)
  if (parts.length !== 2) throw new Error(`This is there ${parts.length - 1} times, and not once: ${sound}`)
  return parts.join(wrong)
}

/** Expects these tests of the contract to pass with a sound store, and one of them to fail with a broken one. */
async function expectFound(foundBy: string, createSound: () => TokenStore, createBroken: () => TokenStore) {
  const sound = await runContract(createSound, { only: foundBy })
  expect(sound.failed).toEqual([])
  expect(sound.passed).not.toEqual([])
  expect((await runContract(createBroken, { only: foundBy })).failed).not.toEqual([])
}

describeWithPostgres('the token store contract, on PostgreSQL,', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new Pool({ connectionString: server.url })
    await server.query(postgresSchema())
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  const lock = 'select * into live from @grants where id = in_id for no key update;'
  const clock = 'now := @clock();'
  // Long enough for other calls to come in between on any machine, and to come in another order.
  const pause = 'perform pg_sleep(random() * 0.01);'

  it.each([
    {
      that: 'reads the clock before it locks the row of a swap',
      breaks: 'swap_credential',
      sound: `${lock}\n  ${clock}`,
      wrong: [clock, pause, lock].join('\n'),
      foundBy: 'tells the time at which it decides',
    },
    {
      that: 'does not lock the row of a swap',
      breaks: 'swap_credential',
      sound: lock,
      wrong: lock.replace(' for no key update', '') + pause,
      foundBy: 'has one winner among 200 parallel swaps',
    },
    {
      that: 'does not lock the row of a reversal',
      breaks: 'reverse_swap',
      sound: lock,
      wrong: lock.replace(' for no key update', '') + pause,
      foundBy: 'do not both succeed',
    },
  ])('finds SQL that $that', async ({ breaks, sound, wrong, foundBy }) => {
    const schema = 'broken'
    const inPlace = (sql: string) => sql.replaceAll('@', `"${schema}".`)
    const functions = postgresSchema({ schema }).split(/(?=^create or replace function )/m)
    const isMeant = (part: string) => part.startsWith(inPlace(`create or replace function @${breaks}(`))
    const sql = functions.map((part) => (isMeant(part) ? broken(part, inPlace(sound), inPlace(wrong)) : part))
    await server.query(sql.join(''))
    // A call that must wait for its connection meets no other.
    const connections = await Promise.all(Array.from({ length: 10 }, () => pool.connect()))
    for (const connection of connections) connection.release()
    await expectFound(
      foundBy,
      () => new PostgresTokenStore(pool),
      () => new PostgresTokenStore(pool, { schema }),
    )
  })
})

describeWithRedis('the token store contract, on Redis,', () => {
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

  /** A client that runs another script in place of one of the store's. */
  function running(lua: string, inPlaceOf: Script): RedisClient {
    return {
      pipeline: (commands) => redis.pipeline(commands),
      call: (command, ...args) =>
        args[0] === inPlaceOf.sha ? redis.call('eval', lua, ...args.slice(1)) : redis.call(command, ...args),
    }
  }

  it.each([
    {
      that: 'never extends the index of a customer',
      script: swapScript,
      sound: 'if known < tonumber(grant.expiresAt) then',
      wrong: 'if false then',
      foundBy: 'returns a grant whose code would have expired by now',
    },
    {
      that: 'does not look which attempt it reverses',
      script: reverseScript,
      sound: 'if grant.hash ~= ARGV[3] or not isMeant then',
      wrong: 'if grant.hash ~= ARGV[3] then',
      foundBy: 'reverses only the swaps of its attempts',
    },
  ])('finds Lua that $that', async ({ script, sound, wrong, foundBy }) => {
    const client = running(broken(script.lua, sound, wrong), script)
    await expectFound(
      foundBy,
      () => new RedisTokenStore(redis),
      () => new RedisTokenStore(client),
    )
  })
})
