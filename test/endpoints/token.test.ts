import { expectError, expectTokens, TestSignIn } from '../support/sign-in'

describe('token endpoint', () => {
  let host: TestSignIn
  beforeAll(async () => {
    host = await TestSignIn.start()
  })
  afterAll(() => host.stop())

  it('exchanges a code and refreshes', async () => {
    const tokens = await host.connected()
    const next = expectTokens(await host.refresh(tokens.refresh_token))
    expectError(await host.refresh(tokens.refresh_token), 400, 'invalid_grant')
    expectTokens(await host.refresh(next.refresh_token))
    const info = await host.signIn.verifyAccessToken(next.access_token, { tenantKey: 'acme' })
    expect(info.subject).toBe('customer-1')
  })

  it('keeps the code redeemable after a wrong verifier', async () => {
    const signedIn = await host.asCustomer()
    const other = 'x'.repeat(43)
    expect(expectError(await host.exchange(signedIn, { code_verifier: other }), 400, 'invalid_grant')).toMatch(
      /code_verifier/,
    )
    expectTokens(await host.exchange(signedIn))
  })
})
