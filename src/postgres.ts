export { MovingTokenStore, type MovingTokenStoreOptions } from './stores/moving-token-store'
export type { PostgresPool } from './stores/postgres-calls'
export { type PostgresSchemaOptions, postgresSchema } from './stores/postgres-schema'
export { PostgresTokenStore, type PostgresTokenStoreOptions } from './stores/postgres-token-store'
