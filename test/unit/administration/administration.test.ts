import { randomUUID } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { faultyStore, rejects } from '../../support/faulty-store'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { registered } from '../../support/registration'
import { expectError, expectTokens, clientId as ownClientId, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

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
    it('ends all grants of a company that is switched off, and keeps nobody from connecting again', async () => {
      const { host, tenantId, turn } = await companies()
      const clientId = await registered(host)
      const ended = [await connected(host, 'acme'), await connected(host, 'acme', clientId, 'bob')]
      await host.asCustomer({ subject: 'carol' })
      const other = await connected(host, 'globex')
      turn('off')
      expect(await host.signIn.tenants.end({ tenantId, actor })).toBe(3)
      turn('on')
      for (const refresh of ended) expectError(await refresh(), 400, 'invalid_grant')
      expectTokens(await other())
      await connected(host, 'acme', clientId, 'dan')
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
      expect(await host.signIn.tenants.end({ tenantId })).toBe(1)
      expect(await host.signIn.tenants.end({ tenantId })).toBe(0)
      expectError(await refresh(), 400, 'invalid_grant')
    })
  })

  describe('each call', () => {
    it('works by the id of a company that is switched off, and says in its events who made it', async () => {
      const { host, tenantId, turn } = await companies()
      const { grants, tenants } = host.signIn
      const clientId = await registered(host)
      for (const subject of ['ada', 'bob']) await connected(host, 'acme', clientId, subject)
      for (const subject of ['carol', 'dan', 'eve', 'fay']) await connected(host, 'acme', ownClientId, subject)
      turn('off')
      const [grant] = (await grants.list({ tenantId, subject: 'carol' })).grants
      expect(await grants.revoke({ tenantId, subject: 'carol', grantId: grant?.grantId ?? '', actor: 'one' })).toBe(
        true,
      )
      expect(await grants.revokeAll({ tenantId, subject: 'dan', actor: 'two' })).toBe(1)
      expect(await grants.revokeAll({ tenantId, clientId, subject: 'bob', actor: 'three' })).toBe(1)
      expect((await grants.export({ tenantId, subject: 'ada' })).grants).toHaveLength(1)
      expect((await grants.list({ tenantId, anyCustomer: true, clientId })).grants).toMatchObject([
        { clientId, subject: 'ada' },
      ])
      expect(await grants.revokeAll({ tenantId, clientId, actor: 'four' })).toBe(1)
      expect(await grants.revokeAll({ tenantId, subject: 'eve', actor: 'five' })).toBe(1)
      expect(await tenants.erase({ tenantId, actor: 'six' })).toBe(1)
      const told = (await host.told('revoked')).map(({ subject, actor }) => `${subject} ${actor}`)
      expect(told).toEqual(['carol one', 'dan two', 'bob three', 'ada four', 'eve five', 'fay six'])
    })

    it('names the company and nobody, where the host has said no more', async () => {
      const { host, tenantId } = await companies()
      const clientId = await registered(host)
      await connected(host, 'acme', clientId)
      await host.signIn.grants.revokeAll({ tenantKey: 'acme', clientId })
      const about = { tenantKey: 'acme', tenantId, clientId, actor: undefined }
      expect(await host.told('revoked')).toMatchObject([about])
    })
  })
}
