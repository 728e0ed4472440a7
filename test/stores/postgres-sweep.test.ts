import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { Pool } from 'pg'
import { createGrant, findClient, findGrant, newClient, newId, room, until } from '../../src/testing/records'
import { describeWithPostgres, PostgresServer } from '../support/postgres-server'

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

  it('deletes the grants, clients and used ids that have expired, and no others', async () => {
    const store = new PostgresTokenStore(pool, { sweep: false })
    const tenantId = 'acme'
    const [expired, live] = [
      await createGrant(store, { tenantId, lifetime: 50 }),
      await createGrant(store, { tenantId }),
    ]
    const [old, client] = [newClient({ tenantId, lifetime: 50 }), newClient({ tenantId })]
    for (const each of [old, client]) await store.saveClient(each, room)
    const [past, id] = [newId(), newId()]
    await store.useOnce(tenantId, past, 50)
    await store.useOnce(tenantId, id, 60_000)
    await until(async () => {
      await store.sweep()
      const left = await Promise.all(['grants', 'clients', 'used_ids'].map(countOf))
      return left.every((count) => count === 1)
    })
    expect(await store.sweep()).toBe(0)
    expect(await findGrant(store, expired)).toBeUndefined()
    expect(await findClient(store, old)).toBeUndefined()

    expect(await findGrant(store, live)).toEqual(live)
    expect(await findClient(store, client)).toBeDefined()
    expect(await store.useOnce(tenantId, id, 60_000)).toBe(false)
  })
})
