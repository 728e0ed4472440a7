import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { Pool } from 'pg'
import { everyMethod } from '../../support/every-method'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { textOf } from '../pages'

const [, section = ''] = textOf('docs/operations-postgres.md').split('\n## Least privileges\n')
const [grants = ''] = [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql)
const [, rights = '', tables = ''] = /^grant ((?:\w+, )+\w+) on ([^;]+) to/m.exec(grants) ?? []
const granted = tables.split(', ').flatMap((table) => rights.split(', ').map((right) => [right, table] as const))

describeWithPostgres('the rights that docs/operations-postgres.md gives', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query('create role sign_in login')
    await server.query(postgresSchema())
    await server.query('revoke execute on all functions in schema customer_sign_in from public')
    await server.query(grants)
    pool = new Pool({ connectionString: server.url.replace('postgres@', 'sign_in@') })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  /** Calls every method, after a sweep. */
  async function everything(): Promise<void> {
    const store = new PostgresTokenStore(pool, { sweep: false })
    await store.sweep()
    await everyMethod(store)
  }

  it('are enough', everything)

  it.each(granted)('are not enough without %s on %s', async (right, table) => {
    await server.query(`revoke ${right} on ${table} from sign_in`)
    await expect(everything()).rejects.toThrow('(42501)')
    await server.query(`grant ${right} on ${table} to sign_in`)
    await everything()
  })

  it('do not let the role change the tables or the functions', async () => {
    for (const sql of [
      'drop table customer_sign_in.grants',
      'truncate customer_sign_in.grants',
      'alter table customer_sign_in.grants add column more text',
      'drop function customer_sign_in.clock()',
      'create table customer_sign_in.more (id int)',
    ]) {
      await expect(pool.query(sql)).rejects.toThrow(/permission denied|must be owner/)
    }
  })
})
