import { type ClientConfig, Pool } from 'pg'

/** The settings of the docs, except that the time limits are longer, for machines that are busy. */
export function configAt(port: number): ClientConfig {
  const limits = { connectionTimeoutMillis: 60_000, query_timeout: 60_000 }
  return { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', ...limits }
}

/** The pool of the docs, except that a connection never ends: most of the time a server here waits for its turn. */
export function poolAt(port: number, max = 10): Pool {
  const pool = new Pool({ ...configAt(port), max, idleTimeoutMillis: 0 })
  pool.on('error', () => {})
  return pool
}
