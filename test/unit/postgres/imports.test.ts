import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import type { Grant } from 'customer-sign-in/store'
import { Pool } from 'pg'
import { importGrant } from '../../../src/postgres/imports'
import { clockOf, createGrant, findGrant } from '../../../src/store-contract/records'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'

describeWithPostgres('a grant that is moved to PostgreSQL', () => {
  let server: PostgresServer
  let pool: Pool
  let store: PostgresTokenStore
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
    pool = new Pool({ connectionString: server.url })
    store = new PostgresTokenStore(pool)
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  /** Moves a grant from a store that takes long to answer. @returns The grant here, and the time of this store before. */
  async function moved({ takes, behind }: { takes: number; behind: number }): Promise<{ there: Grant; here?: Grant }> {
    const there = await createGrant(store, {})
    await store.deleteGrant(there.tenantId, there.grantId)
    let passed = 0
    const realNow = performance.now.bind(performance)
    const now = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
    try {
      await importGrant(store.calls, async () => {
        passed += takes
        return { grant: there, now: (await clockOf(store)) - behind }
      })
    } finally {
      now.mockRestore()
    }
    return { there, here: await findGrant(store, there) }
  }

  it('keeps its times if the other store only took long to tell its own', async () => {
    const { there, here } = await moved({ takes: 4000, behind: 4000 })
    expect(here).toEqual(there)
  })

  it('has other times if the clocks differ by more than that', async () => {
    const { there, here } = await moved({ takes: 4000, behind: 20_000 })
    const difference = (here?.createdAt ?? 0) - there.createdAt
    // In the middle of what it can be.
    expect(difference).toBeGreaterThan(17_000)
    expect(difference).toBeLessThan(20_000)
    expect((here?.expiresAt ?? 0) - (here?.createdAt ?? 0)).toBe(there.expiresAt - there.createdAt)
  })
})
