import { generateKeyPairSync } from 'node:crypto'
import { type CustomerSignInEvent, MemoryTenantStore, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { endAllAgain } from '../../../examples/runbook/end-all-again'
import { endAssistant } from '../../../examples/runbook/end-assistant'
import { replaysByClient } from '../../../examples/runbook/replays-by-client'
import { withoutAssistant } from '../../../examples/runbook/without-assistant'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, hangs } from '../../support/faulty-store'
import { forgedToken } from '../../support/forged-token'
import { describeWithPostgres, PostgresServer } from '../../support/postgres-server'
import { recordsOf } from '../../support/records'
import { describeWithRedis, RedisServer } from '../../support/redis-server'
import { register, registered } from '../../support/registration'
import { clientId, expectError, expectTokens, signingKey, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import { startedOnRedis } from '../../support/started-on-redis'
import type { TestOptions } from '../../support/test-options'
import { snippetsOf, textOf } from '../pages'
import { runSnippet } from './run-snippet'

const page = 'docs/runbook.md'
const keys = 'docs/keys.md'
const customer = { tenantKey: 'acme', subject: 'customer-1' }
const secret = (name: string) => name.padEnd(32, '0123456789')
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const pemOf = (key: typeof signingKey) => String(key.export({ format: 'pem', type: 'pkcs8' }))

/** The statements of SQL under a heading of the page. */
function sqlUnder(heading: string): string[] {
  const [section = ''] = textOf(page).split(`\n${heading}\n`)[1]?.split('\n## ') ?? []
  return [...section.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, code = '']) => code)
}

afterEach(releaseClock)

it('each snippet of docs/runbook.md is run by a test of this file', () => {
  expect(snippetsOf(page)).toHaveLength(6)
})

it('the metrics and alerts that docs/runbook.md names are those of docs/observability.md', () => {
  const named = [...textOf(page).matchAll(/`(customer_sign_in\.[a-z_.]+|SignIn[A-Z]\w+)`/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(5)
  const known = textOf('docs/observability.md')
  expect(named.filter((name) => !known.includes(`| ${name} |`))).toEqual([])
})

describe('A signing key has leaked', () => {
  it('a token that the thief has made is refused, and the customer goes on', async () => {
    const host = await started({ keys: { credentialSecrets: [secret('own')] } })
    const tokens = await host.connected()
    const stolen = forgedToken(tokens.access_token, { payload: { sub: 'somebody-else' } })
    const verify = (token: string) => host.signIn.verifyAccessToken(token, { tenantKey: 'acme' })
    expect(await verify(stolen)).toMatchObject({ subject: 'somebody-else' })

    const { dropLeakedKey } = await runSnippet(keys, 'async function dropLeakedKey', { signIn: host.signIn })
    await dropLeakedKey(pemOf(newKey()), pemOf(signingKey))
    for (const token of [stolen, tokens.access_token])
      await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token' })
    const refreshed = expectTokens(await host.refresh(tokens.refresh_token))
    expect(await verify(refreshed.access_token)).toMatchObject({ subject: 'customer-1' })
    const { body } = await request(host.url).get('/v1/acme/oauth/jwks').expect(200)
    expect(body.keys).toHaveLength(1)
  })

  it('a restart with the new key has the same effect', async () => {
    const shared = {
      tokenStore: new MemoryTokenStore(),
      keys: { credentialSecrets: [secret('own')] },
      baseUrl: 'https://a.example',
    }
    const before = await started(shared)
    const tokens = await before.connected()
    const stolen = forgedToken(tokens.access_token, { payload: { sub: 'somebody-else' } })
    const after = await started(shared, { keys: { signing: [newKey()] } })
    await expect(after.signIn.verifyAccessToken(stolen, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
    expectTokens(await after.refresh(tokens.refresh_token))
  })
})

describe('A credential secret has leaked', () => {
  it('customers stay signed in', async () => {
    const host = await started({ keys: { credentialSecrets: [secret('leaked')] } })
    const tokens = await host.connected()
    const { dropLeakedSecret } = await runSnippet(keys, 'async function dropLeakedSecret', { signIn: host.signIn })
    await dropLeakedSecret(secret('new'), secret('leaked'))
    const second = expectTokens(await host.refresh(tokens.refresh_token))
    expectTokens(await host.refresh(second.refresh_token))
  })

  it('after a restart with the new one too, except a client that has lost its last response', async () => {
    const shared = { tokenStore: new MemoryTokenStore(), baseUrl: 'https://a.example', refreshRetryWindow: 300 }
    const before = await started(shared, { keys: { credentialSecrets: [secret('leaked')] } })
    const [tokens, unlucky] = [await before.connected(), await before.connected({ subject: 'customer-2' })]
    expectTokens(await before.refresh(unlucky.refresh_token))
    const after = await started(shared, { keys: { credentialSecrets: [secret('new')] } })
    expectTokens(await after.refresh(tokens.refresh_token))
    expectError(await after.refresh(unlucky.refresh_token), 400, 'invalid_grant')
  })

  it('ending everything signs the customers of all companies out', async () => {
    const host = await started()
    const tokens = await host.connected()
    const elsewhere = await host.connected({ tenantKey: 'globex' })
    const { endEverything } = await runSnippet(keys, 'async function endEverything', { signIn: host.signIn })
    await endEverything(['acme', 'globex'])
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(elsewhere.refresh_token, {}, 'globex'), 400, 'invalid_grant')
    expect((await host.told('revoked')).map(({ actor }) => actor)).toEqual(['staff:on-call', 'staff:on-call'])
  })
})

describeWithRedis('The store is lost, or was restored from a backup', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await RedisServer.start()
  })
  afterEach(() => server.stop())

  const start = () => startedOnRedis(server.port, { redis: { maxRetriesPerRequest: null }, replayTolerance: 0 })

  it('an empty store: customers sign in again, and clients keep their registration', async () => {
    const host = await start()
    const registeredClient = await registered(host)
    const tokens = await host.connected()
    await server.command('FLUSHALL')
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    expect(await host.told('denied')).toMatchObject([{ reason: 'ended_or_lost' }])
    expectTokens(await host.refresh((await host.connected()).refresh_token))
    const again = await host.exchange(await host.asCustomer({ clientId: registeredClient }), {
      client_id: registeredClient,
    })
    expectTokens(again)
  })

  it('a backup: what had ended since lives again, until it is ended again', async () => {
    const host = await start()
    const [kept, disconnected, stolen] = [await host.connected(), await host.connected(), await host.connected()]
    await server.command('SAVE')
    const [grant] = (await host.signIn.grants.list(customer)).grants.filter(isOf(disconnected.access_token))
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'customer-1', grantId: grant?.grantId ?? '' })
    const newest = expectTokens(await host.refresh(stolen.refresh_token))
    expectError(await host.refresh(stolen.refresh_token), 400, 'invalid_grant')
    expectError(await host.refresh(newest.refresh_token), 400, 'invalid_grant')
    await server.kill('SIGKILL')
    await server.start()

    expect((await host.signIn.grants.list(customer)).grants).toHaveLength(3)
    expect(await endAllAgain(host.signIn, [...host.events])).toBe(2)
    for (const { refresh_token } of [disconnected, stolen, newest])
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(kept.refresh_token))
  })
})

describe('The store is slow or down', () => {
  it('a refresh gets 503, an event says why, and nobody is signed out', async () => {
    const { store, always, recover } = faultyStore()
    const host = await started({ tokenStore: store, hostTimeout: 1 })
    const tokens = await host.connected()
    always('swapCredential', hangs)
    const refused = await host.refresh(tokens.refresh_token)
    expectError(refused, 503, 'temporarily_unavailable')
    expect(await host.told('error')).toMatchObject([{ reason: 'token_store_failed' }])
    const [{ error } = { error: new Error() }] = await host.told('error')
    expect(error.message).toContain('took longer than')
    expect(await host.signIn.verifyAccessToken(tokens.access_token, { tenantKey: 'acme' })).toMatchObject(customer)
    recover()
    expectTokens(await host.refresh(tokens.refresh_token))
  })
})

describe('Replays are rising', () => {
  it('the table tells a client that never stores its new token from stolen tokens', async () => {
    const clock = stopClock()
    const host = await started({ refreshRetryWindow: 300 })
    // One client presents its first refresh token each time.
    for (const subject of ['ada', 'bob']) {
      const { refresh_token } = await host.connected({ subject })
      expectTokens(await host.refresh(refresh_token))
      clock.advance(3600)
      expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    }
    // Of another, a token is stolen that the client has gone on from.
    const other = { tenantKey: 'globex', clientId: 'other-app', subject: 'eve' }
    const asOther = { client_id: 'other-app' }
    const first = expectTokens(await host.exchange(await host.asCustomer(other), asOther))
    const second = expectTokens(await host.refresh(first.refresh_token, asOther, 'globex'))
    clock.advance(1000)
    expectTokens(await host.refresh(second.refresh_token, asOther, 'globex'))
    clock.advance(1000)
    expectError(await host.refresh(first.refresh_token, asOther, 'globex'), 400, 'invalid_grant')

    await host.told('replayed')
    expect(replaysByClient(JSON.parse(JSON.stringify(host.events)) as CustomerSignInEvent[])).toEqual([
      { clientId, replays: 2, customers: 2, neverUsedItsNewToken: 2, medianAge: 3600 },
      { clientId: 'other-app', replays: 1, customers: 1, neverUsedItsNewToken: 0, medianAge: undefined },
    ])
  })
})

describeWithPostgres('A thief may have come first', () => {
  let database: PostgresServer
  const [table = '', query = ''] = sqlUnder('## A thief may have come first')
  beforeAll(async () => {
    database = await PostgresServer.start()
    await database.query(table)
  })
  afterAll(() => database.stop())

  const minutes = (count: number) => count * 60

  /** A thief redeems the refresh token that a customer's client has, and the client comes too, some seconds later. */
  async function stolen(secondsBetween: number, options: TestOptions = {}) {
    const clock = stopClock()
    const host = await started(options)
    const { refresh_token } = await host.connected()
    clock.advance(minutes(60))
    let newest = expectTokens(await host.refresh(refresh_token)).refresh_token
    clock.advance(secondsBetween)
    const ofOwner = await host.refresh(refresh_token)
    /** The thief goes on. */
    const thief = async () => {
      const response = await host.refresh(newest)
      if (response.status === 200) newest = response.body.refresh_token
      return response
    }
    return { clock, host, ofOwner, thief }
  }

  /** What the query says about the events of a host. */
  async function found({ events }: { events: readonly CustomerSignInEvent[] }): Promise<Record<string, unknown>[]> {
    await new Promise((resolve) => setImmediate(resolve))
    await database.query('truncate sign_in_events')
    for (const event of events) {
      const row = 'insert into sign_in_events values (to_timestamp($1::float8 / 1000), $2)'
      await database.query(row, [event.at, JSON.stringify(event)])
    }
    return database.query(query)
  }

  it('finds the grant that a thief goes on with, which the call ends', async () => {
    const { clock, host, ofOwner, thief } = await stolen(5)
    expectError(ofOwner, 400, 'invalid_grant')
    clock.advance(minutes(10))
    await host.connected()
    clock.advance(minutes(50))
    expectTokens(await thief())
    const [row, ...others] = await found(host)
    const [{ grantId } = { grantId: '' }] = await host.told('issued')
    expect(row).toMatchObject({ tenant_id: 'acme', subject: 'customer-1', client_id: clientId, older_grant: grantId })
    expect(row?.used_until).toEqual(new Date())
    expect(others).toEqual([])
    const named = {
      tenantId: String(row?.tenant_id),
      subject: String(row?.subject),
      grantId: String(row?.older_grant),
      actor: 'staff:42',
    }
    await host.signIn.grants.revoke(named)
    expectError(await thief(), 400, 'invalid_grant')
    expect((await host.told('denied')).at(-1)).toMatchObject({ reason: 'ended_or_lost', grantId })
  })

  it('shows the sign-in of a client that refreshed twice at once as a grant that nobody uses', async () => {
    const { clock, host } = await stolen(0)
    clock.advance(minutes(1))
    await host.connected()
    expect(await found(host)).toMatchObject([{ subject: 'customer-1', used_until: null }])
  })

  it('finds nothing where the repeat has ended the grant, where nobody has signed in again, and where others have', async () => {
    const ended = await stolen(11)
    expectError(await ended.thief(), 400, 'invalid_grant')
    await ended.host.connected()
    expect(await found(ended.host)).toEqual([])
    releaseClock()
    const { clock, host, thief } = await stolen(5)
    await host.connected({ subject: 'customer-2' })
    await host.connected({ tenantKey: 'globex' })
    const client_id = await registered(host)
    expectTokens(await host.exchange(await host.asCustomer({ clientId: client_id }), { client_id }))
    clock.advance(minutes(25 * 60))
    await host.connected()
    expectTokens(await thief())
    expect(await found(host)).toEqual([])
  })

  it('is over with replaceGrants as soon as the customer signs in again', async () => {
    const { clock, host, thief } = await stolen(5, { grants: { replace: true } })
    clock.advance(minutes(10))
    await host.connected()
    expectError(await thief(), 400, 'invalid_grant')
    expect(await found(host)).toMatchObject([{ used_until: null }])
  })

  it('shows with refreshRetryWindow that the client goes on, and who comes later than the window ends the grant', async () => {
    const { clock, host, ofOwner, thief } = await stolen(200, { refreshRetryWindow: 300 })
    const owner = expectTokens(ofOwner)
    expectTokens(await thief())
    clock.advance(minutes(60))
    expectError(await host.refresh(owner.refresh_token), 400, 'invalid_grant')
    expectError(await thief(), 400, 'invalid_grant')
    expect([await host.told('retried'), await host.told('replayed')]).toMatchObject([[{}], [{ ended: true }]])
  })
})

describe('An assistant is compromised', () => {
  it('blocked and ended, it can neither refresh nor connect, and other assistants go on', async () => {
    const [acme, ...others] = tenants as [Tenant, ...Tenant[]]
    let record = acme
    const tenantStore = { findTenant: (key: string) => [record, ...others].find((tenant) => tenant.key === key) }
    const host = await started({ tenantStore })
    // The company's own client, at another host than the compromised one's.
    record = { ...acme, clients: [{ clientId, redirectUris: ['https://travel.example/callback'] }] }
    const own = { redirectUri: 'https://travel.example/callback' }
    const good = expectTokens(await host.exchange(await host.asCustomer(own), { redirect_uri: own.redirectUri }))
    const evil = await registered(host)
    const bad = expectTokens(await host.exchange(await host.asCustomer({ clientId: evil }), { client_id: evil }))

    record = withoutAssistant(record)
    expectError(await host.refresh(bad.refresh_token, { client_id: evil }), 400, 'invalid_grant')
    await register(host).expect(400)
    const byDocument = host.asCustomer({ clientId: 'https://assistant.example/client.json' })
    await expect(byDocument).rejects.toMatchObject({ code: 'unauthorized_client' })

    await endAssistant(host.signIn, 'acme')
    record = acme
    expectError(await host.refresh(bad.refresh_token, { client_id: evil }), 400, 'invalid_grant')
    expectTokens(await host.refresh(good.refresh_token))
  })
})

describe('A customer’s account was taken over', () => {
  it('ends what is connected, says what it was, and leaves other customers alone', async () => {
    const host = await started()
    const [theirs, others] = [await host.connected(), await host.connected({ subject: 'customer-2' })]
    const [{ connectedAt } = { connectedAt: Number.NaN }] = (await host.signIn.grants.list(customer)).grants
    const { disconnectEverything } = await runSnippet(page, 'async function disconnectEverything', {
      signIn: host.signIn,
    })
    expect(await disconnectEverything('acme', 'customer-1')).toEqual([
      { clientId, clientName: clientId, since: new Date(connectedAt) },
    ])
    expectError(await host.refresh(theirs.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(others.refresh_token))
    const check = { tenantKey: 'acme', checkRevocation: true }
    await expect(host.signIn.verifyAccessToken(theirs.access_token, check)).rejects.toThrow()
    expect(await host.signIn.verifyAccessToken(theirs.access_token, { tenantKey: 'acme' })).toMatchObject(customer)
  })
})

describe('A company leaves', () => {
  it('its clients get 404, nothing of it is left, and other companies notice nothing', async () => {
    let isOn = true
    const all = new MemoryTenantStore(tenants)
    const host = await started({
      tenantStore: { findTenant: (key) => (key === 'acme' && !isOn ? null : all.findTenant(key)) },
    })
    const [theirs, others] = [await host.connected(), await host.connected({ tenantKey: 'globex' })]
    await host.connected({ subject: 'customer-2' })
    isOn = false
    expectError(await host.refresh(theirs.refresh_token), 404, 'not_found')
    const { endCompany } = await runSnippet(page, 'async function endCompany', { signIn: host.signIn })
    expect(await endCompany('acme')).toBe(2)
    expect(await recordsOf(host.tokenStore)).toEqual([])
    await expect(host.signIn.verifyAccessToken(theirs.access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'not_found',
    })
    expectTokens(await host.refresh(others.refresh_token, {}, 'globex'))
  })
})

describe('A flood of registrations', () => {
  it('leaves nothing behind, and pushes out no client that a customer uses or is about to use', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await started({ tokenStore })
    const [used, waiting] = [await registered(host), await registered(host)]
    const tokens = expectTokens(await host.exchange(await host.asCustomer({ clientId: used }), { client_id: used }))
    const before = tokenStore.contents()
    for (let each = 0; each < 200; each++) await register(host).expect(201)
    expect(tokenStore.contents()).toEqual(before)
    expectTokens(await host.refresh(tokens.refresh_token, { client_id: used }))
    expectTokens(await host.exchange(await host.asCustomer({ clientId: waiting }), { client_id: waiting }))
  })
})

/** Whether a grant is that of an access token. */
function isOf(accessToken: string) {
  const [, payload = ''] = accessToken.split('.')
  const { grant_id } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return ({ grantId }: { grantId: string }) => grantId === grant_id
}
