export type { RedisClient } from './stores/redis-commands'
export { RedisTokenStore, type RedisTokenStoreOptions } from './stores/redis-token-store'
