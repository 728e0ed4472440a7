import { PostgresTokenStore, type PostgresTokenStoreOptions, postgresSchema } from 'customer-sign-in/postgres'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Pool } from 'pg'
import * as pg800 from 'pg-8.0.3'
import { everyMethod } from '../../support/every-method'
import { describeOnEachPostgres, PostgresServer } from '../../support/postgres-server'

interface SetUp extends PostgresTokenStoreOptions {
  role?: string
  connect?: (url: string) => Pool
}

describeOnEachPostgres('PostgresTokenStore', (version) => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start({}, { version })
  })
  afterAll(() => server.stop())

  /** A pool with the tables that it needs. */
  async function poolFor({ role, connect = (url) => new Pool({ connectionString: url }), ...place }: SetUp) {
    if (role) await server.query(`create role "${role}" login`)
    await server.query(postgresSchema({ ...place, role }))
    const url = new URL(server.url)
    if (role) url.username = role
    return connect(url.href)
  }

  it('has an index of hashes that no major version has changed since 8.4, as docs/operations-postgres.md says', async () => {
    expect(await server.query(`select hashtext('customer-sign-in') as hash`)).toEqual([{ hash: -1901714391 }])
  })

  describe('as a role that may do nothing else', () => {
    const options = { schema: 'least_rights' }
    let pool: Pool
    beforeAll(async () => {
      pool = await poolFor({ ...options, role: 'some host' })
    })
    afterAll(() => pool.end())

    tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool, options), {
      contents: () =>
        Promise.all(['grants', 'used_ids', 'ended'].map((table) => server.query(`table least_rights.${table}`))),
    })
  })

  it.each<[string, SetUp]>([
    ['with a driver that refuses undefined', { schema: 'strict', connect: strictPool }],
    [
      'with the first pg 8',
      { schema: 'first_pg', connect: (url) => new pg800.Pool({ connectionString: url }) as unknown as Pool },
    ],
    ['in the schema public, with a prefix', { schema: 'public', tablePrefix: 'sign_in_' }],
  ])('does everything %s', async (_, setUp) => {
    const pool = await poolFor(setUp)
    try {
      const { schema, tablePrefix } = setUp
      const store = new PostgresTokenStore(pool, { schema, tablePrefix })
      await everyMethod(store)
      await store.sweep()
    } finally {
      await pool.end()
    }
  })
})

/** A pool like those of drivers that do not take undefined for null. */
function strictPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString })
  const query = pool.query.bind(pool) as (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>
  const strict = async (text: string, values: unknown[]) => {
    if (values.includes(undefined)) throw new TypeError('UNDEFINED_VALUE: Undefined values are not allowed')
    return query(text, values)
  }
  return Object.assign(pool, { query: strict })
}
