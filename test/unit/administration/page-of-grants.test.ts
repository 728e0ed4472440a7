import { randomUUID } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { PostgresTokenStore, postgresSchema } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { faultyStore, rejects } from '../../support/faulty-store'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const clients = ['desk', 'watch'].map((clientId) => ({
  clientId,
  clientName: `The ${clientId}`,
  redirectUris: [redirectUri],
}))
const [acme, globex] = ['acme', 'globex'].map((key) => ({ key, id: `${key} ${randomUUID()}`, clients }))
const tenantStore = new MemoryTenantStore([acme, globex].flatMap((tenant) => tenant ?? []))
const tenantKey = 'acme'

describe('grants.list, in MemoryTokenStore', () => pageOfGrants(() => new MemoryTokenStore()))

describeWithRedis('grants.list, in RedisTokenStore', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  pageOfGrants(() => new RedisTokenStore(redis, { keyPrefix: `${randomUUID()}:` }))
})

describeWithPostgres('grants.list, in PostgresTokenStore', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.query(postgresSchema())
    pool = new Pool({ connectionString: server.url })
  })
  beforeEach(() => server.query('truncate customer_sign_in.grants'))
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })
  pageOfGrants(() => new PostgresTokenStore(pool))
})

/** What every store gives to a company that looks at what its customers have connected. */
function pageOfGrants(createStore: () => TokenStore): void {
  const start = (tokenStore = createStore()) => started({ tokenStore, tenantStore })

  async function connected(host: TestSignIn, clientId: string, subject: string, key = tenantKey): Promise<void> {
    const signedIn = await host.asCustomer({ tenantKey: key, clientId, subject })
    expectTokens(await host.exchange(signedIn, { client_id: clientId }))
  }

  /** The customer and client of each grant on all pages, and how many pages there were. */
  async function all(host: TestSignIn, of: { tenantKey: string; clientId?: string; limit?: number }) {
    const found: string[] = []
    let after: string | undefined
    let pages = 0
    do {
      const page = await host.signIn.grants.list({ anyCustomer: true, ...of, after })
      found.push(...page.grants.map(({ subject, clientName }) => `${subject}: ${clientName}`))
      after = page.next
      pages++
    } while (after !== undefined)
    return { found: found.sort(), pages }
  }

  it('gives what all customers of a company have connected, page by page', async () => {
    const host = await start()
    for (const subject of ['ada', 'bob']) for (const { clientId } of clients) await connected(host, clientId, subject)
    await connected(host, 'desk', 'eve', 'globex')
    await host.asCustomer({ tenantKey, clientId: 'desk', subject: 'code only' })
    const found = ['ada: The desk', 'ada: The watch', 'bob: The desk', 'bob: The watch']
    expect((await all(host, { tenantKey })).found).toEqual(found)
    const small = await all(host, { tenantKey, limit: 2 })
    expect(small.found).toEqual(found)
    expect(small.pages).toBeGreaterThan(1)
  })

  it('gives what customers have connected with one client', async () => {
    const host = await start()
    for (const subject of ['ada', 'bob']) for (const { clientId } of clients) await connected(host, clientId, subject)
    expect((await all(host, { tenantKey, clientId: 'watch', limit: 1 })).found).toEqual([
      'ada: The watch',
      'bob: The watch',
    ])
  })

  it('works by the id of a company that the tenant store no longer has, without what its record said', async () => {
    const tokenStore = createStore()
    await connected(await start(tokenStore), 'desk', 'ada')
    const host = await started({ tokenStore, tenantStore: new MemoryTenantStore([]) })
    const page = await host.signIn.grants.list({ tenantId: acme?.id ?? '', anyCustomer: true })
    expect(page).not.toHaveProperty('next')
    expect(page.grants).toMatchObject([{ subject: 'ada', clientName: 'desk', vouchedFor: false, destinations: [] }])
  })

  it('gives no page to somebody who has made up where it begins', async () => {
    const host = await start()
    await connected(host, 'desk', 'ada')
    const { grants } = await host.signIn.grants.list({ tenantKey, anyCustomer: true, after: '~ made up \u0000' })
    expect(grants.length).toBeLessThanOrEqual(1)
  })
}

describe('grants.list of any customer', () => {
  it.each<[string, unknown, string]>([
    ['nobody’s grants', {}, 'grants.list must have a tenantKey or a tenantId, and not both'],
    [
      'two companies’ grants',
      { tenantKey, tenantId: 'acme' },
      'grants.list must have a tenantKey or a tenantId, and not',
    ],
    ['a customer’s grants and everybody’s', { tenantKey, subject: 'ada' }, 'must have a subject or anyCustomer: true'],
    ['no grants', { tenantKey, limit: 0 }, 'grants.list.limit must be a whole number from 1 to 1000'],
    ['too many grants', { tenantKey, limit: 1001 }, 'grants.list.limit must be a whole number from 1 to 1000'],
    ['a page that begins nowhere', { tenantKey, after: '' }, 'grants.list.after must be a string that is not empty'],
    ['the grants of an empty client', { tenantKey, clientId: '' }, 'grants.list.clientId must be a string that is'],
    ['words in no language', { tenantKey, language: '?' }, 'grants.list.language must be a language tag'],
  ])('refuses to give %s', async (_, of, message) => {
    const { signIn } = await started({ tenantStore })
    await expect(signIn.grants.list({ ...(of as { tenantKey: string }), anyCustomer: true })).rejects.toThrow(message)
  })

  it('has 100 grants on a page by default', async () => {
    let limit: number | undefined
    const tokenStore = new MemoryTokenStore()
    tokenStore.listGrants = async (of) => {
      limit = of.limit
      return { grants: [] }
    }
    const { signIn } = await started({ tokenStore, tenantStore })
    expect(await signIn.grants.list({ tenantKey, anyCustomer: true })).toEqual({ grants: [] })
    expect(limit).toBe(100)
  })

  it('rejects if the store fails', async () => {
    const { store, always } = faultyStore()
    const { signIn } = await started({ tokenStore: store, tenantStore })
    always('listGrants', rejects)
    await expect(signIn.grants.list({ tenantKey, anyCustomer: true })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
  })

  const grant = { clientId: 'desk', credential: { kind: 'code' }, scopes: [] }
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', [grant]],
    ['no list of grants', { grants: { 0: grant } }],
    ['a grant without a client', { grants: [grant, { ...grant, clientId: undefined }] }],
    ['a grant without a credential', { grants: [grant, { ...grant, credential: 'code' }] }],
    ['a grant without scopes', { grants: [grant, { ...grant, scopes: 'profile' }] }],
    ['something that is no grant', { grants: [grant, null] }],
    ['a number for the next page', { grants: [grant], next: 2 }],
  ])('says so if a store gives %s', async (_, page) => {
    const tokenStore = new MemoryTokenStore()
    tokenStore.listGrants = async () => page as never
    const { signIn } = await started({ tokenStore, tenantStore })
    await expect(signIn.grants.list({ tenantKey, anyCustomer: true })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      cause: { message: expect.stringContaining('tokenStore.listGrants must return a page of grants') },
    })
  })
})
