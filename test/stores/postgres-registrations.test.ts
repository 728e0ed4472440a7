import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import type { Pool } from 'pg'
import type { NewClient } from '../../src/stores/token-store'
import {
  createGrant,
  findClient,
  grantOf,
  hour,
  minute,
  newClient,
  newId,
  room,
  swapOf,
} from '../../src/testing/store-contract/records'
import { describeWithPostgres, describeWithPostgresClock, PostgresServer } from '../support/postgres-server'
import { eventually } from '../support/redis-server'
import { poolOn } from '../support/started-on-postgres'

let server: PostgresServer
let pool: Pool
let store: PostgresTokenStore

function withPostgres({ clock = false } = {}): void {
  beforeAll(async () => {
    server = await PostgresServer.start({}, { clock })
    await server.query(postgresSchema())
  })
  beforeEach(async () => {
    await server.query('truncate customer_sign_in.grants, customer_sign_in.clients, customer_sign_in.idle_clients')
    // One for registrations, one for other changes of registered clients, one for everything else.
    pool = poolOn(server.port, { max: 3 })
    store = new PostgresTokenStore(pool, { sweep: false })
  })
  afterEach(() => pool.end())
  afterAll(() => server.stop())
}

describeWithPostgres('registrations in PostgresTokenStore', () => {
  withPostgres()
  const lock = 'select customer_sign_in.lock_idle_clients()'

  it('that wait for their lock leave connections to refreshes, as do deletions and sweeps', async () => {
    const tenantId = 'acme'
    const [inUse, ...idle] = Array.from({ length: 21 }, () => newClient({ tenantId }))
    for (const client of [inUse, ...idle]) await store.saveClient(client as NewClient, room)
    await store.touchClient(tenantId, inUse?.clientId ?? '', { lifetime: hour, inUse: true })
    let grant = await createGrant(store, { tenantId })
    const waiting: Promise<unknown>[] = []
    await server.whileLocked(lock, async () => {
      for (const client of idle) {
        waiting.push(
          store.saveClient(newClient({ tenantId }), room),
          store.touchClient(tenantId, client.clientId, { lifetime: hour, inUse: false }),
          store.deleteClient(tenantId, client.clientId),
          store.sweep(),
        )
      }
      await eventually(async () => (await server.countOfWaiting()) > 0)
      for (let count = 0; count < 20; count++) grant = grantOf(await store.swapCredential(swapOf(grant)))
      await store.touchClient(tenantId, inUse?.clientId ?? '', { lifetime: hour, inUse: true })
      expect(await server.countOfWaiting()).toBeLessThanOrEqual(2)
    })
    await Promise.all(waiting)
    expect(await findClient(store, idle[0] as NewClient)).toBeUndefined()
  })

  it('are refused when 500 are waiting, and then a customer can still allow a client', async () => {
    const asked = newClient({})
    await store.saveClient(asked, room)
    const waiting: Promise<unknown>[] = []
    await server.whileLocked(lock, async () => {
      for (let count = 0; count < 500; count++) waiting.push(store.saveClient(newClient({ tenantId: 'flood' }), room))
      await expect(store.saveClient(newClient({}), room)).rejects.toThrow(
        'PostgresTokenStore: too many registrations are waiting',
      )
      waiting.push(store.touchClient(asked.tenantId, asked.clientId, { lifetime: hour, inUse: true }))
      await eventually(async () => (await server.countOfWaiting()) === 2)
    })
    await Promise.all(waiting)
    expect(await findClient(store, asked)).toMatchObject({ inUse: true })
  })

  describe('of a company whose clients others outnumber by expired ones', () => {
    /** Writes clients of a tenant as they are when nothing has deleted expired ones for long. */
    async function insertExpired(tenants: string[], expiredFor: number): Promise<void> {
      await server.query(
        `insert into customer_sign_in.clients
         select at, at, at, nextval('customer_sign_in.places'), false, tenant, gen_random_uuid(), '{"redirectUris":[]}'
         from unnest($1::text[]) as tenant, (select customer_sign_in.clock() - $2 as at) as clock`,
        [tenants, expiredFor],
      )
    }

    async function savedLive(tenantId: string, count: number): Promise<NewClient[]> {
      const clients = Array.from({ length: count }, () => newClient({ tenantId }))
      for (const client of clients) await store.saveClient(client, room)
      return clients
    }

    async function expectLive(clients: NewClient[]): Promise<void> {
      for (const client of clients) expect(await findClient(store, client)).toBeDefined()
    }

    it('lose none to the limit of the company because it has expired ones too', async () => {
      const live = await savedLive('acme', 3)
      await insertExpired(Array(200).fill('globex'), 2 * minute)
      await insertExpired(Array(60).fill('acme'), minute)
      await store.saveClient(newClient({ tenantId: 'acme' }), { ...room, perTenant: 4 })
      await expectLive(live)
    })

    it('lose none to the limit of all companies', async () => {
      const live = await savedLive('acme', 3)
      await insertExpired(
        Array.from({ length: 300 }, (_, index) => `other-${index}`),
        minute,
      )
      await store.saveClient(newClient({ tenantId: 'globex' }), { ...room, total: 4 })
      await expectLive(live)
    })

    it('keep within the limits all the same', async () => {
      const live = await savedLive('acme', 3)
      await insertExpired(Array(60).fill('acme'), minute)
      await store.saveClient(newClient({ tenantId: 'acme' }), { ...room, perTenant: 3 })
      expect(await findClient(store, live[0] as NewClient)).toBeUndefined()
      await insertExpired(Array(60).fill('globex'), minute)
      await store.saveClient(newClient({ tenantId: 'globex' }), { ...room, total: 3 })
      expect(await findClient(store, live[1] as NewClient)).toBeUndefined()
      await expectLive(live.slice(2))
    })
  })
})

describeWithPostgresClock('a call of PostgresTokenStore that has waited for a row', () => {
  withPostgres({ clock: true })

  it('uses an id again that has expired meanwhile, for its whole lifetime', async () => {
    const id = newId()
    await store.useOnce('acme', id, minute)
    let used: Promise<boolean> | undefined
    await server.whileLocked('select from customer_sign_in.used_ids for update', async () => {
      used = store.useOnce('acme', id, minute)
      await eventually(async () => (await server.countOfWaiting()) === 1)
      server.clock.advance(61)
    })
    expect(await used).toBe(true)
    server.clock.advance(59)
    expect(await store.useOnce('acme', id, minute)).toBe(false)
  })

  it('does not revive a client that has expired meanwhile', async () => {
    const client = newClient({ lifetime: minute })
    await store.saveClient(client, room)
    await store.touchClient(client.tenantId, client.clientId, { lifetime: minute, inUse: true })
    let touched: Promise<void> | undefined
    await server.whileLocked('select from customer_sign_in.clients for update', async () => {
      touched = store.touchClient(client.tenantId, client.clientId, { lifetime: hour, inUse: true })
      await eventually(async () => (await server.countOfWaiting()) === 1)
      server.clock.advance(61)
    })
    await touched
    expect(await findClient(store, client)).toBeUndefined()
  })
})
