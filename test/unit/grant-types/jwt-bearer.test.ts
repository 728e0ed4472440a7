import { MemoryTenantStore, MemoryTokenStore, newClientSecret, type Tenant, type TrustedIssuer } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { goAlone, goTogether, releaseClock, stopClock } from '../../support/clock'
import { CompanyIssuer, jwtBearer, present, trusting } from '../../support/company-issuer'
import { assertionOf, basic, clientKey, withAssertion } from '../../support/confidential-clients'
import { type Database, type DatabaseServer, postgres, redis } from '../../support/database'
import { DocumentServer, publishing } from '../../support/document-server'
import { faultyStore, hangs, hangsOnceApplied, losesItsAnswer, rejects } from '../../support/faulty-store'
import { recordOf, recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import { clientId, expectError, type FormFields, formBody, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const subject = 'customer-1'
// Of the hosts on a database too.
const baseUrl = 'https://assistants.example'
const issuer = `${baseUrl}/v1/acme/oauth`

/** What a client gets: no refresh token. */
async function given(response: PromiseLike<{ status: number; body: Record<string, unknown> }>) {
  const { status, body } = await response
  expect({ status, ...body }).toEqual({
    status: 200,
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    scope: expect.any(String),
    resource: expect.any(String),
  })
  const claims = Object(decode(String(body.access_token)))
  expect(body.resource).toBe(claims.aud)
  return { token: String(body.access_token), scope: body.scope, claims }
}

async function startedWith(
  start: (options: TestOptions) => Promise<TestSignIn>,
  trusted: Partial<TrustedIssuer> = {},
  company: Partial<Tenant> = {},
  options: TestOptions = {},
) {
  const idp = await CompanyIssuer.start()
  const trustingOptions = trusting([idp.trusted(trusted)], company)
  const host = await start({
    ...trustingOptions,
    ...options,
    clients: { ...trustingOptions.clients, ...options.clients },
  })
  return { idp, host }
}

const denials = async (host: TestSignIn) => (await host.told('denied')).map(({ reason }) => reason)

afterEach(releaseClock)

describe('an assertion over MemoryTokenStore', () => {
  suite((options) => started({ tokenStore: new MemoryTokenStore(), baseUrl, ...options }))
})

for (const database of [redis, postgres]) overDatabase(database)

function overDatabase(database: Database): void {
  database.describeWithClock(`an assertion over ${database.name}`, () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await database.start({ clock: true })
      goTogether(server.clock)
    })
    afterAll(() => {
      goAlone(server.clock)
      return server.stop()
    })
    beforeEach(() => database.clear(server))

    suite((options) => database.startedOn(server.port, options))
  })
}

function suite(start: (options: TestOptions) => Promise<TestSignIn>): void {
  it('gives a client an access token for a customer, without a refresh token, and tells the host', async () => {
    const { idp, host } = await startedWith(start)
    const { token, scope, claims } = await given(present(host, idp.idJag(issuer)))
    expect(scope).toBe('read write')
    expect(claims).toMatchObject({ sub: subject, client_id: clientId, tenant_id: 'acme', trusted_issuer: idp.issuer })
    const grant = await recordOf(host.tokenStore)
    expect(grant).toMatchObject({ clientId, subject, grantId: claims.grant_id, scopes: ['read', 'write'] })
    expect(grant).not.toHaveProperty('credential')
    const about = { tenantKey: 'acme', tenantId: 'acme', clientId, subject, grantId: claims.grant_id }
    expect(await host.told('issued')).toMatchObject([
      { ...about, grantType: jwtBearer, issuer: idp.issuer, assertion: expect.stringMatching(/^[\w-]{43}$/) },
    ])
    await expect(
      host.signIn.verifyAccessToken(token, { tenantKey: 'acme', checkRevocation: true }),
    ).resolves.toMatchObject({ kind: 'customer', subject })
  })

  it('is taken once, also when its grant has ended', async () => {
    const { idp, host } = await startedWith(start)
    const assertion = idp.idJag(issuer)
    const { claims } = await given(present(host, assertion))
    for (let again = 0; again < 2; again++) expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore)).toHaveLength(1)
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject, grantId: claims.grant_id })
    for (let again = 0; again < 2; again++) expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore)).toEqual([])
    expect(await denials(host)).toEqual(Array(4).fill('replayed'))
    await given(present(host, idp.idJag(issuer)))
  })

  it('has a grant like others, which is listed with its issuer, exported, ended and erased', async () => {
    const { idp, host } = await startedWith(start)
    const { grants, tenants } = host.signIn
    const acme = { tenantKey: 'acme' }
    const ends: ((grantId: string) => Promise<unknown>)[] = [
      (grantId) => grants.revoke({ ...acme, subject, grantId }),
      () => grants.revokeAll({ ...acme, subject }),
    ]
    for (const end of ends) {
      // After the mark of an end, only an assertion that was issued later is taken.
      const { token, claims } = await given(present(host, idp.idJag(issuer)))
      const grantId = claims.grant_id
      expect(await grants.list({ ...acme, subject })).toMatchObject({ grants: [{ grantId, issuer: idp.issuer }] })
      expect(await grants.export({ ...acme, subject })).toMatchObject({ grants: [{ grantId, issuer: idp.issuer }] })
      await end(grantId)
      await expect(host.signIn.verifyAccessToken(token, { ...acme, checkRevocation: true })).rejects.toMatchObject({
        reason: 'ended_or_lost',
      })
    }
    await tenants.erase(acme)
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it.each<[string, (host: TestSignIn) => Promise<unknown>]>([
    ['its customer', ({ signIn }) => signIn.grants.revokeAll({ tenantKey: 'acme', subject })],
    ['its client', ({ signIn }) => signIn.grants.revokeAll({ tenantKey: 'acme', clientId })],
    ['its customer and client', ({ signIn }) => signIn.grants.revokeAll({ tenantKey: 'acme', clientId, subject })],
    ['the grants of its company', ({ signIn }) => signIn.tenants.end({ tenantKey: 'acme' })],
    ['everything of its company', ({ signIn }) => signIn.tenants.erase({ tenantKey: 'acme' })],
  ])('gives nothing once %s was ended after it was issued', async (_, end) => {
    const clock = stopClock()
    const { idp, host } = await startedWith(start)
    const before = idp.idJag(issuer)
    // An issuer whose clock is a minute ahead.
    const now = Math.floor(Date.now() / 1000)
    const ahead = idp.idJag(issuer, { claims: { iat: now + 59, exp: now + 300 } })
    await end(host)
    clock.advance(1)
    for (const assertion of [before, ahead]) expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(await denials(host)).toEqual(['asserted_before_end', 'asserted_before_end'])
    expect(await recordsOf(host.tokenStore)).toEqual([])
    clock.advance(61)
    await given(present(host, idp.idJag(issuer)))
  })

  it('gives nothing that outlives an erasure while 16 clients present theirs', async () => {
    const { idp, host } = await startedWith(start)
    const assertions = Array.from({ length: 16 }, () => idp.idJag(issuer))
    await Promise.all([
      ...assertions.map((assertion) => present(host, assertion)),
      host.signIn.grants.revokeAll({ tenantKey: 'acme', subject }),
    ])
    expect(await recordsOf(host.tokenStore)).toEqual([])
    for (const assertion of assertions) expectError(await present(host, assertion), 400, 'invalid_grant')
  })
}

describe('what an assertion gives', () => {
  // As the example of Claude's page on Enterprise-Managed Authorization has it.
  const oidcOnly = { scope: 'openid profile' }
  const scopesOf = async (
    trusted: Partial<TrustedIssuer>,
    claims: Record<string, unknown>,
    fields: FormFields,
    company: Partial<Tenant> = {},
  ) => {
    const { idp, host } = await startedWith(started, trusted, company, {
      scopes: { read: 'R', write: { words: 'W', implies: ['read'] } },
    })
    return (await given(present(host, idp.idJag(host.issuer(), { claims }), fields))).scope
  }

  it.each<[string, Partial<TrustedIssuer>, Record<string, unknown>, FormFields, string]>([
    ['what the request asks for', {}, {}, { scope: 'write' }, 'write'],
    ['what the assertion is limited to', {}, { scope: 'read openid' }, {}, 'read'],
    ['what is in both', {}, { scope: 'read' }, { scope: 'read write' }, 'read'],
    ['what the issuer may give', { scopes: ['read'] }, {}, { scope: 'read write' }, 'read'],
    ['what a scope of the assertion implies', {}, { scope: 'write' }, { scope: 'read' }, 'read'],
    ['all that the company offers, if nobody says anything', {}, {}, {}, 'read write'],
    ['the same, if the request has only words of OpenID Connect', {}, {}, { scope: 'openid email' }, 'read write'],
    ['no more than the assertion, if the request has only those', {}, { scope: 'read' }, { scope: 'openid' }, 'read'],
    ['what the issuer may give, if the assertion has only those', { scopes: ['write'] }, oidcOnly, {}, 'write'],
    ['what the request asks for of that', { scopes: ['write'] }, oidcOnly, { scope: 'read openid' }, 'read'],
  ])('is %s', async (_, trusted, claims, fields, scope) => {
    expect(await scopesOf(trusted, claims, fields)).toBe(scope)
  })

  it.each<[string, Partial<TrustedIssuer>, Record<string, unknown>, FormFields, Partial<Tenant>]>([
    ['only words of OpenID Connect, and its issuer no scopes', {}, oidcOnly, {}, {}],
    ['the same, whatever the request asks for', {}, oidcOnly, { scope: 'read' }, {}],
    [
      'one that the company offers, and the issuer may not give',
      { scopes: ['read'] },
      oidcOnly,
      {},
      { scopes: ['read', 'profile'] },
    ],
    ['another scope too, which the company does not offer', { scopes: ['read'] }, { scope: 'openid mail' }, {}, {}],
    ['a scope that its issuer may not give', { scopes: ['profile'] }, oidcOnly, {}, {}],
  ])('is nothing if it has %s', async (_, trusted, claims, fields, company) => {
    const { idp, host } = await startedWith(started, trusted, company, { scopes: ['read', 'write'] })
    expectError(await present(host, idp.idJag(host.issuer(), { claims }), fields), 400, 'invalid_grant')
  })

  const [mcp, files, old] = ['https://api.acme.example/mcp', 'https://files.acme.example', 'https://old.acme.example']
  it.each<[string, Partial<TrustedIssuer>, Record<string, unknown>, FormFields, string]>([
    ['the company’s first, if nobody names one', {}, {}, {}, mcp],
    ['that of the request', {}, {}, { resource: files }, files],
    ['that of the assertion, as a text', {}, { resource: files }, {}, files],
    ['that of the assertion, as a list', {}, { resource: [files] }, {}, files],
    ['the first of several in the assertion', {}, { resource: [old, files, mcp] }, {}, files],
    ['that of several which the request names', {}, { resource: [files, mcp] }, { resource: mcp }, mcp],
    ['the first that the issuer may speak for', { resources: [`${files}/`] }, {}, {}, files],
    ['with another spelling', {}, { resource: `${files}/` }, { resource: files }, files],
    [
      'that of the request, which names an address below it',
      {},
      { resource: [mcp, files] },
      { resource: `${mcp}/sse` },
      mcp,
    ],
  ])('is for %s', async (_, trusted, claims, fields, audience) => {
    const { idp, host } = await startedWith(started, trusted, { resources: [mcp, files] })
    const { claims: issued } = await given(present(host, idp.idJag(host.issuer(), { claims }), fields))
    expect(issued.aud).toBe(audience)
  })

  it('is what the request names, if a scope of the assertion implies that', async () => {
    const scopes = { read: {}, write: { implies: ['read'] } }
    const { idp, host } = await startedWith(started, { scopes: ['read'] }, {}, { scopes })
    const idJag = idp.idJag(host.issuer(), { claims: { scope: 'write' } })
    expect((await given(present(host, idJag, { scope: 'read' }))).scope).toBe('read')
  })

  it('is for nothing if the request names another API than the assertion, and the host is told both', async () => {
    const { idp, host } = await startedWith(started, {}, { resources: [mcp, files] })
    const idJag = idp.idJag(host.issuer(), { claims: { resource: [files, old] } })
    expectError(await present(host, idJag, { resource: mcp }), 400, 'invalid_target')
    const detail = { asked: [mcp], accepted: [files], named: [files, old] }
    expect(await host.told('denied')).toMatchObject([{ reason: 'wrong_resource', detail }])
  })

  it.each<[string, Partial<TrustedIssuer>, readonly string[]]>([
    ['the company has', {}, [mcp, files]],
    ['the issuer may speak for', { resources: [mcp] }, [mcp]],
  ])(
    'is for nothing if the assertion names another API than those that %s, and the host is told these',
    async (_, trusted, accepted) => {
      const { idp, host } = await startedWith(started, trusted, { resources: [mcp, files] })
      const idJag = idp.idJag(host.issuer(), { claims: { resource: old } })
      expectError(await present(host, idJag), 400, 'invalid_grant')
      expect(await host.told('denied')).toMatchObject([
        { reason: 'wrong_resource', detail: { asked: [old], accepted } },
      ])
    },
  )

  it('is for the customer that the claim of the record names', async () => {
    const { idp, host } = await startedWith(started, { subject: 'email' })
    const claims = { sub: '00u1', email: 'anna@acme.example' }
    expect((await given(present(host, idp.idJag(host.issuer(), { claims })))).claims.sub).toBe('anna@acme.example')
  })

  it('is for the customer that customerOf finds, who is told what the issuer says', async () => {
    const asked: unknown[] = []
    const { idp, host } = await startedWith(
      started,
      { subject: 'customerOf' },
      {},
      {
        customerOf: async (asserted) => {
          asked.push(asserted)
          return `id of ${asserted.claims.email}`
        },
      },
    )
    const claims = { sub: '00u1', email: 'anna@acme.example' }
    const { claims: issued } = await given(present(host, idp.idJag(host.issuer(), { claims })))
    expect(issued.sub).toBe('id of anna@acme.example')
    expect(asked).toMatchObject([{ tenant: { key: 'acme' }, issuer: idp.issuer, claims, clientId }])
  })

  it('is one grant even if customerOf makes another customer each time', async () => {
    let made = 0
    const { idp, host } = await startedWith(
      started,
      { subject: 'customerOf' },
      {},
      { customerOf: () => `new-${++made}` },
    )
    const assertion = idp.idJag(host.issuer())
    const answers = await Promise.all(Array.from({ length: 20 }, () => present(host, assertion)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { grants } = await host.signIn.grants.list({ tenantKey: 'acme', anyCustomer: true })
    expect(grants).toHaveLength(1)
  })

  it('is told to accessTokenClaims, which can refuse and cannot change who has vouched', async () => {
    let refuses = true
    const { idp, host } = await startedWith(
      started,
      {},
      {},
      {
        accessTokenClaims: ({ grantType }) => {
          if (refuses) throw new Error('down')
          return { plan: grantType, trusted_issuer: 'https://elsewhere.example' }
        },
      },
    )
    const assertion = idp.idJag(host.issuer())
    expectError(await present(host, assertion), 503, 'temporarily_unavailable')
    refuses = false
    const { claims } = await given(present(host, assertion))
    expect(claims).toMatchObject({ plan: jwtBearer, trusted_issuer: idp.issuer })
  })

  it('lives as long as its token, and its assertion is used up for longer', async () => {
    const clock = stopClock()
    const { idp, host } = await startedWith(started, {}, { accessTokenLifetime: 60 })
    const assertion = idp.idJag(host.issuer())
    await given(present(host, assertion))
    clock.advance(61)
    expect(await recordsOf(host.tokenStore)).toEqual([])
    expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(await denials(host)).toEqual(['replayed'])
  })

  it('is of a company at its domain, by the issuer that it has there', async () => {
    const idp = await CompanyIssuer.start()
    const baseUrl = 'https://assistant.acme.example'
    const acme = {
      key: 'acme',
      id: 'acme',
      baseUrl,
      trustedIssuers: [idp.trusted()],
      clients: [{ clientId, redirectUris: [redirectUri] }],
    }
    const tenantStore = { findTenant: () => acme, findTenantByHost: () => acme }
    const host = await started({
      tenantStore,
      clients: { documents: 'with-loopback' },
      baseUrl: 'https://shared.example',
    })
    const ask = (assertion: string) =>
      request(host.url)
        .post('/oauth/token')
        .set('Host', 'assistant.acme.example')
        .type('form')
        .send(formBody({ grant_type: jwtBearer, client_id: clientId, assertion }))
    await given(ask(idp.idJag(baseUrl)))
    expectError(await ask(idp.idJag('https://shared.example/v1/acme/oauth')), 400, 'invalid_grant')
  })
})

describe('who presents an assertion', () => {
  it('can be known by a metadata document, also by one that has nothing but this grant type', async () => {
    const documents = await DocumentServer.start((server) =>
      publishing(server, { grant_types: [jwtBearer], redirect_uris: undefined, response_types: undefined }),
    )
    const { idp, host } = await startedWith(started)
    const id = documents.url()
    const { claims } = await given(
      present(host, idp.idJag(host.issuer(), { claims: { client_id: id } }), { client_id: id }),
    )
    expect(claims.client_id).toBe(id)
  })

  it('presents it in the body: one in an address, which ends up in logs, is not read', async () => {
    const { idp, host } = await startedWith(started)
    const query = new URLSearchParams({
      grant_type: jwtBearer,
      client_id: clientId,
      assertion: idp.idJag(host.issuer()),
    })
    const sent = request(host.url).post(`/v1/acme/oauth/token?${query}`).type('form')
    expect(expectError(await sent.send({}), 400, 'invalid_request')).toBe('client_id is missing')
    const alone = formBody({ grant_type: jwtBearer, client_id: clientId })
    const withRest = request(host.url).post(`/v1/acme/oauth/token?${query}`).type('form')
    expect(expectError(await withRest.send(alone), 400, 'invalid_request')).toBe('assertion is missing')
  })

  it('can have registered itself', async () => {
    const { idp, host } = await startedWith(started)
    const id = await registered(host)
    await given(present(host, idp.idJag(host.issuer(), { claims: { client_id: id } }), { client_id: id }))
    const ofNothing = idp.idJag(host.issuer(), { claims: { client_id: id, scope: 'elsewhere' } })
    expectError(await present(host, ofNothing, { client_id: id }), 400, 'invalid_grant')
    expect(await denials(host)).toEqual(['scope_not_offered'])
  })

  const { secret, hash } = newClientSecret()
  const key = clientKey()
  const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

  it('authenticates with a secret or a key, if it has one', async () => {
    const clients = [
      { clientId: 'with-secret', redirectUris: [redirectUri], secretHashes: [hash] },
      { clientId: 'with-key', redirectUris: [redirectUri], jwks: { keys: [key.jwk] } },
    ]
    const { idp, host } = await startedWith(started, {}, { clients }, { clients: { authentication: methods } })
    const of = (id: string) => idp.idJag(host.issuer(), { claims: { client_id: id } })
    await given(
      present(host, of('with-secret'), { client_id: undefined }).set('Authorization', basic('with-secret', secret)),
    )
    await given(present(host, of('with-secret'), { client_id: 'with-secret', client_secret: secret }))
    const proof = () => withAssertion(assertionOf(key, 'with-key', host.issuer()))
    await given(present(host, of('with-key'), proof()))
    expectError(await present(host, of('with-secret'), { client_id: 'with-secret' }), 401, 'invalid_client')
    expectError(await present(host, of('with-key'), { client_id: 'with-key' }), 401, 'invalid_client')
  })

  it('authenticates if its document says so, and a stranger without the key does not pass', async () => {
    const documents = await DocumentServer.start((server) =>
      publishing(server, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } }),
    )
    const { idp, host } = await startedWith(
      started,
      {},
      {},
      { clients: { authentication: methods, documents: 'with-loopback' } },
    )
    const id = documents.url()
    const assertion = idp.idJag(host.issuer(), { claims: { client_id: id } })
    expectError(await present(host, assertion, { client_id: id }), 401, 'invalid_client')
    await given(present(host, assertion, withAssertion(assertionOf(key, id, host.issuer()))))
  })

  it('makes no fetch of a document or of keys before the assertion is verified', async () => {
    const documents = await DocumentServer.start()
    const { idp, host } = await startedWith(started, {}, {}, { clients: { authentication: methods } })
    const id = documents.url()
    const forged = { ...idp.key, privateKey: clientKey().privateKey }
    idp.keys = [idp.key.jwk]
    idp.key = forged
    const assertion = idp.idJag(host.issuer(), { claims: { client_id: id } })
    expectError(await present(host, assertion, { client_id: id }), 400, 'invalid_grant')
    expect(documents.requests).toEqual([])

    const authenticated = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://keys.example/jwks' }
    const other = await registered(host, authenticated)
    const ofOther = idp.idJag(host.issuer(), { claims: { client_id: other } })
    const proof = withAssertion(assertionOf(key, other, host.issuer()))
    expectError(await present(host, ofOther, { ...proof, client_id: other }), 400, 'invalid_grant')
  })
})

describe('a workload', () => {
  const trusted = { kind: 'workload', subject: undefined, claims: { org: 'org_1' } } as const

  it('gets a token without being a client, for itself alone', async () => {
    const { idp, host } = await startedWith(started, trusted)
    const name = `workload:${idp.issuer}#agent-7`
    const { token, claims } = await given(
      present(host, idp.workload(host.issuer(), { claims: { aud: [host.issuer()] } }), { client_id: undefined }),
    )
    expect(claims).toMatchObject({ sub: name, client_id: name, trusted_issuer: idp.issuer })
    const verify = (accepts?: ['workload']) =>
      host.signIn.verifyAccessToken(token, { tenantKey: 'acme', ...(accepts && { accepts }) })
    await expect(verify()).rejects.toMatchObject({ code: 'insufficient_scope', reason: 'subject_not_accepted' })
    await expect(verify(['workload'])).resolves.toMatchObject({ kind: 'workload', subject: name })
    expect(await host.told('issued')).toMatchObject([{ subject: name, clientId: name }])
  })

  it('may name the token endpoint as the audience, and come through a client', async () => {
    const { idp, host } = await startedWith(started, trusted)
    await given(present(host, idp.workload(`${host.issuer()}/token`), { client_id: undefined }))
    const { claims } = await given(present(host, idp.workload(host.issuer())))
    expect(claims.client_id).toBe(clientId)
  })

  it('is another one at another issuer of the company', async () => {
    const [one, other] = [await CompanyIssuer.start(), await CompanyIssuer.start()]
    const host = await started(trusting([one.trusted(trusted), other.trusted(trusted)]))
    const subs = []
    for (const idp of [one, other]) {
      subs.push((await given(present(host, idp.workload(host.issuer()), { client_id: undefined }))).claims.sub)
    }
    expect(new Set(subs).size).toBe(2)
  })
})

describe('a store that fails', () => {
  const failing = async () => {
    const faults = faultyStore()
    const { idp, host } = await startedWith(started, {}, {}, { tokenStore: faults.store, hostTimeout: 1 })
    return { faults, idp, host, assertion: idp.idJag(host.issuer()) }
  }

  it('gives 503, uses nothing up, and the same assertion is good when the client comes again', async () => {
    const { faults, host, assertion } = await failing()
    faults.always('createGrant', rejects)
    const response = await present(host, assertion)
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    faults.recover()
    await given(present(host, assertion))
    expectError(await present(host, assertion), 400, 'invalid_grant')
  })

  it.each([
    ['is lost', losesItsAnswer],
    ['never comes', hangs],
    ['never comes although the grant is stored', hangsOnceApplied],
  ])('and whose reply %s once leaves one grant, that of the token', async (_, fault) => {
    const { faults, host, assertion } = await failing()
    faults.next('createGrant', fault)
    const { claims } = await given(present(host, assertion))
    expect(await recordOf(faults.healthy)).toMatchObject({ grantId: claims.grant_id })
    expectError(await present(host, assertion), 400, 'invalid_grant')
  })

  it('and that has stored the grant without saying so answers the same client at the same process, once', async () => {
    const { faults, host, assertion } = await failing()
    faults.next('createGrant', hangsOnceApplied, hangsOnceApplied)
    expectError(await present(host, assertion), 503, 'temporarily_unavailable')
    const answers = await Promise.all([present(host, assertion), present(host, assertion)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await recordsOf(faults.healthy)).toHaveLength(1)
    expectError(await present(host, assertion), 400, 'invalid_grant')
  })

  it('and two of whose replies are lost answers the clients of both', async () => {
    const { faults, idp, host, assertion } = await failing()
    const other = idp.idJag(host.issuer())
    for (const undecided of [assertion, other]) {
      faults.next('createGrant', losesItsAnswer, rejects)
      expectError(await present(host, undecided), 503, 'temporarily_unavailable')
    }
    for (const undecided of [assertion, other]) await given(present(host, undecided))
  })

  it('and whose first answer is slow takes an assertion that was issued after an end', async () => {
    const clock = stopClock()
    const { faults, idp, host } = await failing()
    const acting = await started({ ...trusting([idp.trusted()]), tokenStore: faults.healthy, baseUrl: host.url })
    await acting.signIn.grants.revokeAll({ tenantKey: 'acme', subject })
    clock.advance(63)
    faults.next('swapCredential', async (apply) => {
      clock.advance(0.9)
      const answer = await apply()
      clock.advance(5)
      return answer
    })
    await given(present(host, idp.idJag(host.issuer())))
  })

  it('never ends the grant of a token by a deletion that comes late', async () => {
    const { faults, host, assertion } = await failing()
    let deletion = async (): Promise<unknown> => undefined
    faults.next('createGrant', losesItsAnswer)
    faults.next('deleteGrant', async (apply) => {
      deletion = apply
      throw new Error('The connection was lost')
    })
    expectError(await present(host, assertion), 503, 'temporarily_unavailable')
    const error = expect.objectContaining({ message: 'A grant may still be deleted', cause: expect.any(Error) })
    expect(await host.told('error')).toMatchObject([{ where: 'token', error }])
    // The client gets another assertion from its issuer.
    expectError(await present(host, assertion), 400, 'invalid_grant')
    await deletion()
    expect(await recordsOf(faults.healthy)).toEqual([])
  })

  it('gives nothing at another process that cannot know whose grant it is', async () => {
    const { faults, idp, host, assertion } = await failing()
    const other = await started({ ...trusting([idp.trusted()]), tokenStore: faults.healthy, baseUrl: host.url })
    faults.next('createGrant', hangsOnceApplied, hangsOnceApplied)
    expectError(await present(host, assertion), 503, 'temporarily_unavailable')
    expectError(await present(other, assertion), 400, 'invalid_grant')
  })

  it('gives nothing if the end came while the first sending was under way', async () => {
    const { faults, host, assertion } = await failing()
    let sent = 0
    faults.next('createGrant', async (apply) => {
      sent++
      await apply()
      await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject })
      await apply()
      throw new Error('The connection was lost')
    })
    expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(sent).toBe(1)
    expect(await recordsOf(faults.healthy)).toEqual([])
  })
})

describe('enterpriseOnly', () => {
  it('refuses what was connected by hand, ends nothing, and takes assertions', async () => {
    const idp = await CompanyIssuer.start()
    const company: Tenant = {
      key: 'acme',
      id: 'acme',
      clients: [{ clientId, redirectUris: [redirectUri] }],
      trustedIssuers: [idp.trusted()],
    }
    const host = await started({ tenantStore: { findTenant: () => company }, clients: { documents: 'with-loopback' } })
    const { refresh_token } = await host.connected()
    const code = await host.asCustomer()
    company.enterpriseOnly = true
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expectError(await host.exchange(code), 400, 'invalid_grant')
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'access_denied', reason: 'enterprise_only' })
    expect(await denials(host)).toEqual(['enterprise_only', 'enterprise_only'])
    expect(await recordsOf(host.tokenStore)).toHaveLength(2)
    await given(present(host, idp.idJag(host.issuer())))
    company.enterpriseOnly = false
    expect((await host.refresh(refresh_token)).status).toBe(200)
  })
})

describe('the metadata of a company', () => {
  const metadataOf = async (host: TestSignIn, tenantKey: string) =>
    (await fetch(`${host.url}/.well-known/oauth-authorization-server/v1/${tenantKey}/oauth`)).text()

  it('lists the grant type where assertions are taken, the profile where they sign customers in, and is as it was everywhere else', async () => {
    const issuer = 'https://idp.example'
    const companies: Tenant[] = [
      { key: 'acme', trustedIssuers: [{ issuer, subject: 'sub' }] },
      {
        key: 'with',
        trustedIssuers: [{ issuer: 'https://accounts.google.com', subject: 'email', claims: { hd: 'with.example' } }],
      },
      { key: 'none' },
      { key: 'shut', trustedIssuers: [] },
      { key: 'open', trustedIssuers: [{ issuer: 'https://accounts.google.com', subject: 'email' }] },
      { key: 'bots', trustedIssuers: [{ issuer, kind: 'workload', claims: { org: 1 } }] },
      { key: 'maps', trustedIssuers: [{ issuer, subject: 'customerOf' }] },
      { key: 'only', trustedIssuers: [{ issuer, subject: 'sub' }], enterpriseOnly: true },
    ]
    const host = await started({ tenantStore: new MemoryTenantStore(companies), baseUrl: 'https://assistants.example' })
    const none = await metadataOf(host, 'none')
    expect(none).not.toContain('jwt-bearer')
    expect(none).not.toContain('grant_profiles')
    for (const key of ['shut', 'open', 'maps']) {
      expect((await metadataOf(host, key)).replaceAll(`/${key}/`, '/none/')).toBe(none)
    }
    const bots = JSON.parse(await metadataOf(host, 'bots'))
    expect(bots.grant_types_supported).toEqual(['authorization_code', 'refresh_token', jwtBearer])
    expect(bots).not.toHaveProperty('authorization_grant_profiles_supported')
    const profiles = { authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'] }
    for (const key of ['acme', 'with']) {
      const text = await metadataOf(host, key)
      expect(text).not.toContain('idp.example')
      const { grant_types_supported, ...metadata } = JSON.parse(text.replaceAll(`/${key}/`, '/none/'))
      expect(grant_types_supported).toEqual(['authorization_code', 'refresh_token', jwtBearer])
      const { grant_types_supported: _, ...others } = JSON.parse(none)
      expect(metadata).toEqual({ ...others, ...profiles })
    }
    expect(JSON.parse(await metadataOf(host, 'only'))).toMatchObject({
      grant_types_supported: [jwtBearer],
      ...profiles,
    })
  })
})
