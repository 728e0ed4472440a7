import { PostgresTokenStore } from 'customer-sign-in/postgres'
import type { TokenStore } from 'customer-sign-in/store'
import type { Pool } from 'pg'
import type { PostgresSettings } from '../../scripts/postgres-process'
import { companiesOf, Grants, likeness } from '../grants'
import { poolAt } from '../postgres-pool'
import { PostgresServer } from '../postgres-server'
import { startOnServerCore } from '../processor-cores'
import { grantsFunctionSql } from './made-grants-sql'

const day = 86_400_000

// What a sign-in leaves, whose code has been redeemed. $1 is how many, and $2 the time of the first.
const fill = `
insert into customer_sign_in.grants (created_at, expires_at, swapped_at, sweep_at, id, kind, tenant_id, grant_id, client_id, subject,
  resource, scopes, hash, attempt, redeemed)
select at, at + $3::bigint, at, at + $3::bigint, id, 'f', tenant_id, grant_id, $4, subject, $5, $6,
  pg_temp.text('credential ' || number || ' 1', 32), pg_temp.text('attempt ' || number || ' 0', 9),
  left(pg_temp.text('credential ' || number || ' 0', 32), 8) || at || ','
from (select *, $2::bigint + number as at from pg_temp.grants($1)) as made
`

// About one row of each page.
const parts = 16

/** A server of its own with a store and grants in it. */
export class PopulatedServer {
  readonly server: PostgresServer
  readonly store: TokenStore
  readonly grants: Grants
  readonly #pool: Pool

  private constructor(server: PostgresServer, pool: Pool, count: number, connections: number) {
    this.server = server
    this.#pool = pool
    this.store = new PostgresTokenStore(pool)
    this.grants = new Grants(this.store, count, { tenants: companiesOf(count), inFlight: connections })
  }

  /**
   * Starts a server with so many grants, whose rows are those that the store would have written. Each has been updated once more, so
   * that the pages have versions to remove, as those of a table in use have.
   */
  static async filled(count: number, settings: PostgresSettings, connections = 10): Promise<PopulatedServer> {
    const server = await startOnServerCore(() => PostgresServer.start(settings))
    const populated = new PopulatedServer(server, poolAt(server.port, connections), count, connections)
    try {
      await populated.#fill()
      return populated
    } catch (error) {
      await populated.stop()
      throw error
    }
  }

  async #fill(): Promise<void> {
    const { clientId, resource, scopes } = likeness
    await this.server.query(grantsFunctionSql)
    const values = [this.grants.count, Date.now() - day, 30 * day, clientId, resource, scopes.join(' ')]
    await this.server.query(fill, values)
    for (let part = 0; part < parts; part++) {
      await this.server.query(`update customer_sign_in.grants set hash = hash where created_at % ${parts} = $1`, [part])
    }
    await this.server.query('vacuum analyze customer_sign_in.grants')
    await this.server.query('checkpoint')
    this.grants.takeForSignedIn()
  }

  async stop(): Promise<void> {
    await this.#pool.end()
    await this.server.stop()
  }
}
