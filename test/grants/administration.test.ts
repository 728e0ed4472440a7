import { randomUUID } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore, type Tenant, type TokenStore } from 'customer-sign-in'
import { MovingTokenStore, PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { faultyStore, rejects } from '../support/faulty-store'
import { describeWithPostgres, PostgresServer } from '../support/postgres-server'
import { describeWithRedis, RedisServer } from '../support/redis-server'
import { registered, saveClient } from '../support/registration'
import { expectError, expectTokens, clientId as ownClientId, redirectUri, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'

const actor = 'staff:grace@acme.example'

describe('administration, in MemoryTokenStore', () => administration(() => new MemoryTokenStore()))

describeWithRedis('administration, in RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  administration(() => new RedisTokenStore(redis, { keyPrefix: `${randomUUID()}:` }))
})

describeWithPostgres('administration, in PostgresTokenStore', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new Pool({ connectionString: server.url })
    await pool.query(postgresSchema())
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  administration(() => new PostgresTokenStore(pool))

  it('lists clients of both stores while a host changes from one to the other', async () => {
    const [from, to, tenantId] = [new MemoryTokenStore(), new PostgresTokenStore(pool), randomUUID()]
    for (const clientId of ['a', 'c', 'e']) await saveClient(from, { tenantId, clientId })
    for (const clientId of ['b', 'c', 'd']) await saveClient(to, { tenantId, clientId, clientName: 'Moved' })
    const tenantStore = new MemoryTenantStore([])
    for (const step of ['prepare', 'move'] as const) {
      const { signIn } = await started({ tokenStore: new MovingTokenStore({ from, to, step }), tenantStore })
      const page = await signIn.clients.list({ tenantId, limit: 4 })
      const named = page.clients.map(({ clientId, clientName }) => [clientId, clientName])
      expect(named).toEqual([
        ['a', undefined],
        ['b', 'Moved'],
        ['c', 'Moved'],
        ['d', 'Moved'],
      ])
      expect((await signIn.clients.list({ tenantId, after: page.next })).clients).toMatchObject([{ clientId: 'e' }])
    }
  })
})

/** What the staff of a company can rely on, also when the company is switched off. */
function administration(createStore: () => TokenStore): void {
  interface Companies {
    host: TestSignIn
    /** The id of the company `acme`. */
    tenantId: string
    /** Switches both companies off, or on again. */
    turn(state: 'on' | 'off'): void
    faulty: ReturnType<typeof faultyStore>
  }

  /** Two companies, with ids of their own in each test. */
  async function companies(): Promise<Companies> {
    const [tenantId, other] = [randomUUID(), randomUUID()]
    const clients = [{ clientId: ownClientId, redirectUris: [redirectUri] }]
    const records: Tenant[] = [
      { key: 'acme', id: tenantId, clients },
      { key: 'globex', id: other, clients },
    ]
    const store = new MemoryTenantStore(records)
    let isOn = true
    const faulty = faultyStore(createStore())
    const findTenant = (key: string) => (isOn ? store.findTenant(key) : undefined)
    const host = await started({ tokenStore: faulty.store, tenantStore: { findTenant } })
    return {
      host,
      tenantId,
      faulty,
      turn: (state) => {
        isOn = state === 'on'
      },
    }
  }

  async function connected(host: TestSignIn, tenantKey: string, clientId = ownClientId, subject = 'ada') {
    const client = { client_id: clientId }
    const signedIn = await host.asCustomer({ tenantKey, clientId, subject })
    const { refresh_token } = expectTokens(await host.exchange(signedIn, client))
    return () => host.refresh(refresh_token, client, tenantKey)
  }

  describe('tenants.end', () => {
    it('ends all grants of a company that is switched off, and keeps its registered clients', async () => {
      const { host, tenantId, turn } = await companies()
      const clientId = await registered(host)
      const ended = [await connected(host, 'acme'), await connected(host, 'acme', clientId, 'bob')]
      await host.asCustomer({ subject: 'carol' })
      const other = await connected(host, 'globex')
      turn('off')
      expect(await host.signIn.tenants.end({ tenantId, actor })).toEqual({ grants: 3 })
      turn('on')
      for (const refresh of ended) expectError(await refresh(), 400, 'invalid_grant')
      expectTokens(await other())
      expect(await host.signIn.clients.find({ tenantKey: 'acme', clientId })).toMatchObject({ clientId })
      const told = await host.told('revoked')
      expect(told.map(({ subject }) => subject).sort()).toEqual(['ada', 'bob', 'carol'])
      for (const event of told) expect(event).toMatchObject({ tenantId, reason: 'host', actor, tenantKey: undefined })
    })

    it('ends with the next call what was left because the store failed', async () => {
      const { host, tenantId, faulty } = await companies()
      const refresh = await connected(host, 'acme')
      faulty.next('deleteGrants', rejects)
      await expect(host.signIn.tenants.end({ tenantId })).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      expect(await host.told('error')).toMatchObject([{ where: 'tenants.end', tenantId }])
      expect(await host.signIn.tenants.end({ tenantId })).toEqual({ grants: 1 })
      expect(await host.signIn.tenants.end({ tenantId })).toEqual({ grants: 0 })
      expectError(await refresh(), 400, 'invalid_grant')
    })
  })

  describe('each call', () => {
    it('works by the id of a company that is switched off, and says in its events who made it', async () => {
      const { host, tenantId, turn } = await companies()
      const { grants, clients, customers, tenants } = host.signIn
      const clientId = await registered(host)
      for (const subject of ['ada', 'bob']) await connected(host, 'acme', clientId, subject)
      for (const subject of ['carol', 'dan', 'eve', 'fay']) await connected(host, 'acme', ownClientId, subject)
      turn('off')
      const [grant] = await grants.list({ tenantId, subject: 'carol' })
      expect(await grants.revoke({ tenantId, grantId: grant?.grantId ?? '', actor: 'one' })).toBe(true)
      expect(await grants.revokeAll({ tenantId, subject: 'dan', actor: 'two' })).toBe(1)
      expect(await grants.revokeAll({ tenantId, clientId, subject: 'bob', actor: 'three' })).toBe(1)
      expect((await customers.export({ tenantId, subject: 'ada' })).grants).toHaveLength(1)
      expect(await clients.find({ tenantId, clientId })).toMatchObject({ clientId })
      expect((await clients.list({ tenantId })).clients).toMatchObject([{ clientId }])
      expect(await clients.delete({ tenantId, clientId, actor: 'four' })).toBe(true)
      expect(await customers.erase({ tenantId, subject: 'eve', actor: 'five' })).toEqual({ grants: 1 })
      expect(await tenants.erase({ tenantId, actor: 'six' })).toEqual({ grants: 1 })
      const told = (await host.told('revoked')).map(({ subject, actor }) => `${subject} ${actor}`)
      expect(told).toEqual(['carol one', 'dan two', 'bob three', 'ada four', 'eve five', 'fay six'])
      const gone = { tenantId, clientId, actor: 'four', tenantKey: undefined }
      expect(await host.told('unregistered')).toMatchObject([gone])
    })

    it('names the company and nobody, where the host has said no more', async () => {
      const { host, tenantId } = await companies()
      const clientId = await registered(host)
      await connected(host, 'acme', clientId)
      await host.signIn.clients.delete({ tenantKey: 'acme', clientId })
      await host.signIn.clients.delete({ tenantKey: 'acme', clientId })
      const about = { tenantKey: 'acme', tenantId, clientId, actor: undefined }
      expect(await host.told('revoked')).toMatchObject([about])
      expect(await host.told('unregistered')).toMatchObject([about])
    })
  })

  describe('clients.list', () => {
    it('gives what an administrator needs to know of each registered client', async () => {
      const { host, tenantId } = await companies()
      const before = Date.now()
      const [used, idle] = [await registered(host, { client_name: 'Notes' }), await registered(host)]
      await registered(host, {}, 'globex')
      const refresh = await connected(host, 'acme', used)
      expectTokens(await refresh())
      const find = (clientId: string) => host.signIn.clients.find({ tenantKey: 'acme', clientId })
      // The library does not let the client wait for this.
      while (!(await find(used))?.inUse) await new Promise(setImmediate)
      const { clients, next } = await host.signIn.clients.list({ tenantKey: 'acme' })
      expect(next).toBeUndefined()
      expect(clients).toEqual([await find(used), await find(idle)].sort(byId))
      const [client] = clients.filter(({ clientId }) => clientId === used)
      expect(client).toMatchObject({ tenantId, clientName: 'Notes', redirectUris: [redirectUri], inUse: true })
      const { createdAt = 0, lastUsedAt = 0 } = client ?? {}
      // Another clock may set them.
      expect(createdAt).toBeGreaterThan(before - 60_000)
      expect(lastUsedAt).toBeGreaterThanOrEqual(createdAt)
    })

    it('gives each client once, page by page, also if clients are deleted in between', async () => {
      const { host, tenantId, faulty } = await companies()
      const ids = Array.from({ length: 7 }, (_, index) => `${index}-client`)
      for (const clientId of ids) await saveClient(faulty.store, { tenantId, clientId })
      const first = await host.signIn.clients.list({ tenantId, limit: 3 })
      expect(first.clients.map(({ clientId }) => clientId)).toEqual(ids.slice(0, 3))
      await host.signIn.clients.delete({ tenantId, clientId: first.next ?? '' })
      await host.signIn.clients.delete({ tenantId, clientId: ids[3] ?? '' })
      const second = await host.signIn.clients.list({ tenantId, after: first.next, limit: 3 })
      expect(second.clients.map(({ clientId }) => clientId)).toEqual(ids.slice(4))
      expect(second.next).toBe(ids[6])
      expect(await host.signIn.clients.list({ tenantId, after: second.next, limit: 3 })).toEqual({ clients: [] })
    })

    it('finds the registered copies of one assistant by where their redirect URIs lead', async () => {
      const { host } = await companies()
      const uris = {
        web: ['https://claude.ai/api/mcp/auth_callback'],
        several: ['http://127.0.0.1/callback', 'https://claude.ai:8443/callback'],
        local: ['http://localhost/callback'],
        app: ['cursor://anysphere.cursor-mcp/oauth/callback'],
        other: ['https://claude.ai.example/callback'],
      }
      const ids: Record<string, string> = {}
      for (const [name, redirect_uris] of Object.entries(uris)) ids[name] = await registered(host, { redirect_uris })
      const found = async (redirectHost: string) => {
        const { clients } = await host.signIn.clients.list({ tenantKey: 'acme', redirectHost })
        return Object.keys(ids).filter((name) => clients.some(({ clientId }) => clientId === ids[name]))
      }
      expect(await found('claude.ai')).toEqual(['web', 'several'])
      expect(await found('localhost')).toEqual(['several', 'local'])
      expect(await found('cursor:')).toEqual(['app'])
      expect(await found('elsewhere.example')).toEqual([])
      // A page says how to go on even if it shows none of the clients that it looked at.
      const none = await host.signIn.clients.list({ tenantKey: 'acme', redirectHost: 'elsewhere.example', limit: 5 })
      expect(none).toEqual({ clients: [], next: Object.values(ids).sort().at(-1) })
    })

    it('rejects if the store fails', async () => {
      const { host, faulty } = await companies()
      faulty.next('pageClients', rejects)
      const listing = host.signIn.clients.list({ tenantKey: 'acme' })
      await expect(listing).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    })
  })
}

function byId(one: { clientId: string } | undefined, other: { clientId: string } | undefined): number {
  return (one?.clientId ?? '') < (other?.clientId ?? '') ? -1 : 1
}
