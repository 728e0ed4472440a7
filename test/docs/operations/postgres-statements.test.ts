import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { Pool } from 'pg'
import { createGrant } from '../../../src/store-contract/records'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { tableUnder, textOf } from '../pages'

const page = textOf('docs/operations-postgres.md')
const [roleSetUp = '', ...statements] = [...page.matchAll(/^( *)```sql\n(.*?)^ *```$/gms)].map(([, , sql = '']) => sql)

// A database without pg_cron: `schedule` runs the statement once.
const cron = `
create schema cron;
create function cron.schedule(name text, times text, statement text) returns bigint language plpgsql as $$
begin
  execute statement;
  return 1;
end $$;
`

describeWithPostgres('the statements of docs/operations-postgres.md', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(roleSetUp)
    await server.query(postgresSchema({ role: 'sign_in' }))
    await server.query(cron)
    pool = new Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  function statementWith(words: string): string {
    const [found = '', ...others] = statements.filter((sql) => sql.includes(words))
    expect([words, others, found]).toEqual([words, [], expect.stringContaining(words)])
    return found
  }

  it.each(statements)('are valid: %s', async (sql) => {
    await server.query(sql)
  })

  it('give the role what the command prints', () => {
    const printed = postgresSchema({ role: 'sign_in' })
    expect(printed.trim().endsWith(statementWith('grant usage on schema').trim())).toBe(true)
  })

  it('show what a forgotten transaction holds back', async () => {
    const client = await pool.connect()
    await client.query('begin isolation level repeatable read')
    await client.query('select 1 from customer_sign_in.grants')
    const rows = await server.query(statementWith('backend_xmin'))
    expect(rows).toContainEqual(expect.objectContaining({ what: 'transaction', state: 'idle in transaction' }))
    await client.query('rollback')
    client.release()
  })

  it('show expired grants that nothing has deleted, until the statement of pg_cron does', async () => {
    const store = new PostgresTokenStore(pool, { sweep: false })
    await createGrant(store, { lifetime: 1 })
    await server.query('update customer_sign_in.grants set sweep_at = 0, expires_at = 0')
    expect(await server.query(statementWith('as overdue'))).toEqual([{ overdue: '1' }])
    await server.query(statementWith('cron.schedule'))
    expect(await server.query(statementWith('as overdue'))).toEqual([{ overdue: '0' }])
    expect(await server.query('select from customer_sign_in.grants')).toEqual([])
  })

  it('are about the tables that exist', async () => {
    const tables = await server.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'customer_sign_in'",
    )
    const described = tableUnder('## What is stored', 'docs/operations-postgres.md').map(([name]) => name)
    expect(described.sort()).toEqual(tables.map(({ tablename }) => `\`${tablename}\``).sort())
  })
})
