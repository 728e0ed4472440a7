import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { type RedisClient, RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import {
  createScript,
  markScript,
  reverseScript,
  type Script,
  swapScript,
  useOnceScript,
} from '../../../src/redis/scripts'
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
  const pause = 'perform pg_sleep(random() * 0.1);'

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
    {
      that: 'swaps a credential that has expired',
      breaks: 'swap_credential',
      sound: 'if live.expires_at > now is not true',
      wrong: 'if live.id is null',
      foundBy: 'says missing for a grant that has expired',
    },
    {
      that: 'swaps after the deadline',
      breaks: 'swap_credential',
      sound: "if now >= in_deadline then return json_build_array('late', now); end if;",
      wrong: '',
      foundBy: 'writes nothing after the deadline',
    },
    {
      that: 'remembers what it redeemed for ever',
      breaks: 'swap_credential',
      sound: 'at - in_remember <=',
      wrong: '0 <=',
      foundBy: 'no credential that was redeemed longer ago',
    },
    {
      that: 'remembers one redemption too many',
      breaks: 'swap_credential',
      sound: '16 * 22',
      wrong: '17 * 22',
      foundBy: 'is at most 16 credentials',
    },
    {
      that: 'keeps the request of a code that was redeemed',
      breaks: 'swap_credential',
      sound: 'swapped_at = at, request = null',
      wrong: 'swapped_at = at',
      foundBy: 'makes the next credential the live one',
    },
    {
      that: 'lets a grant outlive its end',
      breaks: 'swap_credential',
      sound: 'least(now + in_lifetime, live.ends_at)',
      wrong: 'now + in_lifetime',
      foundBy: 'never moves the expiry past the end',
    },
    {
      that: 'lets the first refresh token rest',
      breaks: 'swap_credential',
      sound: "live.kind = 'r' and now >= ",
      wrong: 'now >= ',
      foundBy: 'does not apply to a code, nor to the refresh token',
    },
    {
      that: 'reverses whatever is live',
      breaks: 'reverse_swap',
      sound: 'live.hash = in_to and live',
      wrong: 'live',
      foundBy: 'reverses only the swaps of its attempts',
    },
    {
      that: 'does not look which attempt it reverses',
      breaks: 'reverse_swap',
      sound: 'live.attempt = any (in_attempts)',
      wrong: 'true',
      foundBy: 'reverses only the swaps of its attempts',
    },
    {
      that: 'reverses after the deadline',
      breaks: 'reverse_swap',
      sound: "if now >= in_deadline then return json_build_array('late', now); end if;",
      wrong: '',
      foundBy: 'reverses nothing after its deadline',
    },
    {
      that: 'lets a code live on whose redemption it reversed',
      breaks: 'reverse_swap',
      sound: 'expires_at = expiry, sweep_at',
      wrong: 'sweep_at',
      foundBy: 'restores the request and the lifetime of a code',
    },
    {
      that: 'creates a grant after the deadline',
      breaks: 'create_grant',
      sound: "if now >= in_deadline then return json_build_array('late', now); end if;",
      wrong: '',
      foundBy: 'refuses to create a grant after its deadline',
    },
    {
      that: 'creates a grant of an owner that was ended',
      breaks: 'create_grant',
      sound: 'ended_at >= in_asserted_at',
      wrong: 'false',
      foundBy: 'is not created if its customer was ended since',
    },
    {
      that: 'keeps the first mark of an owner',
      breaks: 'mark_ended',
      sound: 'greatest(old.ended_at, excluded.ended_at)',
      wrong: 'old.ended_at',
      foundBy: 'ended for a second time',
    },
    {
      that: 'lists what has expired',
      breaks: 'page_grants',
      sound: 'and expires_at > @clock()',
      wrong: '',
      foundBy: 'without those that have been deleted or have expired',
    },
    {
      that: 'uses an id twice',
      breaks: 'use_once',
      sound: 'where used.expires_at <= @clock()',
      wrong: '',
      foundBy: 'is used by the first call alone',
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
    {
      that: 'swaps after the deadline',
      script: swapScript,
      sound: "if now >= tonumber(ARGV[2]) then return {'late', number(now)} end",
      wrong: '',
      foundBy: 'writes nothing after the deadline',
    },
    {
      that: 'remembers one redemption too many',
      script: swapScript,
      sound: '#redeemed >= 16',
      wrong: '#redeemed >= 17',
      foundBy: 'is at most 16 credentials',
    },
    {
      that: 'remembers what it redeemed for ever',
      script: swapScript,
      sound: ' or age > tonumber(ARGV[6])',
      wrong: '',
      foundBy: 'no credential that was redeemed longer ago',
    },
    {
      that: 'lets a grant outlive its end',
      script: swapScript,
      sound: 'earlier(now + ARGV[8], grant.endsAt)',
      wrong: 'number(now + ARGV[8])',
      foundBy: 'never moves the expiry past the end',
    },
    {
      that: 'swaps for another resource',
      script: swapScript,
      sound: "if ARGV[9] ~= '' and ARGV[9] ~= grant.resource then",
      wrong: 'if false then',
      foundBy: 'accepts only the resource of the grant',
    },
    {
      that: 'reverses whatever is live',
      script: reverseScript,
      sound: 'grant.hash ~= ARGV[3] or not isMeant',
      wrong: 'not isMeant',
      foundBy: 'reverses only the swaps of its attempts',
    },
    {
      that: 'reverses after the deadline',
      script: reverseScript,
      sound: "if now >= tonumber(ARGV[2]) then return {'late', number(now)} end",
      wrong: '',
      foundBy: 'reverses nothing after its deadline',
    },
    {
      that: 'lets a code live on whose redemption it reversed',
      script: reverseScript,
      sound: 'grant.expiresAt = earlier(grant.createdAt + ARGV[7], grant.endsAt)',
      wrong: '',
      foundBy: 'restores the request and the lifetime of a code',
    },
    {
      that: 'creates a grant after the deadline',
      script: createScript,
      sound: "if now >= tonumber(ARGV[2]) then return {'late', number(now)} end",
      wrong: '',
      foundBy: 'refuses to create a grant after its deadline',
    },
    {
      that: 'creates a grant that no list has',
      script: createScript,
      sound: 'noteInIndex(ARGV[1], grant.expiresAt, now)\nreturn',
      wrong: 'return',
      foundBy: 'gives the grants of one customer and one client',
    },
    {
      that: 'uses an id twice',
      script: useOnceScript,
      sound: 'return value == ARGV[1] and 1 or 0',
      wrong: 'return 1',
      foundBy: 'is used by the first call alone',
    },
    {
      that: 'leaves no mark of an owner that is ended',
      script: markScript,
      sound: "redis.call('SET', KEYS[1], number(at), 'PX', ARGV[1])",
      wrong: '',
      foundBy: 'is not created if its customer was ended since',
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
