import { MemoryTenantStore } from 'customer-sign-in'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { Authorization, asTheySay, expectErrorPage, expectRedirect } from '../../support/authorization'
import { hostile, registered } from '../../support/hostile-redirect-uris'
import { clientId, expectError, expectTokens, TestSignIn } from '../../support/sign-in'

const tenantStore = new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: registered }] }])

describe('a redirect URI', () => {
  let host: TestSignIn
  beforeAll(async () => {
    host = await TestSignIn.start({ authenticate: asTheySay, tenantStore })
  })
  afterAll(() => host.stop())

  it.each(registered)('that is registered is where the code goes: %s', async (redirectUri) => {
    const authorization = new Authorization(host, { redirect_uri: redirectUri })
    const response = await authorization.answer(await authorization.form())
    const { searchParams } = expectRedirect(response)
    expect(response.headers.location?.startsWith(redirectUri)).toBe(true)
    expect(searchParams.get('iss')).toBe(host.issuer())
    expectTokens(await host.exchange(authorization.signedIn(response), { redirect_uri: redirectUri }))
  })

  it.each([
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://localhost/callback',
    'http://localhost:41234/callback',
    'http://[::1]:41234/callback',
  ])('of an app on the customer’s own machine may have any port: %s', async (redirectUri) => {
    const authorization = new Authorization(host, { redirect_uri: redirectUri })
    const response = await authorization.answer(await authorization.form())
    expect(response.headers.location?.startsWith(`${redirectUri}?code=`)).toBe(true)
    const signedIn = authorization.signedIn(response)
    expectError(await host.exchange(signedIn, { redirect_uri: 'http://127.0.0.1:2/callback' }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { redirect_uri: redirectUri }))
  })

  it('that is not registered is shown to the operator with its client', async () => {
    const redirectUri = 'https://assistant.example/elsewhere'
    expectErrorPage(await new Authorization(host, { redirect_uri: redirectUri }).open())
    const [denied] = (await host.told('denied')).slice(-1)
    expect(denied).toMatchObject({ reason: 'wrong_redirect_uri', detail: { clientId, asked: redirectUri } })
  })

  describe.each(Object.entries(hostile))('that is disguised by %s is refused without a redirect', (_, redirectUris) => {
    it.each(redirectUris.map((redirectUri) => [JSON.stringify(redirectUri).slice(0, 80), redirectUri]))(
      '%s',
      async (_, redirectUri) => {
        const page = expectErrorPage(await new Authorization(host, { redirect_uri: redirectUri }).open())
        expect(page).toContain('redirect_uri')
        expect(page).not.toContain('evil')
      },
    )
  })

  it('is tested with a long table of disguises', () => {
    expect(new Set(Object.values(hostile).flat()).size).toBeGreaterThan(100)
  })
})

describe('a request without a redirect URI', () => {
  const only = 'https://assistant.example/callback'
  let host: TestSignIn
  beforeAll(async () => {
    const one = new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: [only] }] }])
    host = await TestSignIn.start({ authenticate: asTheySay, tenantStore: one })
  })
  afterAll(() => host.stop())

  it('leads to the only one of the client, and its code is redeemed without one too', async () => {
    const authorization = new Authorization(host, { redirect_uri: undefined })
    const response = await authorization.answer(await authorization.form())
    expect(response.headers.location?.startsWith(`${only}?code=`)).toBe(true)
    const signedIn = authorization.signedIn(response)
    const description = expectError(await host.exchange(signedIn, { redirect_uri: only }), 400, 'invalid_grant')
    expect(description).toBe('The authorization code was requested with another redirect_uri')
    expectTokens(await host.exchange(signedIn, { redirect_uri: undefined }))
  })

  it('is refused at the only one of the client', async () => {
    const authorization = new Authorization(host, { redirect_uri: undefined })
    const response = await authorization.answer(await authorization.form(), 'deny')
    expect(response.headers.location?.startsWith(`${only}?error=access_denied`)).toBe(true)
  })

  it('does not let a code be redeemed without one that was requested with one', async () => {
    const signedIn = await new Authorization(host).allowed()
    const description = expectError(await host.exchange(signedIn, { redirect_uri: undefined }), 400, 'invalid_grant')
    expect(description).toBe('The authorization code was requested with a redirect_uri')
    expectTokens(await host.exchange(signedIn))
  })

  it('is answered on pages of the host’s own as well', async () => {
    const { signIn } = host
    const { codeVerifier } = new Authorization(host)
    const asked = { tenantKey: 'acme', clientId, redirectUri: undefined, state: 'a state' }
    const { code, redirectTo } = await signIn.issueAuthorizationCode({
      ...asked,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: 'customer-1',
    })
    expect(redirectTo.startsWith(`${only}?code=`)).toBe(true)
    const refused = await signIn.refuseAuthorization(asked)
    expect(refused.redirectTo.startsWith(`${only}?error=access_denied`)).toBe(true)
    expectTokens(await host.exchange({ code, codeVerifier, tenantKey: 'acme' }, { redirect_uri: undefined }))
  })

  it('is shown to the operator if the client has several', async () => {
    const several = await TestSignIn.start({ authenticate: asTheySay, tenantStore })
    expect(expectErrorPage(await new Authorization(several, { redirect_uri: undefined }).open())).toContain(
      'redirect_uri is missing',
    )
    const [denied] = (await several.told('denied')).slice(-1)
    expect(denied).toMatchObject({ description: 'redirect_uri is missing', detail: { clientId, accepted: registered } })
    await several.stop()
  })
})
