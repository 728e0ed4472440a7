import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { tokenStoreContract } from 'customer-sign-in/testing'
import { Pool } from 'pg'
import { goTogether } from '../support/clock'
import { describeWithPgBouncer, PgBouncer } from '../support/pgbouncer'
import { describeWithPostgresClock, PostgresServer } from '../support/postgres-server'
import { tokenEndpointSuite } from '../unit/endpoints/token-suite'
import { expectOneWinnerEachRound } from './suites/parallel-processes'

describeWithPgBouncer('PgBouncer in transaction mode', () => {
  describeWithPostgresClock('in front of PostgreSQL', () => {
    let server: PostgresServer
    let bouncer: PgBouncer
    let pool: Pool
    beforeAll(async () => {
      server = await PostgresServer.start({}, { clock: true })
      goTogether(server.clock)
      await server.query(postgresSchema())
      bouncer = await PgBouncer.start(server.port)
      pool = new Pool({ connectionString: bouncer.url })
      pool.on('error', () => {})
    })
    afterAll(async () => {
      await pool.end()
      await bouncer.stop()
      await server.stop()
    })

    describe('the contract of a token store', () => {
      tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool))
    })

    describe('the token endpoint', () => {
      tokenEndpointSuite(() => new PostgresTokenStore(pool))
    })
  })

  // A server whose clock is never set: nothing of it may decide how long a presentation takes.
  it('lets exactly one of 200 presentations at four processes redeem a refresh token each time', async () => {
    const server = await PostgresServer.start()
    await server.query(postgresSchema())
    const bouncer = await PgBouncer.start(server.port)
    const rounds = expectOneWinnerEachRound({ postgres: { port: bouncer.port } }, [0, 0, 0, 0], 20)
    await rounds.finally(() => bouncer.stop()).finally(() => server.stop())
  })
})
