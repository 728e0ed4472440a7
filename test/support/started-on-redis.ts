import { type RedisClient, RedisTokenStore, type RedisTokenStoreOptions } from 'customer-sign-in/redis'
import { Redis, type RedisOptions } from 'ioredis'
import type { TestSignIn } from './sign-in'
import { started } from './started'
import type { TestOptions } from './test-options'

const clients: { disconnect(): void }[] = []

afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect()
})

/** How a host uses Redis, besides its options. */
export interface OnRedis extends TestOptions {
  redis?: RedisOptions
  store?: RedisTokenStoreOptions
}

// The same for all, as for the processes of one host, because a grant's resource contains it.
const baseUrl = 'https://assistants.example'

/** An authorization server on the Redis server at a port, with its own Redis client. Both stop after the test. */
export function startedOnRedis(port: number, { redis, ...options }: OnRedis = {}): Promise<TestSignIn> {
  return startedOver(new Redis(port, '127.0.0.1', { disconnectTimeout: 10, ...redis }), options)
}

/** The same with the test's Redis client, which is disconnected after the test. */
export function startedOver(
  client: RedisClient & { disconnect(): void; on(event: 'error', listener: () => void): unknown },
  { store, ...options }: Omit<OnRedis, 'redis'> = {},
): Promise<TestSignIn> {
  // The tests check connection errors themselves, and ioredis prints errors that have no listener.
  client.on('error', () => {})
  clients.push(client)
  return started({ tokenStore: new RedisTokenStore(client, store), baseUrl, ...options })
}
