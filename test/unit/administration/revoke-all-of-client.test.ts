import { randomUUID } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { RedisTokenStore } from 'customer-sign-in/redis'
import type { Grant, NewGrant, TokenStore } from 'customer-sign-in/store'
import { Redis } from 'ioredis'
import { customerHandle } from '../../../src/protocol/customer-handle'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const compromised = 'https://assistant.example/client.json?v=*[1]'
const tenants = ['acme', 'acme*', 'ac?e'].map((id, index) => ({
  key: `tenant-${index}`,
  id,
  clients: [clientId, compromised].map((each) => ({ clientId: each, redirectUris: [redirectUri] })),
}))
const [acme, ...others] = tenants.map(({ key }) => key)
const all = { tenantKey: acme ?? '', clientId: compromised }

describe('grants.revokeAll of a client, in MemoryTokenStore', () => revokeAllOfClient(() => new MemoryTokenStore()))

describeWithRedis('grants.revokeAll of a client, in RedisTokenStore', () => {
  let server: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect()
  })

  const storeWith = (options: object) => () => {
    const client = new Redis(server.port, '127.0.0.1', options)
    clients.push(client)
    return new RedisTokenStore(client, { keyPrefix: `${randomUUID()}:` })
  }
  revokeAllOfClient(storeWith({}))
  describe('with the host’s own key prefix', () => revokeAllOfClient(storeWith({ keyPrefix: 'host*[1]?:' })))
})

/** What every store guarantees when a client is compromised. */
function revokeAllOfClient(createStore: () => TokenStore): void {
  const start = (tokenStore = createStore()) => started({ tokenStore, tenantStore: new MemoryTenantStore(tenants) })

  /** Connects a client of a customer at a tenant. */
  async function connect(
    host: Awaited<ReturnType<typeof start>>,
    client = compromised,
    tenantKey = acme,
    subject = 'ada',
  ) {
    const signedIn = await host.asCustomer({ tenantKey, clientId: client, subject })
    const tokens = expectTokens(await host.exchange(signedIn, { client_id: client }))
    return { refresh: () => host.refresh(tokens.refresh_token, { client_id: client }, tenantKey), ...tokens }
  }

  it('ends every grant of the client, whichever customer connected it, and tells the host of each', async () => {
    const host = await start()
    const subjects = ['ada', 'bob', 'bob']
    const connected = await Promise.all(subjects.map((subject) => connect(host, compromised, acme, subject)))
    expect(await host.signIn.grants.revokeAll(all)).toBe(3)
    for (const { refresh, access_token } of connected) {
      expectError(await refresh(), 400, 'invalid_grant')
      const check = host.signIn.verifyAccessToken(access_token, { tenantKey: all.tenantKey, checkRevocation: true })
      await expect(check).rejects.toMatchObject({ code: 'invalid_token' })
    }
    const told = await host.told('revoked')
    expect(told.map(({ reason, subject }) => `${reason} ${subject}`).sort()).toEqual([
      'host ada',
      'host bob',
      'host bob',
    ])
    expect((await host.signIn.grants.list({ tenantKey: all.tenantKey, subject: 'ada' })).grants).toEqual([])
  })

  it('ends no grant of another client or tenant, however similar their names', async () => {
    const host = await start()
    await connect(host)
    const kept = [
      await connect(host, clientId),
      ...(await Promise.all(others.map((key) => connect(host, compromised, key)))),
    ]
    expect(await host.signIn.grants.revokeAll(all)).toBe(1)
    for (const { refresh } of kept) expectTokens(await refresh())
    expect(await host.signIn.grants.revokeAll({ tenantKey: others[0] ?? '', clientId: compromised })).toBe(1)
    expect(await host.signIn.grants.revokeAll({ tenantKey: others[1] ?? '', clientId: 'nobody' })).toBe(0)
  })

  it('ends grants whose code is not redeemed yet', async () => {
    const host = await start()
    const signedIn = await host.asCustomer({ ...all, subject: 'ada' })
    expect(await host.signIn.grants.revokeAll(all)).toBe(1)
    expectError(await host.exchange(signedIn, { client_id: compromised }), 400, 'invalid_grant')
  })

  it('ends more grants than a store gives at a time', async () => {
    const host = await start()
    const many = Array.from({ length: 2500 }, (_, index) => grantOf(index % 5 === 0 ? clientId : compromised))
    await Promise.all(many.map((grant) => host.tokenStore.createGrant(grant)))
    expect(await host.signIn.grants.revokeAll(all)).toBe(2000)
    expect(await host.signIn.grants.revokeAll({ ...all, clientId })).toBe(500)
  })

  it('ends only the grants of one customer if both are named', async () => {
    const host = await start()
    const [mine, other, another] = [
      await connect(host, compromised, acme, 'ada'),
      await connect(host, clientId, acme, 'ada'),
      await connect(host, compromised, acme, 'bob'),
    ]
    expect(await host.signIn.grants.revokeAll({ ...all, subject: 'ada' })).toBe(1)
    expectError(await mine.refresh(), 400, 'invalid_grant')
    for (const { refresh } of [other, another]) expectTokens(await refresh())
  })

  it('rejects if the store fails, and ends the rest if it is called again', async () => {
    const healthy = createStore()
    let failing = true
    const tokenStore = wrapStore(healthy, async ({ method, apply }) => {
      const result = await apply()
      return method === 'deleteGrants' && failing ? failingAfter(1, result as AsyncIterable<Grant>) : result
    })
    const host = await start(tokenStore)
    for (const subject of ['ada', 'bob', 'eve']) await connect(host, compromised, acme, subject)
    await expect(host.signIn.grants.revokeAll(all)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(await host.told('error')).toMatchObject([
      { where: 'grants.revokeAll', error: new Error('The store is out of reach') },
    ])
    failing = false
    expect(await host.signIn.grants.revokeAll(all)).toBe(2)
    expect(await host.told('revoked')).toHaveLength(3)
  })

  it('does not change the client: customers can connect it again', async () => {
    const host = await start()
    await connect(host)
    await host.signIn.grants.revokeAll(all)
    expectTokens(await (await connect(host)).refresh())
  })

  it('rejects for an unknown tenant', async () => {
    const host = await start()
    const asked = host.signIn.grants.revokeAll({ tenantKey: 'nobody', clientId })
    await expect(asked).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })
}

function grantOf(client: string): NewGrant {
  const subject = `customer ${randomUUID()}`
  return {
    tenantId: 'acme',
    grantId: customerHandle('acme', subject) + randomUUID().slice(0, 16),
    clientId: client,
    subject,
    scopes: ['profile'],
    resource: 'https://acme.example',
    credential: { kind: 'code', hash: randomUUID() },
    request: { redirectUri, codeChallenge: randomUUID() },
    lifetime: 60_000,
    deadline: Number.MAX_SAFE_INTEGER,
  }
}

async function* failingAfter(count: number, grants: AsyncIterable<Grant>): AsyncIterable<Grant> {
  let given = 0
  for await (const grant of grants) {
    yield grant
    if (++given === count) throw new Error('The store is out of reach')
  }
}
