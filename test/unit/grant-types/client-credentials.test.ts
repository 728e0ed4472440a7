import { request } from 'node:http'
import { type Client, MemoryTenantStore, MemoryTokenStore, newClientSecret, type Tenant } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { releaseClock, stopClock } from '../../support/clock'
import { assertionOf, basic, clientKey, withAssertion } from '../../support/confidential-clients'
import { type Database, type DatabaseServer, postgres, redis } from '../../support/database'
import { faultyStore, hangs, losesItsAnswer, rejects } from '../../support/faulty-store'
import { recordOf, recordsOf } from '../../support/records'
import {
  clientId as assistant,
  expectError,
  type FormFields,
  redirectUri,
  type TestSignIn,
} from '../../support/sign-in'
import { started } from '../../support/started'

const { secret, hash } = newClientSecret()
const key = clientKey()
const clientId = 'nightly'
const baseUrl = 'https://assistants.example'
const issuer = `${baseUrl}/v1/acme/oauth`
const subject = 'client:nightly'
const service = { clientId, grantTypes: ['client_credentials'], secretHashes: [hash] }
const methods = ['none', 'client_secret_basic', 'private_key_jwt'] as const

/** A company whose record has this client, in place of the one that may use the grant type. */
function companyWith(client: Partial<Client> = service, company: Partial<Tenant> = {}): Tenant {
  const app = { clientId: assistant, redirectUris: [redirectUri] }
  return { key: 'acme', id: 'acme', clients: [app, client as Client], scopes: ['read', 'write'], ...company }
}

function optionsFor(...companies: Tenant[]) {
  return { tenantStore: new MemoryTenantStore(companies), clients: { authentication: methods } }
}

/** A request with a secret by HTTP Basic. */
function ask(host: TestSignIn, fields: FormFields = {}, tenantKey = 'acme', password = secret) {
  return host
    .token(tenantKey, { grant_type: 'client_credentials', ...fields })
    .set('Authorization', basic(clientId, password))
}

/** What a client gets. */
async function given(response: PromiseLike<{ status: number; body: Record<string, unknown> }>) {
  const { status, body } = await response
  expect({ status, ...body }).toEqual({
    status: 200,
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    scope: expect.any(String),
  })
  // A second may begin between the signature and the response.
  expect([3599, 3600]).toContain(body.expires_in)
  return { token: String(body.access_token), scope: body.scope, claims: Object(decode(String(body.access_token))) }
}

const servicesOf = (host: TestSignIn) => recordsOf(host.tokenStore, 'acme', subject)

const metadataOf = async (host: TestSignIn, tenantKey: string) =>
  (await fetch(`${host.url}/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`)).text()

afterEach(releaseClock)

describe('client_credentials over MemoryTokenStore', () => {
  suite((options) => started({ ...options, tokenStore: new MemoryTokenStore(), baseUrl }))
})

for (const database of [redis, postgres]) overDatabase(database)

function overDatabase(database: Database): void {
  database.describe(`client_credentials over ${database.name}`, () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await database.start()
    })
    afterAll(() => server.stop())
    beforeEach(() => database.clear(server))

    suite((options) => database.startedOn(server.port, options))
  })
}

function suite(start: (options: object) => Promise<TestSignIn>): void {
  it('gives a client an access token for itself, without a refresh token, and tells the host', async () => {
    const host = await start(optionsFor(companyWith()))
    const { token, scope, claims } = await given(ask(host))
    expect(scope).toBe('read write')
    expect(claims).toMatchObject({ sub: subject, client_id: clientId, tenant_id: 'acme', aud: issuer })
    const [grant, ...others] = await servicesOf(host)
    expect(others).toEqual([])
    const about = { clientId, subject, grantId: claims.grant_id, scopes: ['read', 'write'] }
    expect(grant).toMatchObject(about)
    expect(grant).not.toHaveProperty('credential')
    const issued = { type: 'issued', grantType: 'client_credentials', tenantKey: 'acme', tenantId: 'acme', ...about }
    expect(await host.told('issued')).toMatchObject([{ ...issued, resource: issuer }])
    await expect(
      host.signIn.verifyAccessToken(token, { tenantKey: 'acme', accepts: ['client'], checkRevocation: true }),
    ).resolves.toMatchObject({ kind: 'client', subject, clientId, scopes: ['read', 'write'] })
  })

  it('has a grant like others, which is listed, exported, ended and erased', async () => {
    const clock = stopClock()
    const host = await start(optionsFor(companyWith()))
    const { grants } = host.signIn
    const passes = async (token: string) =>
      host.signIn.verifyAccessToken(token, { tenantKey: 'acme', accepts: ['client'], checkRevocation: true }).then(
        () => true,
        ({ reason }) => reason,
      )
    const acme = { tenantKey: 'acme' }
    const ends: ((grantId: string) => Promise<unknown>)[] = [
      (grantId) => grants.revoke({ ...acme, subject, grantId }),
      () => grants.revokeAll({ ...acme, clientId }),
      () => grants.revokeAll({ ...acme, subject }),
    ]
    for (const end of ends) {
      const { token, claims } = await given(ask(host))
      const grantId = claims.grant_id
      const listed = { grantId, clientId, subject, vouchedFor: true }
      expect(await grants.list({ ...acme, subject })).toMatchObject({ grants: [listed] })
      expect(await grants.export({ ...acme, subject })).toMatchObject({ grants: [{ grantId, usedAt: [] }] })
      expect(await passes(token)).toBe(true)
      await end(grantId)
      expect(await passes(token)).toBe('ended_or_lost')
      expect(await servicesOf(host)).toEqual([])
      // A request in the millisecond of an end may have come before it, and is asked to come again.
      clock.advance(60)
    }
  })

  it('gives nothing to a client that was locked out while it held its request back', async () => {
    const company = companyWith()
    let hasAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      hasAsked = resolve
    })
    const tenantStore = {
      findTenant: () => {
        hasAsked()
        return { ...company }
      },
    }
    const host = await start({ tenantStore, clients: { authentication: methods } })
    const held = request(`${host.url}/v1/acme/oauth/token`, {
      method: 'POST',
      headers: {
        Authorization: basic(clientId, secret),
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': 'grant_type=client_credentials'.length,
      },
    })
    const status = new Promise((answered) => held.once('response', (res) => answered(res.resume().statusCode)))
    held.flushHeaders()
    await asked
    company.clients = []
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', clientId })
    held.end('grant_type=client_credentials')
    expect(await status).toBe(503)
    expect(await servicesOf(host)).toEqual([])
    expectError(await ask(host), 401, 'invalid_client')
  })

  it('ends a token that its client revokes', async () => {
    const host = await start(optionsFor(companyWith()))
    const { token } = await given(ask(host))
    await host.revoke({ token, client_id: undefined }).set('Authorization', basic(clientId, secret)).expect(200)
    expect(await servicesOf(host)).toEqual([])
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client', subject }])
  })
}

describe('client_credentials', () => {
  it('gives what the request asks for, as far as the company offers it to the client', async () => {
    const scopes = ['read', 'write', 'admin']
    const host = await started(optionsFor(companyWith({ ...service, scopes: ['read', 'write'] }, { scopes })))
    expect((await given(ask(host))).scope).toBe('read write')
    expect((await given(ask(host, { scope: 'write admin' }))).scope).toBe('write')
    expect((await given(ask(host, { scope: 'openid email' }))).scope).toBe('read write')
    expectError(await ask(host, { scope: 'admin' }), 400, 'invalid_scope')
  })

  it('gives a token for the resource of the request, or for the company’s first', async () => {
    const resources = ['https://api.acme.example/mcp', 'https://files.acme.example']
    const host = await started(optionsFor(companyWith(service, { resources })))
    expect((await given(ask(host))).claims.aud).toBe(resources[0])
    expect((await given(ask(host, { resource: resources[1] }))).claims.aud).toBe(resources[1])
    expectError(await ask(host, { resource: 'https://elsewhere.example' }), 400, 'invalid_target')
  })

  it('takes an assertion of the client once, and none of a request that asks for what it cannot have', async () => {
    const { secretHashes: _, ...client } = service
    const host = await started(optionsFor(companyWith({ ...client, jwks: { keys: [key.jwk] } })))
    const proof = withAssertion(assertionOf(key, clientId, host.issuer()))
    const present = (fields: FormFields = {}) =>
      host.token('acme', { grant_type: 'client_credentials', ...proof, ...fields })
    expectError(await present({ scope: 'admin' }), 400, 'invalid_scope')
    expectError(await present({ resource: 'https://elsewhere.example' }), 400, 'invalid_target')
    await given(present())
    expectError(await present(), 401, 'invalid_client')
    expect((await host.told('denied')).at(-1)).toMatchObject({ reason: 'replayed' })
    expect(await servicesOf(host)).toHaveLength(1)
  })

  it('tells accessTokenClaims, which can refuse', async () => {
    const seen: unknown[] = []
    const host = await started({
      ...optionsFor(companyWith()),
      accessTokenClaims: (request) => {
        seen.push(request)
        return seen.length > 1 ? Promise.reject(new Error('down')) : { plan: 'gold' }
      },
    })
    expect((await given(ask(host))).claims).toMatchObject({ plan: 'gold', sub: subject })
    expect(seen).toMatchObject([{ grantType: 'client_credentials', subject, clientId, scopes: ['read', 'write'] }])
    expectError(await ask(host), 503, 'temporarily_unavailable')
    expect(await servicesOf(host)).toHaveLength(1)
  })

  it('lives as long as its token', async () => {
    const clock = stopClock()
    const host = await started(optionsFor(companyWith(service, { accessTokenLifetime: 600 })))
    const { body } = await ask(host)
    expect(body.expires_in).toBe(600)
    clock.advance(599)
    expect(await servicesOf(host)).toHaveLength(1)
    clock.advance(1)
    expect(await servicesOf(host)).toEqual([])
  })

  it('keeps no more grants of a client than grants.perClient', async () => {
    const host = await started({ ...optionsFor(companyWith()), grants: { perClient: 2 } })
    for (let count = 0; count < 4; count++) await given(ask(host))
    expect(await servicesOf(host)).toHaveLength(2)
    expect(await host.told('revoked')).toMatchObject([
      { reason: 'too_many', subject },
      { reason: 'too_many', subject },
    ])
  })
})

describe('client_credentials is refused', () => {
  const own = { clientId, secretHashes: [hash] }
  const refusals: [string, Partial<Client>, number, string, string][] = [
    ['a client whose record does not say that it may use it', own, 400, 'unauthorized_client', 'unauthorized_client'],
    [
      'a client whose record names other grant types',
      { ...own, grantTypes: ['authorization_code', 'refresh_token'] },
      400,
      'unauthorized_client',
      'unauthorized_client',
    ],
  ]
  it.each(refusals)('to %s', async (_, client, status, error, reason) => {
    const host = await started(optionsFor(companyWith({ redirectUris: [redirectUri], ...client })))
    expectError(await ask(host), status, error)
    expect(await host.told('denied')).toMatchObject([{ where: 'token', reason, tenantKey: 'acme' }])
    expect(await servicesOf(host)).toEqual([])
  })

  it.each([
    [
      'without proof',
      (host: TestSignIn) => host.token('acme', { grant_type: 'client_credentials', client_id: clientId }),
      'not_authenticated',
    ],
    [
      'with a wrong secret',
      (host: TestSignIn) => ask(host, {}, 'acme', newClientSecret().secret),
      'authentication_failed',
    ],
    ['with an empty secret', (host: TestSignIn) => ask(host, {}, 'acme', ''), 'not_authenticated'],
  ])('to the client %s', async (_, request, reason) => {
    const host = await started(optionsFor(companyWith()))
    expectError(await request(host), 401, 'invalid_client')
    expect(await host.told('denied')).toMatchObject([{ where: 'token', reason }])
    expect(await servicesOf(host)).toEqual([])
  })

  it('to a public client, whatever its record says', async () => {
    const host = await started(optionsFor(companyWith({ clientId, grantTypes: ['client_credentials'] })))
    const request = host.token('acme', { grant_type: 'client_credentials', client_id: clientId })
    expectError(await request, 401, 'invalid_client')
    expect(await host.told('denied')).toMatchObject([{ reason: 'not_authenticated', detail: { clientId } }])
    expect(await servicesOf(host)).toEqual([])
  })

  it('to a client of another company', async () => {
    const globex = { key: 'globex', id: 'globex' }
    const host = await started(optionsFor(companyWith(), globex))
    expectError(await ask(host, {}, 'globex'), 401, 'invalid_client')
  })
})

describe('a store that fails', () => {
  it('gives 503, and a token when the client comes again', async () => {
    const faults = faultyStore()
    const host = await started({ ...optionsFor(companyWith()), tokenStore: faults.store })
    faults.always('createGrant', rejects)
    const response = await ask(host)
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(await host.told('error')).toMatchObject([{ where: 'token', reason: 'token_store_failed' }])
    expect(await host.told('issued')).toEqual([])
    faults.recover()
    await given(ask(host))
  })

  it.each([
    ['is lost', losesItsAnswer],
    ['never comes', hangs],
  ])('and whose reply %s once leaves one grant, that of the token', async (_, fault) => {
    const faults = faultyStore()
    const host = await started({ ...optionsFor(companyWith()), tokenStore: faults.store, hostTimeout: 1 })
    faults.next('createGrant', fault)
    const { claims } = await given(ask(host))
    expect(await recordOf(faults.healthy, 'acme', subject)).toMatchObject({ grantId: claims.grant_id })
  })
})

describe('the metadata of a company', () => {
  const standard = ['authorization_code', 'refresh_token']

  it('lists client_credentials where a client may use it, and is as it was everywhere else', async () => {
    const without = companyWith(
      { ...service, grantTypes: standard, redirectUris: [redirectUri] },
      { key: 'globex', id: 'globex' },
    )
    const host = await started({ ...optionsFor(companyWith(), without), baseUrl })
    const before = await metadataOf(host, 'globex')
    const listing = await metadataOf(host, 'acme')
    expect(JSON.parse(listing).grant_types_supported).toEqual([...standard, 'client_credentials'])
    expect(JSON.parse(before).grant_types_supported).toEqual(standard)
    expect(listing.replaceAll('acme', 'globex').replace(',"client_credentials"', '')).toBe(before)
    expect(await metadataOf(host, 'globex')).toBe(before)
  })

  it('changes with the record of its client', async () => {
    const client: Partial<Client> = { ...service }
    const company = companyWith(client)
    const host = await started({ tenantStore: { findTenant: () => company }, clients: { authentication: methods } })
    const listed = async () => JSON.parse(await metadataOf(host, 'acme')).grant_types_supported.length
    expect(await listed()).toBe(3)
    client.secretHashes = undefined
    expect(await listed()).toBe(2)
    client.secretHashes = [hash]
    expect(await listed()).toBe(3)
  })

  it('does not list it if the client’s method is off', async () => {
    const host = await started({
      ...optionsFor(companyWith()),
      clients: { authentication: ['none', 'private_key_jwt'] },
    })
    expect(JSON.parse(await metadataOf(host, 'acme')).grant_types_supported).toEqual(standard)
  })
})
