import { checkTenant, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { expectError } from '../../support/sign-in'
import { started } from '../../support/started'

const issuer = 'https://acme.okta.com'
const problemsOf = (trusted: object) =>
  checkTenant({ key: 'acme', trustedIssuers: [{ issuer, subject: 'sub', ...trusted }] } as Tenant)

describe('the record of a trusted issuer', () => {
  it.each<[string, object]>([
    ['the least of one', {}],
    ['a path', { issuer: 'https://idp.example/t/1/' }],
    ['a loopback address', { issuer: 'http://127.0.0.1:8080' }],
    [
      'all members',
      {
        jwksUri: 'https://keys.example/acme?v=1',
        algorithms: ['RS256'],
        kind: 'customer',
        claims: { tenant: 'org_1', groups: ['a', 'b'], verified: true, number: 7 },
        clients: ['https://claude.ai/oauth/mcp-oauth-client-metadata'],
        scopes: ['read'],
        resources: ['https://api.acme.example/mcp'],
        maxAge: 60,
      },
    ],
    [
      'null for what is not there',
      {
        jwksUri: null,
        algorithms: null,
        kind: null,
        claims: null,
        clients: null,
        scopes: null,
        resources: null,
        maxAge: null,
      },
    ],
    ['a workload without a subject', { kind: 'workload', subject: undefined, claims: { org: 1 } }],
    ['customerOf', { subject: 'customerOf' }],
  ])('may have %s', (_, trusted) => {
    expect(problemsOf(trusted)).toEqual([])
  })

  it.each<[string, object, string]>([
    ['no issuer', { issuer: undefined }, '.issuer'],
    ['an http address', { issuer: 'http://acme.okta.com' }, '.issuer'],
    ['a query', { issuer: `${issuer}?a=b` }, '.issuer'],
    ['a fragment', { issuer: `${issuer}#a` }, '.issuer'],
    ['more than ASCII', { issuer: 'https://acme.okta.com/\u0000' }, '.issuer'],
    ['more than 512 characters', { issuer: `${issuer}/${'a'.repeat(500)}` }, '.issuer'],
    ['a user name', { issuer: 'https://a@acme.okta.com' }, '.issuer'],
    ['another kind', { kind: 'person' }, '.kind'],
    ['no subject for customers', { subject: undefined }, '.subject'],
    ['null as the subject of customers', { subject: null }, '.subject'],
    ['customerOf for workloads', { kind: 'workload', subject: 'customerOf' }, '.subject'],
    ['keys on http', { jwksUri: 'http://acme.okta.com/keys' }, '.jwksUri'],
    ['a symmetric algorithm', { algorithms: ['HS256'] }, '.algorithms[0]'],
    ['no algorithm', { algorithms: [] }, '.algorithms'],
    ['an algorithm twice', { algorithms: ['ES256', 'ES256'] }, '.algorithms[1]'],
    ['claims that are a list', { claims: ['tenant'] }, '.claims'],
    ['an empty claim', { claims: { tenant: '' } }, '.claims.tenant[0]'],
    ['a claim of no value', { claims: { tenant: [] } }, '.claims.tenant'],
    ['a claim that is null', { claims: { tenant: null } }, '.claims.tenant[0]'],
    ['a claim that is an object', { claims: { tenant: { id: 1 } } }, '.claims.tenant[0]'],
    ['a client that is no id', { clients: ['ä'] }, '.clients[0]'],
    ['no scope', { scopes: [] }, '.scopes'],
    ['no resource', { resources: [] }, '.resources'],
    ['a resource that is no address', { resources: ['api'] }, '.resources[0]'],
    ['a maximum age below a minute', { maxAge: 59 }, '.maxAge'],
    ['a maximum age that marks of ends do not outlive', { maxAge: 3001 }, '.maxAge'],
    ['a misspelt member', { issuers: issuer }, '.issuers'],
  ])('may not have %s', (_, trusted, member) => {
    expect(problemsOf(trusted)).toMatchObject([{ member: `trustedIssuers[0]${member}` }])
  })

  it.each<[object, string]>([
    [{ algorithms: ['HS256'] }, '"HS256"'],
    [{ claims: { tenant: '' } }, '""'],
  ])('is reported with what it has: %j', (trusted, given) => {
    expect(problemsOf(trusted)).toMatchObject([{ problem: expect.stringMatching(new RegExp(`but is ${given}$`)) }])
  })

  it('is one of twenty at most', () => {
    const trustedIssuers = Array.from({ length: 21 }, (_, n) => ({
      issuer: `https://idp-${n}.example`,
      subject: 'sub',
    }))
    expect(checkTenant({ key: 'acme', trustedIssuers: trustedIssuers.slice(1) })).toEqual([])
    expect(checkTenant({ key: 'acme', trustedIssuers })).toMatchObject([{ member: 'trustedIssuers' }])
  })

  it('is the only one of its issuer', () => {
    const twice = { issuer, subject: 'sub' }
    expect(checkTenant({ key: 'acme', trustedIssuers: [twice, twice] })).toMatchObject([
      { member: 'trustedIssuers[1]' },
    ])
  })

  it('makes the company’s requests fail if it is wrong, as every other member does', async () => {
    const tenant = { key: 'acme', trustedIssuers: [{ issuer }] }
    const host = await started({ tenantStore: new MemoryTenantStore([tenant]) })
    expectError(await host.token('acme', { grant_type: 'refresh_token' }), 500, 'server_error')
    expect(await host.told('error')).toMatchObject([{ reason: 'misconfigured' }])
  })
})
