import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { Pool } from 'pg'
import { createGrant, findGrant, newId, until } from '../../../src/store-contract/records'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'

const code = { type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_SWEEP' }

describeWithPostgres('sweep', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
    pool = new Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  const countOf = async (table: string) =>
    Number((await server.query<{ count: string }>(`select count(*) from customer_sign_in.${table}`))[0]?.count)

  it('deletes the grants and used ids that have expired, and no others', async () => {
    const store = new PostgresTokenStore(pool, { sweep: false })
    const tenantId = 'acme'
    const [expired, live] = [
      await createGrant(store, { tenantId, lifetime: 50 }),
      await createGrant(store, { tenantId }),
    ]
    const [past, id] = [newId(), newId()]
    await store.useOnce(tenantId, past, 50)
    await store.useOnce(tenantId, id, 60_000)
    await until(async () => {
      await store.sweep()
      const left = await Promise.all(['grants', 'used_ids'].map(countOf))
      return left.every((count) => count === 1)
    })
    expect(await store.sweep()).toBe(0)
    expect(await findGrant(store, expired)).toBeUndefined()

    expect(await findGrant(store, live)).toEqual(live)
    expect(await store.useOnce(tenantId, id, 60_000)).toBe(false)
  })

  it('deletes the marks of what was ended more than an hour and a minute ago, and no others', async () => {
    const store = new PostgresTokenStore(pool, { sweep: false })
    const end = async (subject: string) => {
      for await (const _ of store.deleteGrants({ tenantId: 'marks', subject }));
    }
    await end('ada')
    await server.query('update customer_sign_in.ended set ended_at = ended_at - 3660000')
    await end('bob')
    expect(await store.sweep()).toBe(1)
    expect(await countOf('ended')).toBe(1)
  })

  it('that the store does by itself and that fails is a warning, one for each kind of failure', async () => {
    await server.query(postgresSchema({ schema: 'broken' }))
    const store = new PostgresTokenStore(pool, { schema: 'broken' })
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const realNow = performance.now.bind(performance)
    let passed = 0
    const now = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
    const sweepUntil = (count: number) =>
      until(async () => {
        passed += 60_001
        await createGrant(store, {})
        return warned.mock.calls.length >= count
      })
    try {
      await server.query('alter table broken.used_ids rename to other_ids')
      await sweepUntil(1)
      // The same failure once more.
      passed += 60_001
      await createGrant(store, {})
      await expect(store.sweep()).rejects.toThrow('(42P01)')
      await server.query('drop function broken.sweep')
      await sweepUntil(2)
      expect(warned.mock.calls).toEqual([
        [expect.stringMatching(/could not delete what has expired.* \(42P01\); run the SQL/), code],
        [expect.stringMatching(/could not delete what has expired.* \(42883\); run the SQL/), code],
      ])
      // Until the last of them has ended.
      await expect(store.sweep()).rejects.toThrow('(42883)')
    } finally {
      now.mockRestore()
      warned.mockRestore()
    }
  })
})
