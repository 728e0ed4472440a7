import type { CustomerSignInEvent } from 'customer-sign-in'
import { Pool } from 'pg'
import { auditTable, auditTrail } from '../../../examples/postgres/audit-trail'
import { Authorization, asTheySay } from '../../support/authorization'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { eventually } from '../../support/redis-server'
import { clientId } from '../../support/sign-in'
import { started } from '../../support/started'

const subject = 'customer-1'

describeWithPostgres('the audit trail of docs/administration.md', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  it('has what a customer allowed to whom, and who ended it', async () => {
    await pool.query(auditTable)
    const onEvent = auditTrail(pool, (_, error) => {
      throw error
    })
    const host = await started({
      authenticate: asTheySay,

      onEvent,
    })
    await host.exchange(await new Authorization(host, { scope: 'calendar' }).allowed(subject)).expect(200)
    const history = async () =>
      (
        await pool.query(
          `select type, client_id, event->'scopes' as scopes, actor, grant_id is not null as "hasGrant"
           from sign_in_audit where tenant_id = $1 and subject = $2 order by at, id`,
          ['acme', subject],
        )
      ).rows
    await eventually(async () => (await history()).length === 2)
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject, actor: 'staff:42' })
    await eventually(async () => (await history()).length === 3)
    expect(await history()).toEqual([
      { type: 'allowed', client_id: clientId, scopes: ['calendar'], actor: null, hasGrant: false },
      { type: 'issued', client_id: clientId, scopes: ['calendar'], actor: null, hasGrant: true },
      { type: 'revoked', client_id: clientId, scopes: null, actor: 'staff:42', hasGrant: true },
    ])
  })

  it('tells of a row that cannot be written', async () => {
    await pool.query('drop table if exists sign_in_audit')
    const lost = new Promise<CustomerSignInEvent>((resolve) => {
      auditTrail(
        pool,
        resolve,
      )({ type: 'declined', at: 1, tenantKey: 'acme', tenantId: 'acme', clientId, subject, scopes: [], resource: '' })
    })
    expect(await lost).toMatchObject({ type: 'declined', subject })
  })
})
