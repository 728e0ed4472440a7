import { randomUUID } from 'node:crypto'
import { ConfigurationError } from 'customer-sign-in'
import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import type { Grant, NewGrant } from 'customer-sign-in/store'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Pool } from 'pg'
import { customerHandle } from '../../../src/protocol/customer-handle'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'

const minute = 60_000
const tables = ['grants', 'used_ids']

describeWithPostgres('PostgresTokenStore', () => {
  let server: PostgresServer
  let pool: Pool
  let store: PostgresTokenStore
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
  })
  beforeEach(async () => {
    await server.query(`truncate ${tables.map((table) => `customer_sign_in.${table}`).join()}`)
    pool = new Pool({ connectionString: server.url })
    store = new PostgresTokenStore(pool)
  })
  afterEach(() => pool.end())
  afterAll(() => server.stop())

  describe('passes the contract', () => {
    const all = ['grants', 'used_ids', 'ended']
    tokenStoreContract({ describe, it }, () => store, {
      contents: () => Promise.all(all.map((table) => server.query(`table customer_sign_in.${table}`))),
    })
  })

  describe('sweep', () => {
    it('deletes what has expired, and keeps the rest', async () => {
      const live = await createGrant(store)
      await createGrant(store, { lifetime: 0 })
      await store.useOnce('t', 'live', minute)
      await store.useOnce('t', 'expired', 0)

      expect(await store.sweep()).toBe(2)

      expect(await ids('grants', 'grant_id')).toEqual([live.grantId])
      expect(await ids('used_ids', 'id')).toEqual(['live'])
    })

    it('keeps a grant whose code would have expired, and deletes it when its refresh token has', async () => {
      const grant = await createGrant(store, { lifetime: 1 })
      await server.query('update customer_sign_in.grants set expires_at = expires_at + 60000')
      await store.swapCredential(swapOf(grant, minute))
      expect(await store.sweep()).toBe(0)
      expect(await store.findGrant(grant.tenantId, grant.grantId)).toBeDefined()

      await server.query('update customer_sign_in.grants set expires_at = 0, sweep_at = sweep_at - 60000')
      expect(await store.sweep()).toBe(1)
    })

    it('deletes no more than the limit, and goes on at the next call', async () => {
      for (let count = 0; count < 5; count++) await createGrant(store, { lifetime: 0 })
      expect([await store.sweep({ limit: 3 }), await store.sweep({ limit: 3 })]).toEqual([3, 2])
    })

    it('deletes each record once, however many processes call it', async () => {
      await Promise.all(Array.from({ length: 40 }, () => createGrant(store, { lifetime: 0 })))
      const deleted = await Promise.all(Array.from({ length: 8 }, () => store.sweep()))
      expect(deleted.reduce((sum, count) => sum + count)).toBe(40)
    })

    it('does not wait for a grant that somebody else has locked', async () => {
      const grants = [await createGrant(store, { lifetime: 0 }), await createGrant(store, { lifetime: 0 })]
      const other = await pool.connect()
      await other.query('begin')
      await other.query('select from customer_sign_in.grants where grant_id = $1 for update', [grants[0]?.grantId])
      const whileLocked = await store.sweep()
      await other.query('commit')
      other.release()
      expect([whileLocked, await store.sweep()]).toEqual([1, 1])
    })

    it('happens by itself, a minute after the store was made, when it is used', async () => {
      const now = jest.spyOn(performance, 'now')
      await createGrant(store, { lifetime: 0 })
      now.mockReturnValue(performance.now() + minute + 1)
      const live = await createGrant(store)
      now.mockRestore()
      while ((await ids('grants', 'grant_id')).length > 1) await new Promise(setImmediate)
      expect(await ids('grants', 'grant_id')).toEqual([live.grantId])
    })

    async function ids(table: string, column: string): Promise<unknown[]> {
      return (await server.query(`select ${column} as id from customer_sign_in.${table}`)).map(({ id }) => id)
    }
  })

  it('redeems by HOT updates, which leave nothing to clean in the indexes', async () => {
    const changing = ['expires_at', 'ends_at', 'swapped_at', 'kind', 'hash', 'attempt', 'redeemed', 'request']
    const indexes = await server.query<{ definition: string }>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'customer_sign_in.grants'::regclass`,
    )
    expect(indexes).toHaveLength(3)
    for (const { definition } of indexes) {
      const columns: string[] = definition.replace(/.* USING/, '').match(/\w+/g) ?? []
      expect(changing.filter((column) => columns.includes(column))).toEqual([])
    }

    let grant = await createGrant(store)
    for (let count = 0; count < 50; count++) {
      const result = await store.swapCredential(swapOf(grant, minute))
      if (result.outcome !== 'swapped') throw new Error(result.outcome)
      grant = result.grant
    }
    const [heap] = await server.query<{ pages: number }>(
      `select pg_relation_size('customer_sign_in.grants') / 8192 as pages`,
    )
    expect(Number(heap?.pages)).toBe(1)
  })

  describe('a call that waits for a row longer than it may', () => {
    it('swaps nothing, and says late', async () => {
      const grant = await createGrant(store)
      expect(await whileLockedPast((deadline) => store.swapCredential({ ...swapOf(grant, minute), deadline }))).toBe(
        'late',
      )
      expect(await store.findGrant(grant.tenantId, grant.grantId)).toEqual(grant)
    })

    it('reverses nothing, and says late', async () => {
      const swap = swapOf(await createGrant(store), minute)
      const { tenantId, grantId, from: hash, to, attempt } = swap
      await store.swapCredential(swap)
      const swapped = await store.findGrant(tenantId, grantId)
      const reversal = {
        tenantId,
        grantId,
        to,
        attempts: [attempt],
        credential: { kind: 'refresh_token', hash },
      } as const
      expect(await whileLockedPast((deadline) => store.reverseSwap({ ...reversal, deadline }))).toBe('late')
      expect(await store.findGrant(tenantId, grantId)).toEqual(swapped)
    })

    it('creates nothing, and says late', async () => {
      const { tenantId, grantId } = await createGrant(store, { lifetime: 0 })
      const again = (deadline: number) => store.createGrant({ ...newGrant({ tenantId, grantId }), deadline })
      expect(await whileLockedPast(again)).toBe('late')
      expect(await store.findGrant(tenantId, grantId)).toBeUndefined()
    })

    /** Makes a call while somebody else has locked all grants, until its deadline has passed. @returns Its outcome. */
    async function whileLockedPast(call: (deadline: number) => Promise<{ outcome: string }>): Promise<string> {
      let outcome: Promise<{ outcome: string }> | undefined
      await server.whileLocked('select from customer_sign_in.grants for update', async () => {
        const { rows } = await pool.query<{ now: string }>('select customer_sign_in.clock() as now')
        const deadline = Number(rows[0]?.now) + 1000
        outcome = call(deadline)
        const waiting = `select count(*) as calls from pg_stat_activity where wait_event_type = 'Lock'`
        while ((await server.query(waiting))[0]?.calls !== '1') await new Promise(setImmediate)
        await server.query(`select pg_sleep((${deadline} + 1 - customer_sign_in.clock()) / 1000.0)`)
      })
      return (await outcome)?.outcome ?? 'nothing'
    }
  })

  it('finds the grants of a client by an index', async () => {
    await Promise.all(Array.from({ length: 300 }, () => createGrant(store, { tenantId: 't', clientId: randomUUID() })))
    const { grantId } = await createGrant(store, { tenantId: 't', clientId: 'the one' })
    await server.query('analyze customer_sign_in.grants')
    const before = await scans()
    expect(await all(store.deleteGrants({ tenantId: 't', clientId: 'the one' }))).toMatchObject([{ grantId }])
    expect((await scans()) - before).toBe(0)
  })

  describe('pages of the grants of a company or of a client', () => {
    const clientId = 'the client of nearly everybody'
    // One connection, which says what it has read so far.
    let one: Pool
    beforeEach(() => {
      one = new Pool({ connectionString: server.url, max: 1 })
    })
    afterEach(() => one.end())

    it.each([
      ['before the table has been analyzed', 'select'],
      ['when the table has been analyzed', 'analyze customer_sign_in.grants'],
    ])('read no other grants, %s', async (_, statement) => {
      const paged = new PostgresTokenStore(one, { sweep: false })
      await Promise.all(Array.from({ length: 1000 }, () => createGrant(paged, { tenantId: 't', clientId })))
      await createGrant(paged, { tenantId: 't', clientId: 'another client' })
      await one.query(statement)
      for (const client of [undefined, clientId]) {
        let after: string | undefined
        for (let page = 0; page < 3; page++) {
          const before = await grantsRead()
          const { grants, next } = await paged.listGrants({ tenantId: 't', clientId: client, after, limit: 10 })
          expect(grants).toHaveLength(10)
          // One more shows whether there is another page, and the planner looks at the ends of the index.
          expect((await grantsRead()) - before).toBeLessThan(20)
          after = next
        }
      }
    })

    /** How many rows that connection has read, by an index or without one. */
    async function grantsRead(): Promise<number> {
      await one.query('select pg_stat_force_next_flush()')
      const { rows } = await one.query<{ count: string }>(
        `select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables
         where schemaname = 'customer_sign_in' and relname = 'grants'`,
      )
      return Number(rows[0]?.count)
    }
  })

  /** How often the whole table has been read. */
  async function scans(): Promise<number> {
    await pool.query('select pg_stat_force_next_flush()')
    const [table] = await server.query<{ seq_scan: string }>(
      `select seq_scan from pg_stat_user_tables where schemaname = 'customer_sign_in' and relname = 'grants'`,
    )
    return Number(table?.seq_scan)
  }

  it('keeps the grants of two tenants apart whose ids are the same in UTF-8', async () => {
    // Half of a surrogate pair, which has no UTF-8, and the character that stands for it.
    const tenants = ['t\ud800', 't\ufffd']
    for (const tenantId of tenants) {
      await createGrant(store, { tenantId, grantId: 'the same grant', clientId: tenantId })
    }
    for (const tenantId of tenants) {
      expect(await store.findGrant(tenantId, 'the same grant')).toMatchObject({ tenantId, clientId: tenantId })
    }
  })

  it('ends no grant if it is not told whose grants to end', async () => {
    const grants = store.deleteGrants({ tenantId: 't' } as never)[Symbol.asyncIterator]()
    await expect(grants.next()).rejects.toThrow('whose grants')
  })

  it('deletes all grants of a large customer or company, some at a time', async () => {
    await Promise.all(Array.from({ length: 1100 }, () => createGrant(store, { tenantId: 'big', subject: 'ada' })))
    await createGrant(store, { tenantId: 'other', subject: 'ada' })
    expect(await all(store.deleteGrants({ tenantId: 'big', subject: 'ada' }))).toHaveLength(1100)
    expect(await all(store.deleteGrants({ tenantId: 'other', all: 'everything' }))).toHaveLength(1)
  })

  describe('a row that it cannot read', () => {
    it('keeps no other grant from being deleted, and is in no error', async () => {
      const owner = { tenantId: 't', subject: 'ada' }
      const grants = [await createGrant(store, owner), await createGrant(store, owner), await createGrant(store, owner)]
      await server.query(`update customer_sign_in.grants set claims = 'ada@example.com' where grant_id = $1`, [
        grants[1]?.grantId,
      ])
      const deleted: Grant[] = []
      const failure = (async () => {
        for await (const grant of store.deleteGrants(owner)) deleted.push(grant)
      })()
      await expect(failure).rejects.toThrow(/cannot read the row [0-9a-f-]{36}/)
      await expect(failure).rejects.not.toThrow('ada@example.com')
      expect(deleted).toHaveLength(2)
    })

    it('goes with its company', async () => {
      await createGrant(store, { tenantId: 't' })
      await server.query(`update customer_sign_in.grants set claims = 'not JSON'`)
      expect(await all(store.deleteGrants({ tenantId: 't', all: 'everything' }))).toEqual([])
      expect(await server.query('select * from customer_sign_in.grants')).toEqual([])
    })
  })

  it('leaves nothing of an erased customer in the statistics of the planner', async () => {
    await Promise.all(Array.from({ length: 50 }, () => createGrant(store, { tenantId: 't', subject: 'ada-lovelace' })))
    await server.query('analyze')
    await all(store.deleteGrants({ tenantId: 't', subject: 'ada-lovelace' }))
    const statistics = await server.query(`select * from pg_stats where schemaname = 'customer_sign_in'`)
    expect(statistics.length).toBeGreaterThan(0)
    expect(JSON.stringify(statistics)).not.toContain('ada-lovelace')
  })

  describe('the schema', () => {
    it('can be run again while the store is used, and changes nothing', async () => {
      let grant = await createGrant(store)
      let isDone = false
      const refreshing = (async () => {
        while (!isDone) {
          const result = await store.swapCredential(swapOf(grant, minute))
          if (result.outcome !== 'swapped') throw new Error(result.outcome)
          grant = result.grant
        }
      })()
      for (let count = 0; count < 5; count++) await server.query(postgresSchema())
      isDone = true
      await refreshing
      expect((await store.findGrant(grant.tenantId, grant.grantId))?.credential).toEqual(grant.credential)
      expect(await server.query('select version from customer_sign_in.schema_version')).toEqual([{ version: 1 }])
    })

    it('lets processes of this version go on when a later version has added a column and functions', async () => {
      const grant = await createGrant(store)
      await server.query(`
        alter table customer_sign_in.grants add column later text;
        alter table customer_sign_in.used_ids add column later text;
        create function customer_sign_in.swap_credential(in_id uuid, later text) returns text language sql as 'select null';
      `)
      expect((await store.swapCredential(swapOf(grant, minute))).outcome).toBe('swapped')
      await createGrant(store)
      expect(await store.useOnce('t', 'an id', minute)).toBe(true)
      await server.query(`
        alter table customer_sign_in.grants drop column later;
        alter table customer_sign_in.used_ids drop column later;
        drop function customer_sign_in.swap_credential(uuid, text);
      `)
    })

    it('grants what a role needs to just that role, whatever it is called', () => {
      expect(postgresSchema({ role: 'app@project.iam' })).toContain('to "app@project.iam";')
      expect(postgresSchema({ role: 'a%b', tablePrefix: '' })).toContain('to "a%b";')
      expect(() => postgresSchema({ role: 'é'.repeat(32) })).toThrow(/63 bytes/)
    })

    it.each([
      [{ schema: 'Sign In' }, 'postgresSchema.schema'],
      [{ schema: '' }, 'postgresSchema.schema'],
      [{ tablePrefix: '"; drop' }, 'postgresSchema.tablePrefix'],
      [{ role: 'a"b' }, 'postgresSchema.role'],
      [{ prefix: 'a' } as never, 'postgresSchema.prefix'],
    ])('is not made for %j', (options, option) => {
      expect(() => postgresSchema(options)).toThrow(ConfigurationError)
      expect(() => postgresSchema(options)).toThrow(expect.objectContaining({ option }))
    })
  })

  describe('its errors', () => {
    it('say what to do when the tables are missing', async () => {
      const other = new PostgresTokenStore(pool, { schema: 'other' })
      await expect(other.findGrant('t', 'g')).rejects.toThrow(/\(3F000|42P01\); run the SQL of `npx customer-sign-in/)
      await expect(createGrant(other)).rejects.toThrow(/run the SQL of `npx customer-sign-in postgres:schema`/)
    })

    it('say what to do when the role may not write', async () => {
      await server.query('create role stranger login')
      const url = Object.assign(new URL(server.url), { username: 'stranger' })
      const strangers = new Pool({ connectionString: url.href })
      const rejected = expect(createGrant(new PostgresTokenStore(strangers))).rejects
      await rejected.toThrow(
        /\(42501\); grant the pool's role what `npx customer-sign-in postgres:schema --role` prints/,
      )
      await strangers.end()
    })

    it('say what to do when the pool has no connection left', async () => {
      const small = new Pool({ connectionString: server.url, max: 1, connectionTimeoutMillis: 1000 })
      const held = await small.connect()
      await expect(new PostgresTokenStore(small).findGrant('t', 'g')).rejects.toThrow(
        /^PostgresTokenStore: timeout exceeded when trying to connect; the pool has no connection to spare,/,
      )
      held.release()
      await small.end()
    })

    it('quote nothing of a row', async () => {
      await server.query(`alter table customer_sign_in.grants add constraint never check (subject <> 'ada-lovelace')`)
      const failure = createGrant(store, { subject: 'ada-lovelace' }).catch((error: unknown) => error)
      const error = (await failure) as Error
      await server.query('alter table customer_sign_in.grants drop constraint never')
      expect(error.message).toMatch(/^PostgresTokenStore: .*\(23514\)/)
      expect(JSON.stringify([error.message, error.stack, error.cause, { ...error }])).not.toContain('ada-lovelace')
    })
  })

  it('is not made of something else than a pool, or with an option that does not exist', () => {
    expect(() => new PostgresTokenStore({} as never)).toThrow(/PostgresTokenStore.pool/)
    expect(() => new PostgresTokenStore(pool, { prefix: 'a' } as never)).toThrow(/PostgresTokenStore.prefix/)
    expect(() => new PostgresTokenStore(pool, { schema: 'A' })).toThrow(/PostgresTokenStore.schema/)
  })
})

function newGrant(members: Partial<NewGrant> = {}): NewGrant {
  const { tenantId = randomUUID(), subject = randomUUID() } = members
  return {
    tenantId,
    grantId: customerHandle(tenantId, subject) + randomUUID().slice(0, 16),
    clientId: 'https://client.example/metadata',
    subject,
    scopes: ['profile'],
    resource: 'https://api.example/mcp',
    credential: { kind: 'code', hash: randomUUID() },
    request: { redirectUri: 'https://client.example/callback', codeChallenge: randomUUID() },
    lifetime: minute,
    deadline: Number.MAX_SAFE_INTEGER,
    ...members,
  }
}

async function createGrant(store: PostgresTokenStore, members?: Partial<NewGrant>): Promise<Grant> {
  const result = await store.createGrant(newGrant(members))
  if (result.outcome !== 'created') throw new Error(result.outcome)
  return result.grant
}

function swapOf({ tenantId, grantId, credential }: Grant, lifetime: number) {
  const hash = credential?.hash ?? ''
  const credentials = { from: hash, to: randomUUID(), redeems: [hash], attempt: randomUUID() }
  return { tenantId, grantId, ...credentials, remember: 0, rest: 0, lifetime, deadline: Number.MAX_SAFE_INTEGER }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
