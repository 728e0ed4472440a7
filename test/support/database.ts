import { postgresSchema } from 'customer-sign-in/postgres'
import type { RedisOptions } from 'ioredis'
import type { HostSettings } from './host-process/settings'
import { describeWithPostgres, describeWithPostgresClock, PostgresServer } from './postgres-server'
import { postgresWire } from './postgres-wire'
import { describeWithRedis, describeWithRedisClock, RedisServer } from './redis-server'
import { resp } from './resp'
import type { ServerClock } from './server-clock'
import type { WireProtocol } from './server-proxy'
import type { TestSignIn } from './sign-in'
import { startedOnPostgres } from './started-on-postgres'
import { startedOnRedis } from './started-on-redis'
import type { TestOptions } from './test-options'

type Describe = (name: string, define: () => void) => void

/** A separate server of a database, for a test. */
export interface DatabaseServer {
  readonly port: number
  readonly clock: ServerClock
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  kill(signal?: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/** How a host uses a database, besides its options. */
export interface OnDatabase extends TestOptions {
  /**
   * Whether the client library connects again at once, and whether it then sends commands again. `pg` does neither: each statement fails
   * with its connection, and the next one opens another. Default: what the library does by default.
   */
  client?: 'connects at once' | 'connects at once and sends nothing again'
}

/** A database that this package has a store for: what tests need in order to show the same of each. */
export interface Database {
  readonly name: string
  readonly describe: Describe
  readonly describeWithClock: Describe
  readonly protocol: WireProtocol
  /** How many rounds of broken connections a test makes. Each connection to PostgreSQL is a process of the server. */
  readonly brokenRounds: number
  /**
   * Starts a server that is ready for a store.
   *
   * @param options.durable Whether what it has acknowledged survives even a fault of the machine.
   * @param options.clock Whether it has a clock of its own.
   */
  start(options?: { durable?: boolean; clock?: boolean }): Promise<DatabaseServer>
  /** Deletes everything that stores have written. */
  clear(server: DatabaseServer): Promise<unknown>
  /** An authorization server on the server at a port. It stops after the test. */
  startedOn(port: number, options?: OnDatabase): Promise<TestSignIn>
  /** What a host process needs to reach the server at a port. */
  settingsFor(port: number): Pick<HostSettings, 'redis' | 'postgres'>
}

const redisClients: Record<NonNullable<OnDatabase['client']>, RedisOptions> = {
  'connects at once': { retryStrategy: () => 1 },
  'connects at once and sends nothing again': { retryStrategy: () => 1, maxRetriesPerRequest: 0 },
}

/** A Redis or Valkey server, and `RedisTokenStore`. */
export const redis: Database = {
  name: 'Redis',
  describe: describeWithRedis,
  describeWithClock: describeWithRedisClock,
  protocol: resp,
  brokenRounds: 1000,
  start: ({ durable = false, clock = false } = {}) =>
    RedisServer.start(durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [], { clock }),
  clear: (server) => (server as RedisServer).command('FLUSHALL'),
  startedOn: (port, { client, ...options } = {}) =>
    startedOnRedis(port, { ...options, ...(client && { redis: redisClients[client] }) }),
  settingsFor: (port) => ({ redis: { port } }),
}

/** A PostgreSQL server, and `PostgresTokenStore`. */
export const postgres: Database = {
  name: 'PostgreSQL',
  describe: describeWithPostgres,
  describeWithClock: describeWithPostgresClock,
  protocol: postgresWire,
  brokenRounds: 150,
  start: async ({ durable = false, clock = false } = {}) => {
    const server = await PostgresServer.start({ fsync: durable ? 'on' : 'off' }, { clock })
    await server.query(postgresSchema())
    return server
  },
  clear: (server) => (server as PostgresServer).query('truncate customer_sign_in.grants, customer_sign_in.used_ids'),
  startedOn: (port, { client: _, ...options } = {}) => startedOnPostgres(port, options),
  settingsFor: (port) => ({ postgres: { port } }),
}
