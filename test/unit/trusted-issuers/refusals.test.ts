import { createHmac, randomUUID, sign } from 'node:crypto'
import { MemoryTenantStore, OAuthError, type Tenant, type TrustedIssuer } from 'customer-sign-in'
import { releaseClock } from '../../support/clock'
import { CompanyIssuer, jwtBearer, present, trusting } from '../../support/company-issuer'
import { type AssertionChanges, clientKey } from '../../support/confidential-clients'
import { clientId, expectError, type FormFields, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const now = () => Math.floor(Date.now() / 1000)

/** What breaks a rule. Everything that is left out is as it should be. */
interface Broken extends AssertionChanges {
  /** The company's record of the issuer. */
  trusted?: Partial<TrustedIssuer>
  company?: Partial<Tenant>
  options?: TestOptions
  fields?: FormFields
  /** Makes another text of the assertion. */
  text?: (assertion: string, idp: CompanyIssuer, issuer: string) => string
  /** Changes the issuer. */
  idp?: (idp: CompanyIssuer) => void
  ofWorkload?: boolean
}

type Refusal = [rule: string, reason: string, broken: Broken | (() => Broken), error?: string, status?: number]

const workload: Broken = {
  ofWorkload: true,
  trusted: { kind: 'workload', subject: undefined, claims: { org: 'org_1' } },
  fields: { client_id: undefined },
}

const of = (broken: Broken): Broken => ({ ...workload, ...broken, trusted: { ...workload.trusted, ...broken.trusted } })

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (assertion: string, header: object, signature = '') =>
  [part(header), assertion.split('.')[1], signature].join('.')

const refusals: Refusal[] = [
  // The form of a JWT (RFC 7515, RFC 7519).
  ['is no JWT', 'assertion_refused', { text: () => 'assertion' }],
  ['has four parts', 'assertion_refused', { text: (jws) => `${jws}.x` }],
  ['has no signature', 'assertion_refused', { text: (jws) => `${jws.split('.').slice(0, 2).join('.')}.` }],
  [
    'has a header that is no object',
    'assertion_refused',
    { text: (jws) => [part([]), ...jws.split('.').slice(1)].join('.') },
  ],
  [
    'has claims that are no object',
    'assertion_refused',
    { text: (jws) => [jws.split('.')[0], part('x'), 'x'].join('.') },
  ],
  [
    'has a signature of another assertion',
    'assertion_refused',
    {
      text: (jws, idp, issuer) => [...jws.split('.').slice(0, 2), idp.idJag(issuer).split('.')[2]].join('.'),
    },
  ],
  // Who has signed it, and how.
  ['is of an issuer that nobody trusts', 'issuer_not_trusted', { claims: { iss: 'https://elsewhere.example' } }],
  [
    'is of the issuer with a slash at its end',
    'issuer_not_trusted',
    { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { iss: `${idp.issuer}/` } }) },
  ],
  [
    'is of the issuer in capitals',
    'issuer_not_trusted',
    { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { iss: idp.issuer.toUpperCase() } }) },
  ],
  ['has no issuer', 'issuer_not_trusted', { claims: { iss: undefined } }],
  [
    'has a list as its issuer',
    'issuer_not_trusted',
    { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { iss: [idp.issuer] } }) },
  ],
  [
    'has no algorithm',
    'assertion_refused',
    { text: (jws) => unsigned(jws, { typ: 'oauth-id-jag+jwt', alg: 'none' }, 'x') },
  ],
  [
    'is signed with a public key as a secret',
    'assertion_refused',
    {
      text: (jws, idp) => {
        const input = unsigned(jws, { typ: 'oauth-id-jag+jwt', alg: 'HS256' }).slice(0, -1)
        return `${input}.${createHmac('sha256', JSON.stringify(idp.key.jwk)).update(input).digest('base64url')}`
      },
    },
  ],
  [
    'is signed with an algorithm that nobody lists',
    'assertion_refused',
    { text: (jws) => unsigned(jws, { typ: 'oauth-id-jag+jwt', alg: 'ES512' }, 'x') },
  ],
  [
    'is signed with an algorithm that the issuer may not use',
    'assertion_refused',
    { trusted: { algorithms: ['RS256'] } },
  ],
  [
    'is signed with the key of a stranger',
    'assertion_refused',
    {
      text: (_, idp, issuer) => {
        idp.keys = [idp.key.jwk]
        idp.key = { ...clientKey(), jwk: idp.key.jwk }
        return idp.idJag(issuer)
      },
    },
  ],
  [
    'brings its own key',
    'assertion_refused',
    {
      text: (_, idp, issuer) => {
        const own = clientKey()
        idp.keys = [{ ...idp.key.jwk, kid: own.jwk.kid }]
        idp.key = own
        return idp.idJag(issuer, { header: { jwk: own.jwk, jku: 'https://stranger.example/keys' } })
      },
    },
  ],
  ['has a kid that is no text', 'assertion_refused', { header: { kid: 7 } }],
  ['has crit', 'assertion_refused', { header: { crit: ['exp'] } }],
  ['has the type of an ID token', 'assertion_refused', { header: { typ: 'JWT' } }],
  ['has the type of an access token', 'assertion_refused', { header: { typ: 'at+jwt' } }],
  ['has no type', 'assertion_refused', { header: { typ: undefined } }],
  // Whom it is for.
  ['has no audience', 'assertion_refused', { claims: { aud: undefined } }],
  ['is for another server', 'assertion_refused', { claims: { aud: 'https://elsewhere.example' } }],
  [
    'is for another server too',
    'assertion_refused',
    { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { aud: [issuer, 'https://elsewhere.example'] } }) },
  ],
  [
    'is for this server twice',
    'assertion_refused',
    { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { aud: [issuer, issuer] } }) },
  ],
  ['is for nobody', 'assertion_refused', { claims: { aud: [] } }],
  [
    'is for another company',
    'assertion_refused',
    { text: (_, idp, issuer) => idp.idJag(issuer.replace('acme', 'globex')) },
  ],
  [
    'is for the issuer with a slash at its end',
    'assertion_refused',
    { text: (_, idp, issuer) => idp.idJag(`${issuer}/`) },
  ],
  [
    'is for the token endpoint, of a customer',
    'assertion_refused',
    { text: (_, idp, issuer) => idp.idJag(`${issuer}/token`) },
  ],
  ['names another client', 'wrong_client', { claims: { client_id: 'other-app' } }],
  ['names no client', 'wrong_client', { claims: { client_id: undefined } }],
  ['names a list of clients', 'wrong_client', { claims: { client_id: [clientId] } }],
  ['is presented by no client', 'wrong_client', { fields: { client_id: undefined } }],
  [
    'is presented by a client that the issuer may not vouch to',
    'client_not_allowed',
    { trusted: { clients: ['other-app'] } },
  ],
  // When.
  ['has no exp', 'assertion_refused', { claims: { exp: undefined } }],
  [
    'has an exp that is no number',
    'assertion_refused',
    { text: (_, idp, issuer) => typed(idp, issuer, { exp: '9999999999' }) },
  ],
  ['has expired, more than a minute ago', 'assertion_refused', () => ({ claims: { exp: now() - 61 } })],
  ['is valid for more than an hour', 'assertion_refused', () => ({ claims: { exp: now() + 3670 } })],
  ['has no iat', 'assertion_refused', { text: (_, idp, issuer) => idp.idJag(issuer, { claims: { iat: undefined } }) }],
  [
    'has an iat that is no number',
    'assertion_refused',
    { text: (_, idp, issuer) => typed(idp, issuer, { iat: 'now' }) },
  ],
  ['comes from the future', 'assertion_refused', () => ({ claims: { iat: now() + 70 } })],
  ['is older than ten minutes', 'assertion_refused', () => ({ claims: { iat: now() - 665 } })],
  [
    'is older than the issuer’s may be',
    'assertion_refused',
    () => ({ trusted: { maxAge: 60 }, claims: { iat: now() - 125 } }),
  ],
  ['is not valid yet', 'assertion_refused', () => ({ claims: { nbf: now() + 70 } })],
  [
    'has an nbf that is no number',
    'assertion_refused',
    { text: (_, idp, issuer) => typed(idp, issuer, { nbf: null }) },
  ],
  // What it says.
  ['has no jti', 'assertion_refused', { claims: { jti: undefined } }],
  ['has an empty jti', 'assertion_refused', { claims: { jti: '' } }],
  ['has a jti that is no text', 'assertion_refused', { text: (_, idp, issuer) => typed(idp, issuer, { jti: 7 }) }],
  ['has a jti of 257 characters', 'assertion_refused', { claims: { jti: 'j'.repeat(257) } }],
  ['has no sub', 'assertion_refused', { claims: { sub: undefined } }],
  ['has a sub that is no text', 'assertion_refused', { text: (_, idp, issuer) => typed(idp, issuer, { sub: 7 }) }],
  ['has a control character in its sub', 'assertion_refused', { claims: { sub: 'a\u0000b' } }],
  ['has half of a character in its sub', 'assertion_refused', { claims: { sub: 'a\ud800' } }],
  ['has a sub of 513 characters', 'assertion_refused', { claims: { sub: 's'.repeat(513) } }],
  ['is bound to a key', 'assertion_refused', { claims: { cnf: { jkt: 'x' } } }],
  ['has authorization_details', 'assertion_refused', { claims: { authorization_details: [] } }],
  ['has a scope that is no text', 'assertion_refused', { claims: { scope: ['read'] } }],
  ['has an empty scope', 'assertion_refused', { claims: { scope: '' } }],
  ['has a resource that is no address', 'assertion_refused', { claims: { resource: 'api' } }],
  ['has a resource that is no text', 'assertion_refused', { claims: { resource: [7] } }],
  ['is for no resource', 'assertion_refused', { claims: { resource: [] } }],
  // What the company requires.
  ['lacks a claim that is pinned', 'wrong_claim', { trusted: { claims: { tenant: 'org_1' } } }],
  [
    'has another value of a pinned claim',
    'wrong_claim',
    { trusted: { claims: { tenant: 'org_1' } }, claims: { tenant: 'org_2' } },
  ],
  [
    'has a list that has the pinned value',
    'wrong_claim',
    { trusted: { claims: { tenant: 'org_1' } }, claims: { tenant: ['org_1'] } },
  ],
  ['has a number in place of a pinned text', 'wrong_claim', { trusted: { claims: { org: '1' } }, claims: { org: 1 } }],
  [
    'has one of two pinned claims',
    'wrong_claim',
    { trusted: { claims: { tenant: 'a', org: 'b' } }, claims: { tenant: 'a' } },
  ],
  ['inherits the pinned claim', 'wrong_claim', { trusted: { claims: { constructor: 'x' } } }],
  ['tells tenants of its issuer apart, which nobody has pinned', 'issuer_not_pinned', { claims: { tenant: 'org_1' } }],
  ['lacks the claim that names the customer', 'no_customer', { trusted: { subject: 'employee' } }],
  [
    'has a number as the claim that names the customer',
    'no_customer',
    { trusted: { subject: 'employee' }, claims: { employee: 7 } },
  ],
  [
    'has an email that nobody has verified',
    'no_customer',
    { trusted: { subject: 'email' }, claims: { email: 'a@acme.example', email_verified: false } },
  ],
  ['names a client as the customer', 'no_customer', { claims: { sub: 'client:nightly' } }],
  ['names a workload as the customer', 'no_customer', { claims: { sub: 'workload:x' } }],
  [
    'is about nobody, says customerOf',
    'no_customer',
    { trusted: { subject: 'customerOf' }, options: { customerOf: () => null } },
  ],
  [
    'is about nobody, as customerOf says by nothing',
    'no_customer',
    { trusted: { subject: 'customerOf' }, options: { customerOf: async () => {} } },
  ],
  [
    'is about nobody, as customerOf says by an empty text',
    'no_customer',
    { trusted: { subject: 'customerOf' }, options: { customerOf: () => '' } },
  ],
  [
    'is refused by customerOf',
    'customer_refused',
    {
      trusted: { subject: 'customerOf' },
      options: { customerOf: () => Promise.reject(new OAuthError('access_denied', 'The account is locked')) },
    },
    'access_denied',
  ],
  ['asks for what the company does not offer', 'scope_not_offered', { fields: { scope: 'admin' } }, 'invalid_scope'],
  ['is limited to what the company does not offer', 'scope_not_offered', { claims: { scope: 'admin' } }],
  [
    'has no scope in common with its request',
    'scope_not_offered',
    { claims: { scope: 'read' }, fields: { scope: 'write' } },
    'invalid_scope',
  ],
  [
    'has no scope in common with its issuer',
    'scope_not_offered',
    { trusted: { scopes: ['read'] }, claims: { scope: 'write' } },
  ],
  [
    'asks for an API that the company does not have',
    'unknown_resource',
    { fields: { resource: 'https://elsewhere.example' } },
    'invalid_target',
  ],
  [
    'is for an API that the company does not have',
    'wrong_resource',
    { claims: { resource: 'https://elsewhere.example' } },
  ],
  [
    'is for an address below an API',
    'wrong_resource',
    { company: { resources: ['https://a.example/mcp'] }, claims: { resource: 'https://a.example/mcp/reports' } },
  ],
  [
    'is for another API than its request',
    'wrong_resource',
    {
      company: { resources: ['https://a.example', 'https://b.example'] },
      claims: { resource: 'https://a.example' },
      fields: { resource: 'https://b.example' },
    },
    'invalid_target',
  ],
  [
    'is for an API that its issuer may not speak for',
    'wrong_resource',
    {
      company: { resources: ['https://a.example', 'https://b.example'] },
      trusted: { resources: ['https://a.example'] },
      claims: { resource: 'https://b.example' },
    },
  ],
  // The client.
  [
    'comes from a client that is blocked',
    'client_not_allowed',
    () => {
      const id = 'https://assistant.example/client'
      return { company: { blockedClients: { clientIds: [id] } }, claims: { client_id: id }, fields: { client_id: id } }
    },
  ],
  [
    'comes from a client that is gone',
    'client_gone',
    { claims: { client_id: 'gone' }, fields: { client_id: 'gone' } },
    'invalid_client',
    401,
  ],
  [
    'comes from a client with a document, where documents are off',
    'documents_off',
    () => {
      const id = 'https://assistant.example/client'
      return { company: { metadataDocuments: false }, claims: { client_id: id }, fields: { client_id: id } }
    },
    'invalid_client',
    401,
  ],
  [
    'comes from a client that may use other grant types',
    'unauthorized_client',
    {
      company: { clients: [{ clientId, redirectUris: [redirectUri], grantTypes: ['authorization_code'] }] },
    },
    'unauthorized_client',
  ],
  ['is missing', 'invalid_request', { fields: { assertion: undefined } }, 'invalid_request'],
  ['is there twice', 'invalid_request', { fields: { assertion: ['a', 'b'] } }, 'invalid_request'],
  // Issuers that say nothing of the company.
  ['is of a workload whose issuer is not pinned', 'issuer_not_pinned', of({ trusted: { claims: undefined } })],
  ['is of a workload whose issuer pins nothing', 'issuer_not_pinned', of({ trusted: { claims: {} } })],
  ['is of a workload of another organization', 'wrong_claim', of({ claims: { org: 'org_2' } })],
  ['is of a workload, and names a client that does not ask', 'wrong_client', of({ claims: { client_id: clientId } })],
  [
    'is of a workload, whose issuer is for some clients',
    'client_not_allowed',
    of({ trusted: { clients: [clientId] } }),
  ],
  ['is of a workload, and has the type of an access token', 'assertion_refused', of({ header: { typ: 'at+jwt' } })],
  ['is of a workload without the claim that names it', 'no_customer', of({ trusted: { subject: 'agent' } })],
  // The keys.
  [
    'is of an issuer whose metadata is another’s',
    'issuer_unusable',
    { idp: (idp) => void Object.assign(idp.metadata, { issuer: 'https://elsewhere.example' }) },
  ],
  [
    'is of an issuer without keys',
    'issuer_unusable',
    { idp: (idp) => void Object.assign(idp.metadata, { jwks_uri: undefined }) },
  ],
  [
    'is of an issuer whose keys are in the host’s network',
    'issuer_unusable',
    { idp: (idp) => void Object.assign(idp.metadata, { jwks_uri: 'https://10.0.0.1/keys' }) },
  ],
  [
    'is of an issuer whose keys are on no https address',
    'issuer_unusable',
    { idp: (idp) => void Object.assign(idp.metadata, { jwks_uri: 'http://keys.example' }) },
  ],
  [
    'is of an issuer that publishes its private key',
    'issuer_unusable',
    { idp: (idp) => void Object.assign(idp, { keys: [idp.key.privateKey.export({ format: 'jwk' })] }) },
  ],
  [
    'is of an issuer that is away',
    'issuer_unavailable',
    { idp: (idp) => void Object.assign(idp, { status: 503 }) },
    'temporarily_unavailable',
    503,
  ],
]

/** A signed assertion with claims that a library would refuse to sign. */
function typed(idp: CompanyIssuer, issuer: string, changes: object): string {
  const [header = '', claims = ''] = idp.idJag(issuer).split('.')
  const input = `${header}.${part({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...changes })}`
  const signature = sign('sha256', Buffer.from(input), { key: idp.key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

async function given(broken: Broken) {
  const { trusted, company, options = {}, idp: change = () => {}, ofWorkload } = broken
  const idp = await CompanyIssuer.start()
  change(idp)
  const host = await started(trusting([idp.trusted(trusted)], company), options)
  const made = (ofWorkload ? idp.workload : idp.idJag).call(idp, host.issuer(), broken)
  const assertion = broken.text ? broken.text(made, idp, host.issuer()) : made
  return { idp, host, assertion }
}

/** Everything that the store holds. */
const held = async (host: TestSignIn) => (await host.tokenStore.listGrants({ tenantId: 'acme', limit: 10 })).grants

afterEach(releaseClock)

describe('an assertion is refused, and nothing is used up, if it', () => {
  it.each(refusals)('%s', async (_, reason, broken, error = 'invalid_grant', status = 400) => {
    const rule = typeof broken === 'function' ? broken() : broken
    const { host, assertion } = await given(rule)
    const response = await present(host, assertion, rule.fields)
    expectError(response, status, error)
    expect(await host.told('denied')).toMatchObject([{ where: 'token', reason, error, tenantKey: 'acme' }])
    expect(await held(host)).toEqual([])
    expect(JSON.stringify([response.body, host.events])).not.toContain(assertion.split('.')[2] || 'no signature')
  })

  it.each<[string, Broken, object]>([
    ['names another client', { claims: { client_id: 'x' } }, { presentedBy: clientId, asked: 'x' }],
    [
      'may not be presented by the client',
      { trusted: { clients: ['other-app'] } },
      { rule: 'trustedIssuers.clients', clientId },
    ],
    ['lacks a claim', { trusted: { claims: { org: 'org_1' } } }, { claim: 'org', accepted: ['org_1'] }],
    [
      'is for another server',
      { claims: { aud: 'https://elsewhere.example' } },
      { asked: 'https://elsewhere.example', accepted: [expect.stringMatching(/\/v1\/acme\/oauth$/)] },
    ],
    [
      'is of an issuer without keys',
      { idp: (idp) => void Object.assign(idp.metadata, { jwks_uri: undefined }) },
      { issuer: expect.stringMatching(/^http/), reason: expect.stringContaining('jwks_uri') },
    ],
    ['lacks a name', { trusted: { subject: 'employee' } }, { claim: 'employee' }],
    [
      'has an email that nobody has verified',
      { trusted: { subject: 'email' }, claims: { email: 'a@acme.example', email_verified: false } },
      { claim: 'email' },
    ],
  ])('%s, of which the host is told what was asked and what is accepted', async (_, broken, detail) => {
    const { idp, host, assertion } = await given(broken)
    await present(host, assertion)
    expect(await host.told('denied')).toMatchObject([{ detail: { issuer: idp.issuer, ...detail } }])
  })

  it('is of an issuer that nobody trusts, of which the host is told, and whom the company trusts', async () => {
    const { idp, host, assertion } = await given({ claims: { iss: 'https://elsewhere.example' } })
    await present(host, assertion)
    const detail = { asked: 'https://elsewhere.example', accepted: [idp.issuer] }
    expect(await host.told('denied')).toMatchObject([{ detail }])
  })

  it('breaks one of more than sixty rules', () => {
    expect(refusals.length).toBeGreaterThanOrEqual(60)
  })
})

describe('an assertion that was refused', () => {
  it.each<[string, FormFields]>([
    ['the scope', { scope: 'admin' }],
    ['the API', { resource: 'https://elsewhere.example' }],
    ['the client', { client_id: 'other-app' }],
    ['the credentials of the client', { client_assertion: 'x' }],
  ])('because of %s is good in a request that is right', async (_, fields) => {
    const { host, assertion } = await given({ options: { clients: { authentication: ['none', 'private_key_jwt'] } } })
    expect((await present(host, assertion, fields)).status).not.toBe(200)
    expect((await present(host, assertion)).status).toBe(200)
  })
})

describe('an issuer that serves many companies', () => {
  const google = 'https://accounts.google.com'
  it.each<[string, TrustedIssuer, Record<string, unknown>]>([
    ['Google', { issuer: google, subject: 'email' }, {}],
    ['Google, with another claim pinned', { issuer: google, subject: 'email', claims: { email_verified: true } }, {}],
    ['Google, with a slash', { issuer: `${google}/`, subject: 'email' }, {}],
    [
      'Entra, for all tenants',
      { issuer: 'https://login.microsoftonline.com/common/v2.0', subject: 'oid', claims: { tid: 'x' } },
      {},
    ],
    [
      'Entra, for personal accounts',
      { issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', subject: 'oid' },
      {},
    ],
    [
      'Claude’s agents',
      { issuer: 'https://identity.anthropic.com/agents', kind: 'workload', claims: { sub: 'x' } },
      {},
    ],
    [
      'GitHub Actions',
      { issuer: 'https://token.actions.githubusercontent.com', kind: 'workload', claims: { ref: 'refs/heads/main' } },
      {},
    ],
    ['GitLab', { issuer: 'https://gitlab.com', kind: 'workload', claims: { ref: 'main' } }, {}],
  ])('is refused at each use, with nothing in the metadata: %s', async (_, trusted) => {
    const idp = await CompanyIssuer.start()
    const host = await started(trusting([trusted]))
    const assertion = idp.idJag(host.issuer(), { claims: { iss: trusted.issuer } })
    for (let use = 0; use < 2; use++) expectError(await present(host, assertion), 400, 'invalid_grant')
    expect(await host.told('denied')).toMatchObject(Array(2).fill({ reason: 'issuer_not_pinned' }))
    const metadata = await fetch(`${host.url}/.well-known/oauth-authorization-server/v1/acme/oauth`)
    expect(await metadata.text()).not.toContain(jwtBearer)
  })

  it('is trusted with the claim that names the company', async () => {
    const trusted: TrustedIssuer = { issuer: google, subject: 'email', claims: { hd: 'acme.example' } }
    const host = await started(trusting([trusted]), { clients: { fetch: () => Promise.reject(new Error('away')) } })
    const idp = await CompanyIssuer.start()
    const claims = { iss: google, email: 'anna@acme.example', hd: 'acme.example' }
    expectError(await present(host, idp.idJag(host.issuer(), { claims })), 503, 'temporarily_unavailable')
  })
})

describe('what the host has misconfigured', () => {
  it('is its own fault: customerOf is missing', async () => {
    const { host, assertion } = await given({ trusted: { subject: 'customerOf' } })
    expectError(await present(host, assertion), 500, 'server_error')
    const message = expect.stringContaining('customerOf is missing: a trusted issuer of the tenant "acme"')
    expect(await host.told('error')).toMatchObject([{ reason: 'misconfigured', where: 'token', error: { message } }])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('down')), 'down'],
    ['returns a number', () => 7 as unknown as string, 'customerOf'],
    ['returns a client’s subject', () => 'client:x', 'customerOf'],
    ['takes too long', () => new Promise<string>(() => {}), 'customerOf'],
  ])('is answered with 503, and the assertion is still good: customerOf %s', async (_, wrong, said) => {
    let customerOf: () => Promise<string> | string = wrong
    const { host, assertion } = await given({
      trusted: { subject: 'customerOf' },
      options: { customerOf: () => customerOf(), hostTimeout: 0.2 },
    })
    expectError(await present(host, assertion), 503, 'temporarily_unavailable')
    const message = expect.stringContaining(said)
    expect(await host.told('error')).toMatchObject([{ reason: 'hook_failed', error: { message } }])
    customerOf = () => 'customer-1'
    expect((await present(host, assertion)).status).toBe(200)
  })
})

it('takes an assertion whose id and customer are as long as they may be', async () => {
  const idp = await CompanyIssuer.start()
  const host = await started(trusting([idp.trusted()]))
  const claims = { jti: 'j'.repeat(256), sub: 's'.repeat(512) }
  expect((await present(host, idp.idJag(host.issuer(), { claims }))).status).toBe(200)
})

describe('another company', () => {
  it('takes no assertion of an issuer that it does not trust, and its grants are its own', async () => {
    const idp = await CompanyIssuer.start()
    const clients = [{ clientId, redirectUris: [redirectUri] }]
    const companies: Tenant[] = [
      { key: 'acme', id: 'acme', clients, trustedIssuers: [idp.trusted()] },
      { key: 'globex', id: 'globex', clients },
      { key: 'initech', id: 'initech', clients, trustedIssuers: [idp.trusted()] },
    ]
    const host = await started({
      tenantStore: new MemoryTenantStore(companies),
      clients: { documents: 'with-loopback' },
    })
    const jti = randomUUID()
    const ask = (tenantKey: string, audience = tenantKey) =>
      host.token(tenantKey, {
        grant_type: jwtBearer,
        client_id: clientId,
        assertion: idp.idJag(host.issuer(audience), { claims: { jti } }),
      })
    expectError(await ask('globex'), 400, 'invalid_grant')
    expectError(await ask('initech', 'acme'), 400, 'invalid_grant')
    expect((await ask('acme')).status).toBe(200)
    // The ids of assertions are those of one company.
    expect((await ask('initech')).status).toBe(200)
    expect((await host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants).toHaveLength(1)
  })

  it('has two issuers whose assertions have one id, and takes both', async () => {
    const [one, other] = [await CompanyIssuer.start(), await CompanyIssuer.start()]
    const host = await started(trusting([one.trusted(), other.trusted()]))
    for (const idp of [one, other]) {
      expect((await present(host, idp.idJag(host.issuer(), { claims: { jti: 'one' } }))).status).toBe(200)
    }
    expectError(await present(host, one.idJag(host.issuer(), { claims: { jti: 'one' } })), 400, 'invalid_grant')
  })
})

describe('algorithms', () => {
  it.each(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'])('%s is taken', async (alg) => {
    const idp = await CompanyIssuer.start()
    idp.key = clientKey(alg)
    const host = await started(trusting([idp.trusted({ algorithms: [alg] })]))
    expect((await present(host, idp.idJag(host.issuer()))).status).toBe(200)
  })
})
