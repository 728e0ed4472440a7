import { MemoryTenantStore } from 'customer-sign-in'
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
