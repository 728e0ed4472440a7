import { ConfigurationError, MemoryTenantStore, type Tenant, type TrustedIssuer } from 'customer-sign-in'
import { assertionFor, testSignIn } from 'customer-sign-in/testing'
import { readToken } from '../../support/forged-token'

const okta: TrustedIssuer = { issuer: 'https://acme.okta.com', subject: 'customerOf' }
const entra: TrustedIssuer = { issuer: 'https://login.microsoftonline.com/1/v2.0', subject: 'oid' }
const agents: TrustedIssuer = {
  issuer: 'https://identity.anthropic.com/agents',
  kind: 'workload',
  claims: { tenant: ['org_1', 'org_2'] },
}

/** Sign-in for a company that trusts these, whose customers are known by their email. */
function signInFor(trustedIssuers: TrustedIssuer[], company: Partial<Tenant> = {}) {
  const ids = new Map<unknown, string>([['ada@acme.example', 'customer-1']])
  return testSignIn({
    tenantStore: new MemoryTenantStore([{ key: 'acme', trustedIssuers, ...company }]),
    customerOf: ({ claims }) => ids.get(claims.email),
    onEvent: () => {},
  })
}

const acme = { tenantKey: 'acme', subject: '00u1' }

describe('assertionFor', () => {
  it('makes an assertion that shows whose customer it is by customerOf, and fetches nothing', async () => {
    const signIn = signInFor([okta, entra])
    const { redeem } = await assertionFor(signIn, { ...acme, claims: { email: 'ada@acme.example' } })
    const { accessToken, clientId, refreshToken } = await redeem()
    expect({ clientId, refreshToken }).toEqual({ clientId: 'test-client', refreshToken: '' })
    await expect(signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })).resolves.toMatchObject({
      kind: 'customer',
      subject: 'customer-1',
    })
    await expect(redeem()).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  it('has no other claims than an issuer writes', async () => {
    const { assertion } = await assertionFor(signInFor([okta]), { ...acme, claims: { email: 'ada@acme.example' } })
    const { payload } = readToken(assertion)
    const claims = ['aud', 'client_id', 'email', 'exp', 'iat', 'iss', 'jti', 'sub']
    expect(Object.keys(payload).sort()).toEqual(claims)
  })

  it('is for the server of a company that has a domain of its own', async () => {
    const company = { key: 'acme', trustedIssuers: [entra], baseUrl: 'https://assistant.acme.example' }
    const findTenantByHost = async (host: string) => (host === 'assistant.acme.example' ? company : undefined)
    const signIn = testSignIn({ tenantStore: { findTenant: async () => company, findTenantByHost }, onEvent: () => {} })
    const { assertion } = await assertionFor(signIn, acme)
    expect(readToken(assertion).payload.aud).toBe('https://assistant.acme.example')
  })

  it('is refused for somebody whom customerOf does not know', async () => {
    const { redeem } = await assertionFor(signInFor([okta]), { ...acme, claims: { email: 'eve@acme.example' } })
    await expect(redeem()).rejects.toMatchObject({ code: 'invalid_grant', status: 400 })
  })

  it('has the claim that the record names, of whichever issuer', async () => {
    const signIn = signInFor([okta, entra])
    const { redeem } = await assertionFor(signIn, { ...acme, issuer: entra.issuer })
    const { accessToken } = await redeem()
    expect(await signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })).toMatchObject({ subject: '00u1' })
  })

  it('has what the record pins, of a workload without a client', async () => {
    const signIn = signInFor([agents])
    const { accessToken } = await (await assertionFor(signIn, acme)).redeem()
    const name = 'workload:https://identity.anthropic.com/agents#00u1'
    const found = await signIn.verifyAccessToken(accessToken, { tenantKey: 'acme', accepts: ['workload'] })
    expect(found).toMatchObject({ subject: name, clientId: name })
    const other = await assertionFor(signIn, { ...acme, claims: { tenant: 'org_3' } })
    await expect(other.redeem()).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  it('goes by the clock of the test', async () => {
    const signIn = signInFor([entra])
    const { redeem } = await assertionFor(signIn, acme)
    signIn.clock.advance(400)
    await expect(redeem()).rejects.toMatchObject({ code: 'invalid_grant' })
    await (await assertionFor(signIn, acme)).redeem()
  })

  it('refuses what it does not know, by its name', async () => {
    const company = { trustedIssuers: undefined }
    await expect(assertionFor(signInFor([], company), acme)).rejects.toThrow('assertionFor.issuer')
    await expect(assertionFor(signInFor([okta]), { ...acme, kid: 'x' } as never)).rejects.toThrow(
      'assertionFor.kid is not a member of assertionFor',
    )
  })

  it.each([
    ['that the company does not trust', [okta], { issuer: 'https://elsewhere.example' }],
    ['of a company that trusts none', [], {}],
  ])('refuses an issuer %s', async (_, trusted, changes) => {
    await expect(assertionFor(signInFor(trusted), { ...acme, ...changes })).rejects.toThrow(ConfigurationError)
    const says = 'issuer' in changes ? /, but is "https:\/\/elsewhere\.example"/ : /is missing: it must be/
    await expect(assertionFor(signInFor(trusted), { ...acme, ...changes })).rejects.toThrow(says)
  })
})
