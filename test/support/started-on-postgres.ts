import { Socket } from 'node:net'
import { PostgresTokenStore, type PostgresTokenStoreOptions } from 'customer-sign-in/postgres'
import { type ClientConfig, Pool, type PoolConfig } from 'pg'
import type { TestSignIn } from './sign-in'
import { started } from './started'
import type { TestOptions } from './test-options'

const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** How a host uses PostgreSQL, besides its options. */
export interface OnPostgres extends TestOptions {
  /** Its pool, or the settings of one. */
  pool?: PoolConfig | Pool
  store?: PostgresTokenStoreOptions
}

// The same for all, as for the processes of one host, because a grant's resource contains it.
const baseUrl = 'https://assistants.example'

/** The settings of a connection to the PostgreSQL server at a port, which breaks after the test, whatever it waits for. */
export function configOn(port: number): ClientConfig {
  const stream = () => {
    const socket = new Socket()
    sockets.push(socket)
    return socket
  }
  return { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', stream }
}

/** A pool of such connections. */
export function poolOn(port: number, config: PoolConfig = {}): Pool {
  const pool = new Pool({ ...configOn(port), ...config })
  // The tests check connection errors themselves, and an error event that has no listener ends the process.
  pool.on('error', () => {})
  return pool
}

/** An authorization server on the PostgreSQL server at a port, with its own pool. Both stop after the test. */
export function startedOnPostgres(port: number, { pool, store, ...options }: OnPostgres = {}): Promise<TestSignIn> {
  const itsPool = pool instanceof Pool ? pool : poolOn(port, pool)
  return started({ tokenStore: new PostgresTokenStore(itsPool, store), baseUrl, ...options })
}
