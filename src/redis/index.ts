export type { RedisClient } from './commands'
export { RedisTokenStore, type RedisTokenStoreOptions } from './redis-token-store'
