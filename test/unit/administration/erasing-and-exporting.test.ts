import { randomUUID } from 'node:crypto'
import { type ExportedGrant, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { Grant, TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createGrant, newId, unicode } from '../../../src/store-contract/records'
import { faultyStore, losesItsAnswer, rejects } from '../../support/faulty-store'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { recordsOf } from '../../support/records'
import { redisContents } from '../../support/redis-contents'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { registered } from '../../support/registration'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const own = { clients: [{ clientId, clientName: 'The assistant', redirectUris: [redirectUri] }] }
const acme = { key: 'acme', id: 'company-1', scopes: ['profile', 'calendar'], ...own }
const globex = { key: 'globex', scopes: ['profile'], ...own }
const customer = { tenantKey: 'acme', subject: 'ada' }

/** A store, and everything in it. */
interface Store {
  tokenStore: TokenStore
  contents(): Promise<unknown>
}

describe('what MemoryTokenStore has', () =>
  exportsAndErases(async () => {
    const tokenStore = new MemoryTokenStore()
    return { tokenStore, contents: async () => tokenStore.contents() }
  }))

describeWithRedis('what RedisTokenStore has', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.port, '127.0.0.1')
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  exportsAndErases(async () => {
    await server.command('FLUSHALL')
    return { tokenStore: new RedisTokenStore(redis), contents: () => redisContents([server]) }
  })
})

describeWithPostgres('what PostgresTokenStore has', () => {
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

  exportsAndErases(async () => {
    const tables = ['grants', 'used_ids'].map((table) => `customer_sign_in.${table}`)
    await pool.query(`truncate ${tables.join()}`)
    const rowsOf = async (table: string) => (await pool.query(`select * from ${table}`)).rows
    return { tokenStore: new PostgresTokenStore(pool), contents: () => Promise.all(tables.map(rowsOf)) }
  })
})

/** What every store guarantees to a host that must export or erase a customer, or erase a company. */
function exportsAndErases(createStore: () => Promise<Store>): void {
  let store: Store
  beforeEach(async () => {
    store = await createStore()
  })

  /** A host with these companies. */
  const start = (tokenStore = store.tokenStore, tenants: { key: string }[] = [acme, globex]) =>
    started({ tokenStore, tenantStore: new MemoryTenantStore(tenants), replayTolerance: 60 })

  async function exportAll(host: TestSignIn, limit?: number): Promise<ExportedGrant[][]> {
    const pages: ExportedGrant[][] = []
    let after: string | undefined
    do {
      const page = await host.signIn.grants.export({ ...customer, after, limit })
      pages.push(page.grants)
      after = page.next
    } while (after !== undefined)
    return pages
  }

  const createGrants = (count: number, members: object) =>
    Promise.all(
      Array.from({ length: count }, () =>
        createGrant(store.tokenStore, { tenantId: acme.id, subject: 'ada', ...members }),
      ),
    )

  describe('grants.export', () => {
    it('gives all that the store has about a grant, as plain JSON', async () => {
      const host = await start()
      const tokens = await host.connected({ ...customer, scopes: 'calendar', claims: { plan: 'gold', [unicode]: [1] } })
      const [before] = (await host.signIn.grants.export(customer)).grants
      expectTokens(await host.refresh(tokens.refresh_token))
      const { grants, next } = await host.signIn.grants.export(customer)
      const [grant] = await recordsOf(store.tokenStore, acme.id, 'ada')
      expect(next).toBeUndefined()
      expect(grants).toEqual([
        {
          grantId: grant?.grantId,
          clientId,
          clientName: 'The assistant',
          scopes: ['calendar'],
          resource: host.issuer(),
          claims: { plan: 'gold', [unicode]: [1] },
          createdAt: grant?.createdAt,
          lastUsedAt: grant?.swap?.at,
          usedAt: [grant?.swap?.at, before?.lastUsedAt],
          expiresAt: grant?.expiresAt,
        },
      ])
      expect(JSON.parse(JSON.stringify(grants))).toEqual(grants)
    })

    it('gives a sign-in whose code is not redeemed yet, with the address that the code was sent to', async () => {
      const host = await start()
      await host.asCustomer(customer)
      const [grant] = (await host.signIn.grants.export(customer)).grants
      expect(grant).toMatchObject({ redirectUri, usedAt: [] })
      expect(grant).not.toHaveProperty('lastUsedAt')
    })

    it('gives no hash, no code, no token and nothing else that could redeem a grant', async () => {
      const host = await start()
      const { codeVerifier, code } = await host.asCustomer(customer)
      const { refresh_token } = await host.connected(customer)
      const exported = JSON.stringify(await host.signIn.grants.export(customer))
      for (const { credential, swap, request, redeemed = [] } of await recordsOf(store.tokenStore, acme.id, 'ada')) {
        const secrets = [credential?.hash, swap?.attempt, request?.codeChallenge, ...redeemed.map(({ mark }) => mark)]
        for (const secret of secrets) if (secret) expect(exported).not.toContain(secret)
      }
      for (const secret of [codeVerifier, code, refresh_token]) expect(exported).not.toContain(secret)
    })

    it('names a client that registered itself, and none of which nothing is known', async () => {
      const host = await start()
      const clientId = await registered(host, { client_name: 'Notes 中 😀' })
      await createGrants(1, { clientId })
      await createGrants(1, { clientId: 'gone' })
      const { grants } = await host.signIn.grants.export(customer)
      const names = Object.fromEntries(grants.map((grant) => [grant.clientId, grant.clientName]))
      expect(names).toEqual({ [clientId]: 'Notes 中 😀', gone: undefined })
      expect(grants.find((grant) => grant.clientId === 'gone')).not.toHaveProperty('clientName')
    })

    it('gives when a grant ends at the latest, if the host has such a limit', async () => {
      const host = await start()
      await host.connected(customer)
      const [unlimited] = (await host.signIn.grants.export(customer)).grants
      expect(unlimited).not.toHaveProperty('endsAt')
      await host.signIn.grants.revokeAll(customer)
      const withLimit = await started({
        tokenStore: store.tokenStore,
        tenantStore: new MemoryTenantStore([acme]),
        lifetimes: { grant: 600 },
      })
      await withLimit.connected(customer)
      const [limited] = (await host.signIn.grants.export(customer)).grants
      expect(limited?.endsAt).toBe((limited?.createdAt ?? 0) + 600_000)
    })

    it('gives each of 250 grants once, page by page, also if grants end in between', async () => {
      const idsOf = (exported: readonly { grantId: string }[]) => exported.map(({ grantId }) => grantId).sort()
      const grants = await createGrants(250, {})
      const host = await start()
      const ids = idsOf(grants)
      const pages = await exportAll(host)
      expect(pages.map((page) => page.length)).toEqual([100, 100, 50])
      expect(idsOf(pages.flat())).toEqual(ids)
      const first = await host.signIn.grants.export({ ...customer, limit: 125 })
      const [gone = ''] = ids.filter((id) => !idsOf(first.grants).includes(id))
      for (const grantId of [gone, ...idsOf(first.grants)]) await store.tokenStore.deleteGrant(acme.id, grantId)
      const rest = await host.signIn.grants.export({ ...customer, after: first.next, limit: 124 })
      expect(idsOf([...first.grants, ...rest.grants])).toEqual(ids.filter((id) => id !== gone))
      expect(rest).not.toHaveProperty('next')
      const [one, all] = [1, 1000].map((limit) => host.signIn.grants.export({ ...customer, limit }))
      expect(await one).toMatchObject({ grants: [expect.anything()], next: expect.any(String) })
      expect((await all)?.grants).toHaveLength(124)
    })

    it('gives the grants of each customer, whatever the ids of these begin with', async () => {
      const host = await start()
      for (const subject of Array.from({ length: 20 }, (_, at) => `customer-${at}`)) {
        const [grant] = await createGrants(1, { subject })
        const { grants } = await host.signIn.grants.export({ ...customer, subject })
        expect(grants.map(({ grantId }) => grantId)).toEqual([grant?.grantId])
      }
    })

    it('gives nothing of other customers and companies', async () => {
      await createGrants(1, { subject: 'ada2' })
      await createGrants(1, { tenantId: 'key:globex' })
      const host = await start()
      expect(await host.signIn.grants.export(customer)).toEqual({ grants: [] })
    })

    it('gives what is the caller’s own, so that no change of it changes the store', async () => {
      const host = await start()
      await host.connected({ ...customer, claims: { plan: 'gold' } })
      const [grant] = (await host.signIn.grants.export(customer)).grants
      grant?.scopes.push('admin')
      Object.assign(grant?.claims ?? {}, { plan: 'platinum' })
      const [again] = (await host.signIn.grants.export(customer)).grants
      expect(again).toMatchObject({ scopes: acme.scopes, claims: { plan: 'gold' } })
    })

    it('rejects if the store fails, with nothing of an unfinished page', async () => {
      const failing = wrapStore(store.tokenStore, ({ method, apply }) =>
        method === 'listGrants' ? Promise.reject(new Error('away')) : apply(),
      )
      const host = await start(failing)
      await expect(host.signIn.grants.export(customer)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    })
  })

  describe('grants.revokeAll of a customer', () => {
    it('ends the grants of a customer, says so once for each, and leaves nothing about the customer', async () => {
      const host = await start()
      const mine = [await host.connected(customer), await host.connected(customer)]
      await host.asCustomer(customer)
      const other = await host.connected({ ...customer, subject: 'bob' })
      expect(await host.signIn.grants.revokeAll(customer)).toBe(3)
      expect(await host.signIn.grants.revokeAll(customer)).toBe(0)
      for (const { refresh_token } of mine) expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      expectTokens(await host.refresh(other.refresh_token))
      expect(JSON.stringify(await store.contents())).not.toContain('ada')
      expect(await host.signIn.grants.export(customer)).toEqual({ grants: [] })
      const told = await host.told('revoked')
      expect(told).toHaveLength(3)
      expect(new Set(told.map(({ grantId }) => grantId)).size).toBe(3)
      for (const event of told) {
        expect(event).toMatchObject({ reason: 'host', tenantKey: 'acme', tenantId: acme.id, subject: 'ada' })
      }
    })

    it('finishes what a call left that failed in the middle of 1,200 grants', async () => {
      await createGrants(1200, { subject: unicode })
      const [other] = await createGrants(1, { subject: `${unicode}2` })
      let left = 500
      const failing = wrapStore(store.tokenStore, async ({ method, apply }) => {
        const result = await apply()
        return method === 'deleteGrants' ? cutOff(result as AsyncIterable<Grant>, () => left-- > 0) : result
      })
      const host = await start(failing)
      const of = { tenantKey: 'acme', subject: unicode }
      await expect(host.signIn.grants.revokeAll(of)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      expect(await host.told('error')).toMatchObject([
        { where: 'grants.revokeAll', reason: 'token_store_failed', tenantId: acme.id, subject: unicode },
      ])
      left = Number.POSITIVE_INFINITY
      const grants = await host.signIn.grants.revokeAll(of)
      const told = await host.told('revoked')
      expect(new Set(told.map(({ grantId }) => grantId)).size).toBe(told.length)
      // The broken connection did not bring all that the store had deleted.
      expect(told).toHaveLength(500 + grants)
      expect(grants).toBeGreaterThan(0)
      expect(await recordsOf(store.tokenStore, acme.id, unicode)).toEqual([])
      expect(await store.tokenStore.findGrant(acme.id, other?.grantId ?? '')).toBeDefined()
    })

    it('leaves nothing in the memory of the process that could bring a grant back', async () => {
      const { store: faulty, next } = faultyStore(store.tokenStore)
      const host = await start(faulty)
      const { refresh_token } = await host.connected(customer)
      const waiting = await host.asCustomer(customer)
      // The store applies both redemptions, and the process never learns that.
      next('swapCredential', losesItsAnswer, rejects, losesItsAnswer, rejects)
      expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
      expectError(await host.exchange(waiting), 503, 'temporarily_unavailable')
      expect(await host.signIn.grants.revokeAll(customer)).toBe(2)
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      expectError(await host.exchange(waiting), 400, 'invalid_grant')
      expect(JSON.stringify(await store.contents())).not.toContain('ada')
    })

    it('erases a customer of a company that is switched off, by the id of the company', async () => {
      const before = await start()
      await before.connected(customer)
      await before.connected({ tenantKey: 'globex', subject: 'ada' })
      const host = await start(store.tokenStore, [])
      await expect(host.signIn.grants.revokeAll(customer)).rejects.toMatchObject({ code: 'not_found' })
      for (const tenantId of [acme.id, 'key:globex']) {
        const of = { tenantId, subject: 'ada' }
        expect((await host.signIn.grants.export(of)).grants).toMatchObject([{ clientId }])
        expect(await host.signIn.grants.revokeAll(of)).toBe(1)
      }
      expect(JSON.stringify(await store.contents())).not.toContain('ada')
      const told = await host.told('revoked')
      expect(told.map(({ tenantKey, tenantId }) => [tenantKey, tenantId])).toEqual([
        [undefined, acme.id],
        [undefined, 'key:globex'],
      ])
    })
  })

  describe('tenants.erase', () => {
    it('leaves nothing of a company, and touches no other one', async () => {
      const host = await start()
      const mine = [await host.connected(customer), await host.connected({ ...customer, subject: unicode })]
      const other = await host.connected({ tenantKey: 'globex', subject: 'ada' })
      const [id, otherId] = [newId(), newId()]
      await store.tokenStore.useOnce(acme.id, id, 60_000)
      await store.tokenStore.useOnce('key:globex', otherId, 60_000)
      expect(await host.signIn.tenants.erase({ tenantId: acme.id })).toBe(2)
      expect(await host.signIn.tenants.erase({ tenantId: acme.id })).toBe(0)
      const contents = JSON.stringify(await store.contents())
      for (const trace of [acme.id, id]) expect(contents).not.toContain(trace)
      expect(contents).toContain(otherId)
      for (const { refresh_token } of mine) expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
      expectTokens(await host.refresh(other.refresh_token, {}, 'globex'))
      const told = await host.told('revoked')
      expect(told.map(({ reason, tenantId, subject }) => [reason, tenantId, subject]).sort()).toEqual(
        [unicode, 'ada'].map((subject) => ['host', acme.id, subject]).sort(),
      )
      for (const event of told) expect(event.tenantKey).toBeUndefined()
    })

    it('erases a company that the tenant store no longer knows, also one that had no id', async () => {
      const before = await start()
      await before.connected({ tenantKey: 'globex', subject: 'ada' })
      const host = await start(store.tokenStore, [acme])
      expect(await host.signIn.tenants.erase({ tenantId: 'globex' })).toBe(0)
      expect(await host.signIn.tenants.erase({ tenantId: 'key:globex' })).toBe(1)
      expect(JSON.stringify(await store.contents())).not.toContain('globex')
    })

    it('ends the sessions of customers who refresh at that moment, and no one else’s', async () => {
      const host = await start()
      const connect = (tenantKey: string) =>
        Promise.all(Array.from({ length: 12 }, (_, at) => host.connected({ tenantKey, subject: `customer-${at}` })))
      const [mine, others] = [await connect('acme'), await connect('globex')]
      const refreshUntilRefused = async ({ refresh_token }: { refresh_token: string }) => {
        let token = refresh_token
        for (;;) {
          const response = await host.refresh(token)
          if (response.status !== 200) return expectError(response, 400, 'invalid_grant')
          token = expectTokens(response).refresh_token
        }
      }
      const refreshing = mine.map(refreshUntilRefused)
      const elsewhere = others.map(async ({ refresh_token }) => host.refresh(refresh_token, {}, 'globex'))
      const grants = await host.signIn.tenants.erase({ tenantId: acme.id })
      await Promise.all(refreshing)
      const refreshed = (await Promise.all(elsewhere)).map((response) => expectTokens(response))
      for (const { refresh_token } of refreshed) expectTokens(await host.refresh(refresh_token, {}, 'globex'))
      expect(grants).toBe(12)
      expect(await host.told('revoked')).toHaveLength(12)
      expect(JSON.stringify(await store.contents())).not.toContain(acme.id)
    })

    it('finishes what a call left that was cut off, among 1,500 customers and 600 used ids', async () => {
      await Promise.all(Array.from({ length: 1500 }, () => createGrants(1, { subject: randomUUID() })))
      for (const tenantId of [acme.id, 'key:globex']) {
        const use = () => store.tokenStore.useOnce(tenantId, newId(), 600_000)
        for (let hundreds = 0; hundreds < 6; hundreds++) await Promise.all(Array.from({ length: 100 }, use))
      }
      const [kept] = await createGrants(1, { tenantId: `${acme.id}0` })
      let left = 700
      const failing = wrapStore(store.tokenStore, async ({ method, apply }) => {
        const result = await apply()
        return method === 'deleteGrants' ? cutOff(result as AsyncIterable<Grant>, () => left-- > 0) : result
      })
      const host = await start(failing)
      const erase = () => host.signIn.tenants.erase({ tenantId: acme.id })
      await expect(erase()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      expect(await host.told('error')).toMatchObject([{ where: 'tenants.erase', tenantId: acme.id }])
      left = Number.POSITIVE_INFINITY
      await erase()
      const told = await host.told('revoked')
      expect(new Set(told.map(({ grantId }) => grantId)).size).toBe(told.length)
      const contents = JSON.stringify(await store.contents())
      expect(contents.replaceAll(`${acme.id}0`, '')).not.toContain(acme.id)
      expect(await store.tokenStore.findGrant(`${acme.id}0`, kept?.grantId ?? '')).toBeDefined()
      expect(contents.split('globex').length).toBeGreaterThan(600)
    })
  })
}

/** A deletion whose connection breaks as soon as no more may come. */
async function* cutOff(grants: AsyncIterable<Grant>, mayComeOn: () => boolean): AsyncIterable<Grant> {
  for await (const grant of grants) {
    if (!mayComeOn()) throw new Error('The connection to the store was lost')
    yield grant
  }
}
