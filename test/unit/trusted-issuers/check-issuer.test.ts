import { ConfigurationError, type CustomerSignInOptions, type IssuerCheck, type TrustedIssuer } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { CompanyIssuer, trusting } from '../../support/company-issuer'
import { clientKey } from '../../support/confidential-clients'
import { started } from '../../support/started'

/** What is said of an issuer that a company trusts. */
async function checked(
  change: (idp: CompanyIssuer) => unknown = () => {},
  trusted: Partial<TrustedIssuer> = {},
  options: Partial<CustomerSignInOptions> = {},
) {
  const idp = await CompanyIssuer.start()
  change(idp)
  const host = await started(trusting([idp.trusted(trusted)]), options)
  const report = await host.signIn.checkIssuer({ tenantKey: 'acme', issuer: idp.issuer })
  return { idp, host, report }
}

afterEach(releaseClock)

describe('checkIssuer', () => {
  it('says that an issuer is usable, and what its administrator needs', async () => {
    const { idp, host, report } = await checked()
    expect(report).toEqual({
      usable: true,
      problems: [],
      audience: host.issuer(),
      jwksUri: `${idp.issuer}/keys`,
      keys: [{ kid: idp.key.jwk.kid, algorithms: ['ES256'] }],
      clockAhead: expect.any(Number),
    })
  })

  it('fetches everything each time', async () => {
    const { idp, host } = await checked()
    idp.status = 503
    const { problems } = await host.signIn.checkIssuer({ tenantKey: 'acme', issuer: idp.issuer })
    expect(problems).toEqual([
      `${idp.issuer}/.well-known/openid-configuration answers with the status 503.`,
      `${idp.issuer}/.well-known/oauth-authorization-server answers with the status 404.`,
    ])
  })

  it('takes a record that is not saved yet, and says what is wrong with it', async () => {
    const { idp, host } = await checked()
    const ask = (issuer: TrustedIssuer) => host.signIn.checkIssuer({ tenantKey: 'acme', issuer })
    expect(await ask({ issuer: idp.issuer, subject: 'email' })).toMatchObject({ usable: true })
    expect(await ask({ issuer: idp.issuer })).toMatchObject({
      usable: false,
      problems: ['subject is missing: it must be the claim that is your own id of the customer, or customerOf.'],
    })
  })

  it.each<[string, (idp: CompanyIssuer) => unknown, Partial<TrustedIssuer>, RegExp]>([
    [
      'is another one',
      (idp) => Object.assign(idp.metadata, { issuer: 'https://b.example' }),
      {},
      /is of the issuer "https:\/\/b.example": enter that, to the letter/,
    ],
    ['says nothing of its keys', (idp) => Object.assign(idp.metadata, { jwks_uri: undefined }), {}, /has no jwks_uri/],
    [
      'has keys on http',
      (idp) => Object.assign(idp.metadata, { jwks_uri: 'http://keys.example' }),
      {},
      /must be an https address/,
    ],
    [
      'has keys in a private network',
      (idp) => Object.assign(idp.metadata, { jwks_uri: 'https://10.0.0.1/keys' }),
      {},
      /not at a public address/,
    ],
    [
      'publishes a private key',
      (idp) => Object.assign(idp, { keys: [idp.key.privateKey.export({ format: 'jwk' })] }),
      {},
      /must have no private/,
    ],
    ['has no key for the algorithms', () => {}, { algorithms: ['RS256'] }, /None of its keys is for RS256/],
    [
      'has keys for encryption alone',
      (idp) => Object.assign(idp, { keys: [idp.key.jwk, { ...clientKey().jwk, use: 'enc' }].slice(1) }),
      {},
      /None of its keys/,
    ],
    ['needs customerOf, which is missing', () => {}, { subject: 'customerOf' }, /the option customerOf is missing/],
    ['vouches for workloads of anybody', () => {}, { kind: 'workload', claims: {} }, /signs for others too/],
    ['has no page for it', (idp) => Object.assign(idp, { discovery: '/elsewhere' }), {}, /answers with the status 404/],
    [
      'has a page in place of JSON',
      (idp) => Object.assign(idp, { answer: (_: unknown, res: { end(text: string): void }) => res.end('<html>') }),
      {},
      /is no JSON/,
    ],
  ])('says in plain words that it %s', async (_, change, trusted, problem) => {
    const { report } = await checked(change, trusted)
    expect(report.usable).toBe(false)
    expect(report.problems.join('\n')).toMatch(problem)
  })

  it('leaves out keys that are for no signature', async () => {
    const forEncryption = { ...clientKey().jwk, use: 'enc' }
    const { idp, report } = await checked((idp) => Object.assign(idp, { keys: [forEncryption, idp.key.jwk] }))
    expect(report).toMatchObject({ usable: true, keys: [{ kid: idp.key.jwk.kid }] })
  })

  it('takes a key that is for one of the algorithms', async () => {
    const { jwk } = clientKey('RS256')
    const { report } = await checked((idp) => Object.assign(idp, { keys: [jwk] }), { algorithms: ['PS256'] })
    expect(report).toMatchObject({ usable: true, keys: [{ algorithms: ['RS256', 'PS256'] }] })
  })

  it('says how far its clock is off', async () => {
    stopClock().advance(600)
    const { report } = await checked((idp) =>
      Object.assign(idp.headers, { Date: new Date(Date.now() - 300_000).toUTCString() }),
    )
    // A second may have begun in between.
    expect(report.problems).toEqual([
      expect.stringMatching(
        /^Its clock is 30[01] seconds behind this server's: its assertions are refused beyond 60\.$/,
      ),
    ])
  })

  it('says which claim names the company at an issuer that serves many', async () => {
    const host = await started(trusting([]), { clients: { fetch: () => Promise.reject(new Error('away')) } })
    const ask = (issuer: string) => host.signIn.checkIssuer({ tenantKey: 'acme', issuer: { issuer, subject: 'email' } })
    expect((await ask('https://accounts.google.com')).problems[0]).toContain('let claims name one of hd')
    expect((await ask('https://login.microsoftonline.com/common/v2.0')).problems[0]).toContain(
      'use the issuer of your tenant',
    )
  })

  it('says that the company does not trust an issuer, and which one it may have meant', async () => {
    const { idp, host } = await checked()
    const { problems } = await host.signIn.checkIssuer({ tenantKey: 'acme', issuer: `${idp.issuer}/` })
    expect(problems).toEqual([
      `The record of acme has no trusted issuer "${idp.issuer}/": it trusts ${idp.issuer}, which differs by the slash at its end.`,
    ])
    const other = await host.signIn.checkIssuer({ tenantKey: 'acme', issuer: 'https://idp.example' })
    expect(other.problems).toEqual(['The record of acme has no trusted issuer "https://idp.example".'])
  })

  it('refuses wrong arguments, and does not know other companies', async () => {
    const { host } = await checked()
    for (const [member, given] of Object.entries({ issuer: '', issuers: [] })) {
      const wrong = host.signIn.checkIssuer({ tenantKey: 'acme', [member]: given } as object as IssuerCheck)
      await expect(wrong).rejects.toThrow(ConfigurationError)
      await expect(wrong).rejects.toMatchObject({ option: `checkIssuer.${member}` })
    }
    await expect(host.signIn.checkIssuer({ tenantKey: 'none', issuer: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
