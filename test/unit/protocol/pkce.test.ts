import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

// RFC 7636 appendix B.
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('PKCE', () => {
  it('accepts the verifier and challenge of RFC 7636 appendix B', async () => {
    const host = await started()
    const signedIn = await host.asCustomer({ codeChallenge })
    expectTokens(await host.exchange(signedIn, { code_verifier: codeVerifier }))
  })

  it('does not accept the challenge itself as a verifier, as the method plain would', async () => {
    const host = await started()
    const signedIn = await host.asCustomer({ codeChallenge })
    expectError(await host.exchange(signedIn, { code_verifier: codeChallenge }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { code_verifier: codeVerifier }))
  })

  it.each(['plain', '', 's256', undefined])('gives no code for the method %p', async (method) => {
    const host = await started()
    const codeChallengeMethod = method as 'S256'
    await expect(host.asCustomer({ codeChallenge, codeChallengeMethod })).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('code_challenge_method'),
    })
  })

  it.each(['', codeChallenge.slice(1), `${codeChallenge}=`, codeChallenge.replace('-', '+'), undefined])(
    'gives no code for the challenge %p',
    async (challenge) => {
      const host = await started()
      const given = { codeChallenge: challenge as string }
      await expect(host.asCustomer(given)).rejects.toMatchObject({ code: 'invalid_request', status: 400 })
    },
  )

  it.each([
    ['43 characters', 'a'.repeat(43)],
    ['128 characters', 'Z'.repeat(128)],
    ['every character that is allowed', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'],
  ])('compares verifiers of %s with the challenge', async (_, verifier) => {
    const host = await started()
    const signedIn = await host.asCustomer({ codeChallenge })
    expectError(await host.exchange(signedIn, { code_verifier: verifier }), 400, 'invalid_grant')
  })

  it.each([codeVerifier.slice(1), 'a'.repeat(129), `${codeVerifier}!`, `!${codeVerifier}`, `${codeVerifier}\n`])(
    'takes no verifier of another form: %j',
    async (verifier) => {
      const host = await started()
      const signedIn = await host.asCustomer({ codeChallenge })
      expectError(await host.exchange(signedIn, { code_verifier: verifier }), 400, 'invalid_request')
      expectTokens(await host.exchange(signedIn, { code_verifier: codeVerifier }))
    },
  )
})
