import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Client, type ClientConfig } from 'pg'
import { PipelinedPool } from '../../examples/postgres/pipelined-pool'
import { goTogether } from '../support/clock'
import { PgBouncer } from '../support/pgbouncer'
import { describeWithPostgresClock, PostgresServer } from '../support/postgres-server'
import { eventually } from '../support/redis-server'
import { expectTokens } from '../support/sign-in'
import { started } from '../support/started'
import { tokenEndpointSuite } from '../unit/endpoints/token-suite'

describeWithPostgresClock('a pool that pipelines, as docs/operations-postgres.md has it,', () => {
  let server: PostgresServer
  const pools: PipelinedPool[] = []
  beforeAll(async () => {
    server = await PostgresServer.start({}, { clock: true })
    goTogether(server.clock)
    await server.query(postgresSchema())
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await server.stop()
  })

  function poolAt(url: string, config: ClientConfig = {}, options = {}): PipelinedPool {
    const pool = new PipelinedPool({ connectionString: url, ...config }, options)
    pools.push(pool)
    return pool
  }
  const pidOver = async (pool: PipelinedPool) =>
    (await pool.query('select pg_backend_pid() as pid', [])).rows.map((row) => (row as { pid: number }).pid)[0]

  describe('in front of PostgreSQL', () => {
    let store: PostgresTokenStore
    beforeAll(() => {
      store = new PostgresTokenStore(poolAt(server.url))
    })
    tokenStoreContract({ describe, it }, () => store)
    describe('the token endpoint', () => tokenEndpointSuite(() => store))
  })

  describe.each(['transaction', 'session'])('behind PgBouncer in %s mode', (mode) => {
    let bouncer: PgBouncer
    let pool: PipelinedPool
    beforeAll(async () => {
      bouncer = await PgBouncer.start(server.port, { mode })
      pool = poolAt(bouncer.url)
    })
    afterAll(async () => {
      await pool.end()
      await bouncer.stop()
    })
    tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool))
  })

  it('gives each of many parallel statements its own result, over two connections', async () => {
    const pool = poolAt(server.url)
    const numbers = Array.from({ length: 500 }, (_, number) => number)
    const statement = 'select $1::int as number, pg_backend_pid() as pid'
    const rows = await Promise.all(numbers.map(async (number) => (await pool.query(statement, [number])).rows[0]))
    expect(rows).toEqual(numbers.map((number) => ({ number, pid: expect.any(Number) })))
    expect(new Set(rows.map((row) => (row as { pid: number }).pid)).size).toBe(2)
  })

  it('gives other statements their results although one of them fails', async () => {
    const pool = poolAt(server.url, {}, { max: 1 })
    const results = await Promise.allSettled(['1', '1 / 0', '2'].map((what) => pool.query(`select ${what} as it`, [])))
    expect(results).toMatchObject([
      { value: { rows: [{ it: 1 }] } },
      { reason: { code: '22012' } },
      { value: { rows: [{ it: 2 }] } },
    ])
  })

  it('connects again after the server has closed its connections, and clients go on', async () => {
    const pool = poolAt(server.url)
    const host = await started({ tokenStore: new PostgresTokenStore(pool), baseUrl: 'https://app.test' })
    const { refresh_token } = await host.connected()
    const sleeping = pool.query('select pg_sleep(60)', [])
    const failed = expect(sleeping).rejects.toMatchObject({ message: expect.any(String) })
    await eventually(async () => (await server.query(ofPool)).length > 1)
    await server.query(`select pg_terminate_backend(pid) from (${ofPool}) as own`)
    await failed
    expectTokens(await host.refresh(refresh_token))
  })

  it('goes on after a statement that took longer than query_timeout', async () => {
    const pool = poolAt(server.url, { query_timeout: 300 }, { max: 1 })
    const [slow, behind] = await Promise.allSettled(
      ['pg_sleep(60)', '1'].map((what) => pool.query(`select ${what}`, [])),
    )
    expect([slow?.status, behind?.status]).toEqual(['rejected', 'rejected'])
    await eventually(async () => (await pool.query('select 1 as it', [])).rows.length === 1)
  })

  it('sends what comes later past a statement that waits for a lock', async () => {
    const pool = poolAt(server.url)
    await server.query('create table locked (id int)')
    const other = new Client({ connectionString: server.url })
    await other.connect()
    await other.query('begin; lock table locked')
    const waiting = pool.query('select count(*) from locked', [])
    for (let count = 0; count < 20; count++) await pool.query('select 1', [])
    await other.query('rollback')
    await other.end()
    expect((await waiting).rows).toEqual([{ count: '0' }])
  })

  it('replaces a connection after its lifetime without losing a statement', async () => {
    const pool = poolAt(server.url, {}, { max: 1, maxLifetimeSeconds: 0.05 })
    const first = await pidOver(pool)
    await eventually(async () => (await pidOver(pool)) !== first)
    const sleeping = pool.query('select pg_sleep(0.3) as slept', [])
    await eventually(async () => (await pidOver(pool)) !== first)
    expect((await sleeping).rows).toHaveLength(1)
  })

  it('says that it cannot connect, and connects when the server is there', async () => {
    const pool = poolAt('postgres://postgres@127.0.0.1:1/postgres')
    await expect(pool.query('select 1', [])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(pool.query('select 1', [])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

// All connections but the one that asks.
const ofPool = "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
