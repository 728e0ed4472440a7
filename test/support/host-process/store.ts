import { MemoryTokenStore } from 'customer-sign-in'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Cluster, Redis } from 'ioredis'
import { Pool } from 'pg'
import type { HostSettings } from './settings'

/** The store of a host process. */
export function openStore({ redis, postgres, inMemory, store }: HostSettings): TokenStore {
  if (inMemory) return new MemoryTokenStore()
  if (postgres) {
    const pool = new Pool({ host: '127.0.0.1', user: 'postgres', database: 'postgres', ...postgres })
    pool.on('error', () => {})
    return new PostgresTokenStore(pool)
  }
  if (!redis) throw new Error('The settings name no database')
  // The tests break thousands of connections, and nobody is waiting for the reconnects.
  const retryStrategy = () => 5
  const client =
    'cluster' in redis ? new Cluster(redis.cluster) : new Redis({ host: '127.0.0.1', retryStrategy, ...redis })
  client.on('error', () => {})
  return new RedisTokenStore(client, store)
}
