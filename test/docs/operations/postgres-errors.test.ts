import { PostgresTokenStore, type PostgresTokenStoreOptions, postgresSchema } from 'customer-sign-in/postgres'
import { Pool, type PoolConfig } from 'pg'
import { createGrant, swapOf, until } from '../../../src/store-contract/records'
import { describeWithPgBouncer, PgBouncer } from '../../support/pgbouncer'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { tableUnder, textOf } from '../pages'

const rows = tableUnder('## What to alert on', 'docs/operations-postgres.md')
const words = rows.flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))

describe('The errors of PostgreSQL that docs/operations-postgres.md explains', () => {
  it('are those that the store has advice for', () => {
    const advised = [...textOf('src/postgres/calls.ts').matchAll(/^ {2}'(\w{5})':/gm)].map(([, code]) => code)
    const explained = words.flatMap((word) => /^\((\w{5})\)$/.exec(word)?.[1] ?? [])
    expect(advised.length).toBeGreaterThan(10)
    expect(explained).toEqual(expect.arrayContaining(advised))
  })
})

describeWithPostgres('The error of a call to PostgreSQL, as docs/operations-postgres.md describes it:', () => {
  let server: PostgresServer
  const pools: Pool[] = []
  beforeAll(async () => {
    server = await PostgresServer.start({ max_connections: 10, superuser_reserved_connections: 1 })
    await server.query(`create role sign_in login; create role locked_out; ${postgresSchema()}`)
  })
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()))
  })
  afterAll(() => server.stop())

  function poolWith(config: PoolConfig = {}): Pool {
    const pool = new Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres', ...config })
    pool.on('error', () => {})
    pools.push(pool)
    return pool
  }

  /** The words of the table that are in the error. */
  async function saidOf(call: Promise<unknown>): Promise<string[]> {
    const message = await call.then(
      () => '',
      (error: Error) => error.message,
    )
    expect(message).toMatch(/^PostgresTokenStore: /)
    return words.filter((word) => message.includes(word))
  }

  function looksUp(config?: PoolConfig, options?: PostgresTokenStoreOptions): Promise<string[]> {
    return saidOf(new PostgresTokenStore(poolWith(config), options).findGrant('acme', 'a'.repeat(28)))
  }

  it('no server listens at the address', async () => {
    expect(await looksUp({ port: 1 })).toEqual(['connect ECONNREFUSED'])
  })

  it.each<[string, string, PoolConfig, PostgresTokenStoreOptions]>([
    ['(28000)', 'the role may not log in', { user: 'locked_out' }, {}],
    ['(3D000)', 'there is no such database', { database: 'another' }, {}],
    ['(42P01)', 'the schema is another one', {}, { schema: 'another' }],
    ['(42P01)', 'the prefix is another one', {}, { tablePrefix: 'another_' }],
    ['(42501)', 'the role has no rights', { user: 'sign_in' }, {}],
  ])('%s: %s', async (code, _, config, options) => {
    expect(await looksUp(config, options)).toEqual([code])
  })

  it('(42883): the functions are not there', async () => {
    const store = new PostgresTokenStore(poolWith(), { tablePrefix: 'another_' })
    expect(await saidOf(createGrant(store, {}))).toEqual(['(42883)'])
  })

  it('(25006): the connection may only read', async () => {
    const store = new PostgresTokenStore(poolWith({ options: '-c default_transaction_read_only=on' }))
    expect(await saidOf(createGrant(store, {}))).toEqual(['(25006)'])
  })

  it('the pool has no connection to spare', async () => {
    const pool = poolWith({ max: 1, connectionTimeoutMillis: 1000 })
    const client = await pool.connect()
    expect(await saidOf(new PostgresTokenStore(pool).findGrant('acme', 'a'.repeat(28)))).toEqual([
      'timeout exceeded when trying to connect',
    ])
    client.release()
  })

  it('(53300): the server has no connection left', async () => {
    const pool = poolWith({ max: 9 })
    const clients = await Promise.all(Array.from({ length: 9 }, () => pool.connect()))
    await server.query('grant usage on schema customer_sign_in to sign_in')
    expect(await looksUp({ user: 'sign_in' })).toEqual(['(53300)'])
    for (const client of clients) client.release()
  })

  it.each<[string, PoolConfig]>([
    ['(55P03)', { options: '-c lock_timeout=50' }],
    ['(57014)', { options: '-c statement_timeout=50' }],
    ['Query read timeout', { query_timeout: 50 }],
  ])('%s: another transaction holds the lock of a row', async (said, config) => {
    const [pool, waiting] = [poolWith(), poolWith(config)]
    const grant = await createGrant(new PostgresTokenStore(pool), {})
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select from customer_sign_in.grants for update')
    expect(await saidOf(new PostgresTokenStore(waiting).swapCredential(swapOf(grant)))).toEqual([said])
    await client.query('rollback')
    client.release()
  })

  it('(40001): two redemptions meet in another isolation level', async () => {
    const [pool, serializable] = [poolWith(), poolWith({ options: '-c default_transaction_isolation=serializable' })]
    const grant = await createGrant(new PostgresTokenStore(pool), {})
    const client = await pool.connect()
    await client.query('begin')
    await client.query('update customer_sign_in.grants set attempt = attempt')
    const said = saidOf(new PostgresTokenStore(serializable).swapCredential(swapOf(grant)))
    await until(async () => (await server.query('select from pg_locks where not granted')).length > 0)
    await client.query('commit')
    client.release()
    expect(await said).toEqual(['(40001)'])
  })
})

describeWithPgBouncer('The error of PgBouncer, as docs/operations-postgres.md describes it:', () => {
  it('(08P01): it takes no settings of a connection, but everything else', async () => {
    const server = await PostgresServer.start()
    await server.query(`${postgresSchema()}; alter role postgres set statement_timeout = '2s'`)
    const bouncer = await PgBouncer.start(server.port)
    const through = (config: PoolConfig) => new Pool({ connectionString: bouncer.url, ...config })
    const [refused, taken] = [through({ statement_timeout: 2000 }), through({ query_timeout: 60_000 })]
    await expect(createGrant(new PostgresTokenStore(refused), {})).rejects.toThrow(
      'unsupported startup parameter: statement_timeout (08P01)',
    )
    await createGrant(new PostgresTokenStore(taken), {})
    await Promise.all([refused.end(), taken.end()])
    await bouncer.stop()
    await server.stop()
  })
})
