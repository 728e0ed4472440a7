import type { PostgresSettings, PostgresVersion } from '../../scripts/postgres-process'
import { PostgresServer } from './postgres-server'
import { eventually } from './redis-server'

/** A server and its streaming replica, which can be read and can take its place. */
export class PostgresReplication {
  readonly primary: PostgresServer
  readonly replica: PostgresServer

  private constructor(primary: PostgresServer, replica: PostgresServer) {
    this.primary = primary
    this.replica = replica
  }

  /** Starts both, and waits until the replica has everything. */
  static async start(settings: PostgresSettings = {}, version?: PostgresVersion): Promise<PostgresReplication> {
    // It would wait before it asks a primary again that was away.
    const both = { wal_retrieve_retry_interval: '20ms', ...settings }
    const primary = await PostgresServer.start(both, { version })
    const replica = await PostgresServer.start(both, { version, standbyOf: primary })
    const replication = new PostgresReplication(primary, replica)
    await eventually(() => replication.hasAll())
    return replication
  }

  /** Whether the replica has applied everything that the primary has written. */
  async hasAll(): Promise<boolean> {
    const [written] = await this.primary.query<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn')
    const [state] = await this.replica.query<{ has: boolean }>(
      'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as has',
      [written?.lsn],
    )
    return state?.has === true
  }

  /** Makes the replica a primary. */
  async promote(): Promise<void> {
    await this.replica.query('select pg_promote()')
  }

  /**
   * Does what the replica never gets, and kills the primary. The replica takes its place.
   *
   * @returns What `write` returns.
   */
  async failOverWithout<T>(write: () => Promise<T>): Promise<T> {
    await eventually(() => this.hasAll())
    this.replica.signal('SIGSTOP')
    // Data on its way to a frozen replica would still arrive when it goes on.
    await this.primary.query('select pg_terminate_backend(pid) from pg_stat_replication')
    const written = await write()
    await this.primary.kill('SIGKILL')
    this.replica.signal('SIGCONT')
    await this.promote()
    return written
  }

  async stop(): Promise<void> {
    await Promise.all([this.replica.stop(), this.primary.stop()])
  }
}
