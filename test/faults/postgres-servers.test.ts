import { Client } from 'pg'
import { describeWithPgBouncer, PgBouncer } from '../support/pgbouncer'
import { PostgresReplication } from '../support/postgres-replication'
import {
  describeOnEachPostgres,
  describeWithPostgres,
  describeWithPostgresClock,
  PostgresServer,
} from '../support/postgres-server'
import { postgresWire } from '../support/postgres-wire'
import { eventually } from '../support/redis-server'
import { cutPoints, ServerProxy } from '../support/server-proxy'

const clients: Client[] = []

async function connected({ url }: { url: string }): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  clients.push(client)
  return client
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end().catch(() => {})
})

async function notesAt(server: PostgresServer): Promise<string[]> {
  return (await server.query<{ text: string }>('select text from notes')).map(({ text }) => text)
}

const note = (server: PostgresServer, text: string) => server.query('insert into notes values ($1)', [text])

describeOnEachPostgres('a server of these tests', (version) => {
  it('is one of its own, of that version, which keeps what was committed before it was killed', async () => {
    const server = await PostgresServer.start({}, { version })
    try {
      await server.query('create table notes (text text)')
      await note(server, 'committed')
      await server.kill()
      await expect(server.query('select 1')).rejects.toThrow('ECONNREFUSED')
      await server.start({ max_connections: 7 })
      expect(await notesAt(server)).toEqual(['committed'])
      const settings = `select current_setting('server_version_num')::int / 10000 as major, current_setting('max_connections') as most`
      expect(await server.query(settings)).toEqual([{ major: version.major, most: '7' }])
    } finally {
      await server.stop()
    }
  })

  it('loses what was committed a moment before, without synchronous_commit', async () => {
    const settings = { synchronous_commit: 'off', wal_writer_delay: '10s' }
    const server = await PostgresServer.start(settings, { version })
    try {
      await server.query('create table notes (text text)')
      await server.query('checkpoint')
      await note(server, 'lost')
      await server.kill()
      await server.start()
      expect(await notesAt(server)).toEqual([])
    } finally {
      await server.stop()
    }
  })

  it('has a replica that can be read, refuses writes, and takes its place without the newest of them', async () => {
    const replication = await PostgresReplication.start({}, version)
    const { primary, replica } = replication
    try {
      await primary.query('create table notes (text text)')
      await note(primary, 'kept')
      await eventually(() => replication.hasAll())
      expect(await notesAt(replica)).toEqual(['kept'])
      await expect(note(replica, 'refused')).rejects.toMatchObject({ code: '25006' })
      await replication.failOverWithout(async () => {
        await note(primary, 'lost')
        expect(await notesAt(primary)).toEqual(['kept', 'lost'])
      })
      await note(replica, 'new')
      expect(await notesAt(replica)).toEqual(['kept', 'new'])
    } finally {
      await replication.stop()
    }
  })
})

describeWithPostgres('a frozen server of these tests', () => {
  it('answers nobody until it goes on, on connections old and new', async () => {
    const server = await PostgresServer.start()
    try {
      const client = await connected(server)
      const answered: string[] = []
      server.signal('SIGSTOP')
      const waiting = [
        client.query('select 1').then(() => answered.push('old')),
        connected(server).then(() => answered.push('new')),
      ]
      // Another server's answer takes longer than an answer of this one would.
      const other = await PostgresServer.start()
      await other.stop()
      expect(answered).toEqual([])
      server.signal('SIGCONT')
      await Promise.all(waiting)
    } finally {
      await server.stop()
    }
  })
})

describeWithPostgresClock('the clock of a server of these tests', () => {
  it('is set for connections old and new', async () => {
    const server = await PostgresServer.start({}, { clock: true })
    try {
      const client = await connected(server)
      const now = `select date_part('epoch', clock_timestamp()) - $1 as ahead`
      for (const seconds of [3600, -86_400]) {
        server.clock.set(seconds)
        for (const { rows } of [
          await client.query(now, [Date.now() / 1000]),
          { rows: await server.query(now, [Date.now() / 1000]) },
        ]) {
          expect(Math.abs(rows[0]?.ahead - seconds)).toBeLessThan(60)
        }
      }
    } finally {
      await server.stop()
    }
  })
})

describeWithPostgres('the proxy in front of PostgreSQL', () => {
  let server: PostgresServer
  let proxy: ServerProxy
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(`create table notes (text text);
      create function swap_credential(note text) returns text language sql as 'insert into notes values (note) returning text'`)
    proxy = await ServerProxy.start(server.port, postgresWire)
  })
  beforeEach(() => server.query('truncate notes'))
  afterAll(async () => {
    await proxy.stop()
    await server.stop()
  })

  const through = () => connected({ url: server.url.replace(String(server.port), String(proxy.port)) })
  const swap = 'select "public"."swap_credential"($1) as value'

  it.each(cutPoints)('breaks the connection %s of the next write only', async (point) => {
    proxy.cutNext({ point, at: 0.5 })
    const [reading, writing] = [await through(), await through()]
    await reading.query('select text from notes where text = $1', ['nothing'])
    await expect(writing.query(swap, [point])).rejects.toThrow('Connection terminated unexpectedly')
    expect(await notesAt(server)).toEqual(point.endsWith('reply') ? [point] : [])
    const { rows } = await (await through()).query(swap, ['afterwards'])
    expect(rows).toEqual([{ value: 'afterwards' }])
  })

  it('names the commands that arrive by their functions', async () => {
    const client = await through()
    const before = proxy.arrived.length
    await client.query(swap, ['once'])
    await client.query("select swap_credential('simple')")
    await client.query('delete from notes where text = $1', ['once'])
    expect(proxy.arrived.slice(before).flat()).toEqual(['swap_credential', 'swap_credential', 'delete'])
  })

  it('loses replies to what is done', async () => {
    const client = await through()
    proxy.loseReplies()
    const lost = expect(client.query(swap, ['done'])).rejects.toThrow('Connection terminated unexpectedly')
    await eventually(async () => (await notesAt(server)).includes('done'))
    proxy.passReplies()
    await lost
  })
})

describeWithPgBouncer('PgBouncer in front of PostgreSQL', () => {
  it('lends one connection to many clients, for one transaction each', async () => {
    const server = await PostgresServer.start()
    const bouncer = await PgBouncer.start(server.port, { poolSize: 1 })
    try {
      const [one, other] = [await connected(bouncer), await connected(bouncer)]
      const pidOf = async (client: Client) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid
      expect(await pidOf(other)).toBe(await pidOf(one))
      await one.query('begin')
      const waits = pidOf(other)
      expect(await Promise.race([waits, pidOf(one).then(() => 'first')])).toBe('first')
      await one.query('commit')
      await waits
    } finally {
      await bouncer.stop()
      await server.stop()
    }
  })
})
