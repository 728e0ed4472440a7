import type { CustomerSignInEvent } from 'customer-sign-in'
import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { Pool } from 'pg'

import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { eventually } from '../../support/redis-server'
import { expectError, expectTokens, type TestSignIn, type Tokens } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const customer = { tenantKey: 'acme', subject: 'customer-1' }
const tables = ['grants', 'used_ids', 'ended']

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await PostgresServer.start()
  await server.query(postgresSchema())
  await server.query('create schema backup')
})
beforeEach(async () => {
  await server.query('truncate customer_sign_in.grants')
  pool = new Pool({ connectionString: server.url })
  pool.on('error', () => {})
})
afterEach(() => pool.end())
afterAll(() => server.stop())

function host(options: TestOptions = {}): Promise<TestSignIn> {
  return started({ tokenStore: new PostgresTokenStore(pool), replayTolerance: 0, hostTimeout: 30, ...options })
}

async function refreshed(on: TestSignIn, tokens: Tokens, times: number): Promise<Tokens> {
  let newest = tokens
  for (let time = 0; time < times; time++) newest = expectTokens(await on.refresh(newest.refresh_token))
  return newest
}

describeWithPostgres('A restored backup, as docs/operations-postgres.md says,', () => {
  /** Makes a backup, works, and restores the backup. */
  async function restoring<T>(work: () => Promise<T>): Promise<T> {
    const copies = tables.map((table) => `create table backup.${table} as table customer_sign_in.${table};`)
    await server.query(copies.join('\n'))
    const result = await work()
    const restored = tables.map(
      (table) =>
        `truncate customer_sign_in.${table}; insert into customer_sign_in.${table} table backup.${table}; drop table backup.${table};`,
    )
    await server.query(`set session_replication_role = replica; ${restored.join('\n')}`)
    return result
  }

  it.each([1, 4])('does nothing to a grant that was refreshed %d times since', async (times) => {
    const on = await host()
    const first = await on.connected()
    const newest = await restoring(() => refreshed(on, first, times))
    await refreshed(on, newest, 2)
    expect(await on.told('refreshed')).toContainEqual(expect.objectContaining({ recovered: true }))
  })

  it('ends a grant that was refreshed more often', async () => {
    const on = await host()
    const first = await on.connected()
    const newest = await restoring(() => refreshed(on, first, 5))
    expectError(await on.refresh(newest.refresh_token), 400, 'invalid_grant')
    expect(await on.told('replayed')).toMatchObject([{ ended: true }])
  })

  it('has no grant of a customer who signed in since', async () => {
    const on = await host()
    const tokens = await restoring(() => on.connected())
    expectError(await on.refresh(tokens.refresh_token), 400, 'invalid_grant')
    await refreshed(on, await on.connected(), 1)
  })

  it('brings a revoked grant back, until it is revoked again by its event', async () => {
    const on = await host()
    const tokens = await on.connected()
    await restoring(() => on.signIn.grants.revokeAll(customer))
    const newest = await refreshed(on, tokens, 1)

    const revoked: Extract<CustomerSignInEvent, { type: 'revoked' }>[] = await on.told('revoked')
    expect(revoked).toHaveLength(1)
    for (const { tenantKey = customer.tenantKey, subject, grantId } of revoked)
      await on.signIn.grants.revoke({ tenantKey, subject, grantId })
    expectError(await on.refresh(newest.refresh_token), 400, 'invalid_grant')
  })
})

describeWithPostgres('Durability, as docs/operations-postgres.md says:', () => {
  it('nothing is lost when the server is killed', async () => {
    const on = await host()
    const customers = Array.from({ length: 30 }, (_, index) => `customer-${index}`)
    const tokens = await Promise.all(customers.map((subject) => on.connected({ subject })))
    await server.kill('SIGKILL')
    await server.start()
    for (const { refresh_token } of tokens) expectTokens(await on.refresh(refresh_token))
    expect(await on.told('refreshed')).not.toContainEqual(expect.objectContaining({ recovered: true }))
  })

  it('without a standby that is synchronous, clients get 503 and keep their tokens', async () => {
    const on = await host()
    const { refresh_token } = await on.connected()
    await setStandbys(['nobody'])
    const impatient = await host({ hostTimeout: 0.5 })
    expectError(await impatient.refresh(refresh_token), 503, 'temporarily_unavailable')
    await setStandbys([])
    await eventually(async () => (await on.refresh(refresh_token)).status === 200)
  })

  async function setStandbys(names: string[]): Promise<void> {
    await server.query(`alter system set synchronous_standby_names = '${names.join()}'`)
    await server.query('select pg_reload_conf()')
    const setting = 'select setting from pg_settings where name = $1'
    await eventually(
      async () =>
        (await server.query<{ setting: string }>(setting, ['synchronous_standby_names']))[0]?.setting === names.join(),
    )
  }
})
