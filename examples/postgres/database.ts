import { postgresSchema } from 'customer-sign-in/postgres'
import { Client } from 'pg'
import { NoPostgresError, PostgresProcess } from '../../scripts/postgres-process'

/** The schema with everything of this example: the host's own table, and those of the library. */
export const schema = 'sign_in_example'

/** A PostgreSQL database to work with. */
export interface Database {
  url: string
  query(sql: string): Promise<Record<string, unknown>[]>
  stop(): Promise<void>
}

/**
 * Finds the database at `DATABASE_URL`. If that is not set, starts a server that lives as long as the example.
 *
 * @throws {NoPostgresError}
 */
export async function findDatabase(): Promise<Database> {
  const { DATABASE_URL } = process.env
  // In a process group of its own: Ctrl+C reaches only the example, which then stops the server.
  const server = DATABASE_URL ? undefined : await PostgresProcess.start({ detached: true })
  const client = new Client({ connectionString: DATABASE_URL ?? server?.url, connectionTimeoutMillis: 5000 })
  client.on('error', (error) => process.stderr.write(`PostgreSQL: ${error.message}\n`))
  try {
    await client.connect()
  } catch (error) {
    await server?.stop()
    throw new NoPostgresError(`The server at DATABASE_URL does not answer: ${(error as Error).message}`)
  }
  return {
    url: DATABASE_URL ?? server?.url ?? '',
    query: async (sql) => (await client.query(sql)).rows,
    async stop() {
      await client.end()
      await server?.stop()
    },
  }
}

/** What a host's migrations do once. */
export async function migrate({ query }: Database): Promise<void> {
  await query(postgresSchema({ schema }))
  await query(
    `create table if not exists ${schema}.tenants (id text primary key, key text unique not null, name text not null)`,
  )
  await query(`delete from ${schema}.tenants`)
  await query(`insert into ${schema}.tenants values ('company-1', 'acme', 'Acme Air')`)
}
