import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Cluster, Redis } from 'ioredis'
import { Pool } from 'pg'
import type { StoreSettings } from './campaign-store'

/** Opens the store as a host does, with the client as docs/operations-redis.md and docs/operations-postgres.md show it. */
export function openStore(settings: StoreSettings): TokenStore {
  if ('postgres' in settings) return openPostgres(settings.postgres.port)
  const client =
    'cluster' in settings
      ? new Cluster(settings.cluster)
      : new Redis({
          host: '127.0.0.1',
          port: settings.redis.port,
          reconnectOnError: (error) => error.message.includes('READONLY'),
        })
  client.on('error', () => {})
  return new RedisTokenStore(client)
}

function openPostgres(port: number): TokenStore {
  const pool = new Pool({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    max: 10,
    connectionTimeoutMillis: 2000,
    query_timeout: 2500,
    maxLifetimeSeconds: 300,
  })
  pool.on('error', () => {})
  return new PostgresTokenStore(pool)
}
