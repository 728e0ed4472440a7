import { Pool } from 'pg'

/**
 * The pool of the docs, except that its time limits are longer, for machines that are busy, and that a connection never ends: most of the
 * time a server here waits for its turn.
 */
export function poolAt(port: number, max = 10): Pool {
  const pool = new Pool({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max,
    connectionTimeoutMillis: 60_000,
    query_timeout: 60_000,
    idleTimeoutMillis: 0,
  })
  pool.on('error', () => {})
  return pool
}
