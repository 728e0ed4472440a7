import { codeChallengeOf } from '../../../src/protocol/pkce'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

const plain = 'p'.repeat(43)

describe('PKCE cannot be downgraded', () => {
  it.each([
    ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with an empty challenge', { code_challenge: '' }],
    ['with a method and no challenge', { code_challenge: undefined }],
    ['with a challenge and no method', { code_challenge_method: undefined }],
    ['with an empty method', { code_challenge_method: '' }],
    ['by the method plain', { code_challenge: plain, code_challenge_method: 'plain' }],
    ['by a method that nobody knows', { code_challenge_method: 'S512' }],
    ['by both methods', { code_challenge_method: ['S256', 'plain'] }],
  ])('%s', async (_, parameters) => {
    const host = await started({ authenticate: asTheySay })
    expectErrorRedirect(await new Authorization(host, parameters).open(), 'invalid_request', host.issuer())
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it('between the consent page and its form', async () => {
    const host = await started({ authenticate: asTheySay })
    const authorization = new Authorization(host)
    const { token } = await authorization.form()
    const downgraded = new Authorization(host, { code_challenge: plain, code_challenge_method: 'plain' })
    const response = await downgraded.answer({ token, action: `?${downgraded.query}` })
    expectErrorRedirect(response, 'invalid_request', host.issuer())
  })

  it('at the token endpoint, by any other verifier', async () => {
    const host = await started({ authenticate: asTheySay })
    const authorization = new Authorization(host)
    const signedIn = await authorization.allowed()
    const challenge = codeChallengeOf(signedIn.codeVerifier)
    for (const [verifier, error] of [
      [undefined, 'invalid_request'],
      ['', 'invalid_request'],
      ['short', 'invalid_request'],
      [challenge, 'invalid_grant'],
      [plain, 'invalid_grant'],
      [`${signedIn.codeVerifier}a`, 'invalid_grant'],
    ] as const) {
      expectError(await host.exchange(signedIn, { code_verifier: verifier }), 400, error)
    }
    expectTokens(await host.exchange(signedIn))
  })

  it('by a challenge that is taken for its own verifier', async () => {
    const host = await started({ authenticate: asTheySay })
    const signedIn = await new Authorization(host, { code_challenge: plain }).allowed()
    expectError(await host.exchange(signedIn, { code_verifier: plain }), 400, 'invalid_grant')
  })
})
