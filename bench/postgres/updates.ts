import { setTimeout } from 'node:timers/promises'
import type { PostgresServer } from '../postgres-server'

/** How many rows of grants were updated, and how many of these updates were heap-only (HOT). */
export async function updates(server: PostgresServer): Promise<{ all: number; hot: number }> {
  // A process of PostgreSQL reports what it has counted within a second after it is idle.
  await setTimeout(2000)
  const [row] = await server.query<{ all: string; hot: string }>(
    `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where relid = 'customer_sign_in.grants'::regclass`,
  )
  return { all: Number(row?.all), hot: Number(row?.hot) }
}
