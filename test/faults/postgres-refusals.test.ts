import { readFileSync, writeFileSync } from 'node:fs'
import { postgresSchema } from 'customer-sign-in/postgres'
import { Client, type Pool, type PoolClient } from 'pg'
import { freePort } from '../../scripts/free-port'
import { describeOnEachPostgres, describeWithPostgres, PostgresServer } from '../support/postgres-server'
import { eventually } from '../support/redis-server'
import { expectOneClearError, refreshedEventually } from '../support/refusal'
import { expectError, expectTokens } from '../support/sign-in'
import { started } from '../support/started'
import { poolOn, startedOnPostgres } from '../support/started-on-postgres'

/** A reason for which a server refuses statements: how to cause it, and how to end it. */
interface Refusal {
  named: RegExp
  begin(server: PostgresServer): Promise<unknown>
  end(server: PostgresServer): Promise<unknown>
}

// The role of the host, which does not own the schema.
const role = 'host'
const password = 'its password'

const disconnected = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`
const taken: Client[] = []

async function isRefused(client: Client): Promise<boolean> {
  client.on('error', () => {})
  try {
    return !(await succeeds(() => client.connect()))
  } finally {
    await client.end().catch(() => {})
  }
}

function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  )
}

function statements(named: RegExp, begin: string, end: string): Refusal {
  return {
    named,
    begin: async (server) => {
      await server.query(begin)
      await server.query(disconnected)
    },
    end: (server) => server.query(end),
  }
}

const refusals: Record<string, Refusal> = {
  'has become read-only': statements(
    /\(25006\); the pool must connect to the primary server$/,
    `alter role ${role} set default_transaction_read_only = on`,
    `alter role ${role} reset default_transaction_read_only`,
  ),
  'has no such schema': statements(
    /\(3F000\); run the SQL of `npx customer-sign-in postgres:schema` in this database/,
    'alter schema customer_sign_in rename to elsewhere',
    'alter schema elsewhere rename to customer_sign_in',
  ),
  'has no table': statements(
    /\(42(P01|704)\); run the SQL of `npx customer-sign-in postgres:schema` in this database/,
    'alter table customer_sign_in.grants rename to elsewhere',
    'alter table customer_sign_in.elsewhere rename to grants',
  ),
  'lacks a function': statements(
    /\(42883\); run the SQL of `npx customer-sign-in postgres:schema` of this version$/,
    ['swap_credential', 'create_grant']
      .map((name) => `alter function customer_sign_in.${name} rename to no_${name};`)
      .join(''),
    ['swap_credential', 'create_grant']
      .map((name) => `alter function customer_sign_in.no_${name} rename to ${name};`)
      .join(''),
  ),
  'lacks a column': statements(
    /\(42703\); run the SQL of `npx customer-sign-in postgres:schema` of this version$/,
    'alter table customer_sign_in.grants rename column ends_at to later',
    'alter table customer_sign_in.grants rename column later to ends_at',
  ),
  'lets the role read and not write': statements(
    /\(42501\); grant the pool's role what `npx customer-sign-in postgres:schema --role` prints$/,
    `revoke update on customer_sign_in.grants from ${role}`,
    `grant update on customer_sign_in.grants to ${role}`,
  ),
  'hides the schema from the role': statements(
    /\(42501\); grant the pool's role what `npx customer-sign-in postgres:schema --role` prints$/,
    `revoke usage on schema customer_sign_in from ${role}`,
    `grant usage on schema customer_sign_in to ${role}`,
  ),
  'lets the role no longer log in': statements(
    /\(28000\); the pool's role may not log in$/,
    `alter role ${role} nologin`,
    `alter role ${role} login`,
  ),
  'has another password': {
    named: /\(28P01\); the pool's password is wrong$/,
    begin: async (server) => {
      await server.query(`alter role ${role} password 'another password'`)
      const [file] = await server.query<{ hba_file: string }>('show hba_file')
      // The first line that fits counts.
      const asksForPassword = `host all ${role} 127.0.0.1/32 password\n`
      writeFileSync(file?.hba_file ?? '', asksForPassword + readFileSync(file?.hba_file ?? '', 'utf8'))
      await server.query('select pg_reload_conf()')
      const ofHost = { connectionString: server.url.replace('postgres@', `${role}:${password}@`) }
      await eventually(() => isRefused(new Client(ofHost)))
      await server.query(disconnected)
    },
    end: (server) => server.query(`alter role ${role} password '${password}'`),
  },
  'is shutting down': {
    named: /\(57P03\); the server is starting, stopping, or a standby that takes no queries$/,
    begin: async (server) => {
      // It waits for the end of this session.
      const last = new Client({ connectionString: server.url })
      await last.connect()
      taken.push(last)
      const [file] = await server.query<{ lines: string }>(`select pg_read_file('postmaster.pid') as lines`)
      await server.query(disconnected)
      process.kill(Number.parseInt(file?.lines ?? '', 10), 'SIGTERM')
      await eventually(() => isRefused(new Client({ connectionString: server.url })))
    },
    end: async (server) => {
      for (const client of taken.splice(0)) await client.end()
      await eventually(() => succeeds(() => server.start()))
    },
  },
  'has no connection left': {
    named: /\(53300\); the server has no connection left: make the pools smaller, or put PgBouncer in between$/,
    begin: async (server) => {
      const admin = new Client({ connectionString: server.url })
      await admin.connect()
      taken.push(admin)
      await admin.query('create role other login')
      await admin.query(disconnected)
      for (;;) {
        const client = new Client({ connectionString: server.url.replace('postgres@', 'other@') })
        client.on('error', () => {})
        try {
          await client.connect()
          taken.push(client)
        } catch {
          return
        }
      }
    },
    end: () => Promise.all(taken.splice(0).map((client) => client.end())),
  },
}

describeOnEachPostgres('a PostgreSQL server that refuses', (version) => {
  let server: PostgresServer
  beforeEach(async () => {
    server = await PostgresServer.start({ max_connections: 12 }, { version })
    await server.query(`create role ${role} login`)
    await server.query(postgresSchema({ role }))
  })
  afterEach(async () => {
    for (const client of taken.splice(0)) await client.end()
    await server.stop()
  })

  it.each(Object.entries(refusals))('because it %s causes one clear event, and loses nothing', async (_, refusal) => {
    const pool = poolOn(server.port, { user: role, password })
    const host = await startedOnPostgres(server.port, { pool, replayTolerance: 0 })
    const { refresh_token } = await host.connected()
    await refusal.begin(server)
    // So that no request is sent over a connection that the server has ended.
    await eventually(async () => pool.totalCount === 0)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expectOneClearError(host, refusal.named, refresh_token)
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable', status: 503 })
    await refusal.end(server)
    const next = await refreshedEventually(host, refresh_token)
    expectTokens(await host.refresh(next.refresh_token))
    await host.connected()
    expect(await host.told('replayed')).toEqual([])
  })
})

describeWithPostgres('a pool of PostgreSQL connections', () => {
  let server: PostgresServer
  beforeEach(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
  })
  afterEach(() => server.stop())

  /** Everything that other transactions can hold of a grant. */
  const locks = {
    'its row': 'select from customer_sign_in.grants for update',
    'the table': 'lock table customer_sign_in.grants in access exclusive mode',
  }

  it.each(Object.entries(locks))(
    'waits no longer than it may while somebody else holds %s, and applies nothing later',
    async (_, lock) => {
      const host = await startedOnPostgres(server.port, { hostTimeout: 0.5, replayTolerance: 0 })
      const patient = await startedOnPostgres(server.port, { hostTimeout: 30, replayTolerance: 0 })
      const { refresh_token } = await patient.connected()
      const before = await server.query('select * from customer_sign_in.grants')
      await server.whileLocked(lock, async () => {
        expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
        expect((await host.told('error')).map(({ error }) => error.message)).toEqual([
          expect.stringMatching(/^tokenStore\.swapCredential took longer than \d+ ms$/),
        ])
      })
      await eventually(async () => {
        const waiting =
          "select from pg_stat_activity where wait_event_type = 'Lock' or query like '%swap%' and state = 'active' and pid <> pg_backend_pid()"
        return (await server.query(waiting)).length === 0
      })
      expect(await server.query('select * from customer_sign_in.grants')).toEqual(before)
      expectTokens(await patient.refresh(expectTokens(await patient.refresh(refresh_token)).refresh_token))
      expect(await patient.told('replayed')).toEqual([])
    },
  )

  it('whose lock_timeout passes causes one clear event', async () => {
    const pool = { options: '-c lock_timeout=100' }
    const host = await startedOnPostgres(server.port, { pool, replayTolerance: 0 })
    const { refresh_token } = await host.connected()
    await server.whileLocked(locks['its row'], async () => {
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
      await expectOneClearError(host, /\(55P03\); another transaction holds a lock for too long$/, refresh_token)
    })
    expectTokens(await host.refresh(refresh_token))
  })

  // The time limits are far apart, so that no pause of the machine makes the wrong one pass first.
  it.each([
    ['that waits for ever', { hostTimeout: 1 }, {}, /^tokenStore\.swapCredential took longer than \d+ ms$/],
    [
      'that gives up',
      { hostTimeout: 60 },
      { connectionTimeoutMillis: 100 },
      /; the pool has no connection to spare, or the server does not answer$/,
    ],
  ])(
    '%s makes no request hang while the host uses all connections, and applies nothing later',
    async (_, { hostTimeout }, config, named) => {
      const patient = await startedOnPostgres(server.port, { hostTimeout: 60, replayTolerance: 0 })
      const { refresh_token } = await patient.connected()
      const before = await server.query('select * from customer_sign_in.grants')
      const pool = poolOn(server.port, { max: 1, ...config })
      const host = await startedOnPostgres(server.port, { pool, hostTimeout, replayTolerance: 0 })
      const used = await connectionOf(pool)
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
      await expectOneClearError(host, named, refresh_token)
      used.release()
      await eventually(() => succeeds(() => pool.query('select 1')))
      expect(await server.query('select * from customer_sign_in.grants')).toEqual(before)
      expectTokens(await patient.refresh(expectTokens(await patient.refresh(refresh_token)).refresh_token))
      expect(await patient.told('replayed')).toEqual([])
    },
  )

  it('that the host has closed is a 503 that says so', async () => {
    const pool = poolOn(server.port)
    const host = await startedOnPostgres(server.port, { pool })
    const { refresh_token } = await host.connected()
    await pool.end()
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expectOneClearError(host, /; the pool has been closed$/, refresh_token)
  })

  /** On a busy machine, a connection may take longer than the pool waits for one. */
  async function connectionOf(pool: Pool): Promise<PoolClient> {
    let connection: PoolClient | undefined
    await eventually(() =>
      succeeds(async () => {
        connection = await pool.connect()
      }),
    )
    return connection as PoolClient
  }
})

describeWithPostgres('a PostgreSQL server that is absent', () => {
  it('makes no request hang', async () => {
    const host = await startedOnPostgres(await freePort(), { hostTimeout: 0.3 })
    const { refresh_token } = await (await started()).connected()
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(await host.told('error')).toHaveLength(1)
  })

  it('is found when it starts, without a restart of the host', async () => {
    const port = await freePort()
    const host = await startedOnPostgres(port)
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    const server = await PostgresServer.start({}, { port })
    try {
      await server.query(postgresSchema())
      expectTokens(await host.refresh((await host.connected()).refresh_token))
    } finally {
      await server.stop()
    }
  })
})
