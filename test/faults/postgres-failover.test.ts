import { postgresSchema } from 'customer-sign-in/postgres'
import { PostgresReplication } from '../support/postgres-replication'
import { describeOnEachPostgres, describeWithPostgres, PostgresServer } from '../support/postgres-server'
import { postgresWire } from '../support/postgres-wire'
import { eventually } from '../support/redis-server'
import { refreshedEventually } from '../support/refusal'
import { ServerProxy } from '../support/server-proxy'
import { expectError, expectTokens } from '../support/sign-in'
import { startedOnPostgres } from '../support/started-on-postgres'
import { lostWrites, refreshPatiently } from './suites/lost-writes'

const strict = { replayTolerance: 0 }

describeOnEachPostgres('a failover to a streaming replica', (version) => {
  let replication: PostgresReplication
  // The address of the database, which moves to the replica.
  let address: ServerProxy
  beforeEach(async () => {
    replication = await PostgresReplication.start({}, version)
    address = await ServerProxy.start(replication.primary.port, postgresWire)
    await replication.primary.query(postgresSchema())
  })
  afterEach(async () => {
    await address.stop()
    await replication.stop()
  })

  lostWrites({
    startedOn: () => startedOnPostgres(address.port, strict),
    losing: async (_, write) => {
      const written = await replication.failOverWithout(write)
      address.leadTo(replication.replica.port)
      return written
    },
  })

  it('that loses nothing signs nobody out', async () => {
    const host = await startedOnPostgres(address.port, strict)
    const customers = Array.from({ length: 20 }, (_, index) => `customer-${index}`)
    const tokens = await Promise.all(customers.map((subject) => host.connected({ subject })))
    await replication.failOverWithout(async () => undefined)
    address.leadTo(replication.replica.port)
    const next = await Promise.all(tokens.map((held) => refreshPatiently(host, held)))
    await Promise.all(next.map((held) => refreshPatiently(host, held)))
    expect(await host.told('replayed')).toEqual([])
  })

  it('refuses redemptions at a replica until it is promoted, and says what to do', async () => {
    const { primary, replica } = replication
    const [atPrimary, atReplica] = [
      await startedOnPostgres(primary.port, strict),
      await startedOnPostgres(replica.port, strict),
    ]
    const { refresh_token } = await atPrimary.connected()
    await eventually(() => replication.hasAll())
    expectError(await atReplica.refresh(refresh_token), 503, 'temporarily_unavailable')
    const [told] = await atReplica.told('error')
    expect(told?.error.message).toMatch(/\(25006\); the pool must connect to the primary server$/)
    await replication.promote()
    expectTokens(await atReplica.refresh((await refreshedEventually(atReplica, refresh_token)).refresh_token))
  })
})

describeWithPostgres('a kill without synchronous_commit', () => {
  let server: PostgresServer
  beforeEach(async () => {
    server = await PostgresServer.start({ synchronous_commit: 'off' })
    await server.query(postgresSchema())
  })
  afterEach(() => server.stop())

  lostWrites({
    startedOn: () => startedOnPostgres(server.port, strict),
    losing: async (_, write) => {
      await server.query('checkpoint')
      // Nobody else writes what has been committed to the disk.
      const [writer] = await server.query<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'walwriter'",
      )
      process.kill(writer?.pid ?? 0, 'SIGSTOP')
      const written = await write()
      await server.kill('SIGKILL')
      await server.start()
      return written
    },
  })
})
