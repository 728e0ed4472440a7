import type { Database } from './database'
import { PostgresServer } from './postgres-server'
import { RedisServer } from './redis-server'

/** Stands for a database where there is none. */
const none: Database = { port: 0, usedCpu: async () => 0, sentDuring: async () => ({}), stop: async () => {} }

const starts = {
  none: async () => none,
  Redis: () => RedisServer.start(),
  'Redis, appendfsync everysec': () => RedisServer.start(['--appendonly', 'yes', '--appendfsync', 'everysec']),
  PostgreSQL: () => PostgresServer.start({ synchronous_commit: 'off' }),
  'PostgreSQL, synchronous_commit on': () => PostgresServer.start({ synchronous_commit: 'on' }),
} satisfies Record<string, () => Promise<Database>>

/** A database with its settings. The append-only file of Redis is off, and `synchronous_commit` too, unless the name says otherwise. */
export type DatabaseName = keyof typeof starts

export function startDatabase(name: DatabaseName): Promise<Database> {
  return starts[name]()
}
