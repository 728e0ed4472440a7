export { type RedisClient, RedisTokenStore, type RedisTokenStoreOptions } from './stores/redis-token-store'
