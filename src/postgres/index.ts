export type { PostgresPool } from './calls'
export { MovingTokenStore, type MovingTokenStoreOptions } from './moving-token-store'
export { PostgresTokenStore, type PostgresTokenStoreOptions } from './postgres-token-store'
export { type PostgresSchemaOptions, postgresSchema } from './schema'
