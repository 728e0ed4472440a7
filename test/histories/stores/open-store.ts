import type { TokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from 'ioredis'
import type { StoreSettings } from './campaign-store'

/** Opens the store as a host does, with the client as docs/operations-redis.md shows it. */
export function openStore(settings: StoreSettings): TokenStore {
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
