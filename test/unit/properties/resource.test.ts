import { OAuthError } from 'customer-sign-in'
import fc from 'fast-check'
import { decode } from 'jsonwebtoken'
import { expectError, expectTokens, TestSignIn } from '../../support/sign-in'

describe('the resource of a request', () => {
  let host: TestSignIn
  beforeAll(async () => {
    host = await TestSignIn.start()
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
  })
  afterAll(() => host.stop())

  const segment = fc.constantFrom('v1', 'acme', 'globex', 'mcp', 'oauth', '', '..', '%2e%2e', 'v1%2Facme', 'x')
  const ending = fc.constantFrom('', '', '/', '?', '?resource=/v1/globex/mcp', '/?x')
  const likely = fc.constantFrom('', '/', '/?x', '/v1', '/v1/acme', '/v1/acme/mcp', '/v1/acme/mcp?x', '/v1/acme/oauth')
  const random = fc
    .tuple(fc.array(segment, { maxLength: 5 }), ending)
    .map(([segments, end]) => segments.map((each) => `/${each}`).join('') + end)
  const path = fc.oneof(likely, random)

  it('gives no token but for an API of the company that the customer has signed in to, whatever it is', async () => {
    const ours = [`${host.url}/v1/acme/mcp`, host.issuer()]
    let granted = 0
    await fc.assert(
      fc.asyncProperty(path, path, async (asked, repeated) => {
        const resource = host.url + asked
        const signedIn = await host.asCustomer({ resource }).catch((error: OAuthError) => error)
        if (signedIn instanceof OAuthError) return signedIn.code === 'invalid_target'
        granted += 1
        const response = await host.exchange(signedIn, { resource: host.url + repeated })
        if (response.status !== 200) expectError(response, 400, 'invalid_target')
        const tokens = expectTokens(response.status === 200 ? response : await host.exchange(signedIn, { resource }))
        expect(ours).toContain(decode(tokens.access_token, { json: true })?.aud)
        return true
      }),
      {
        numRuns: 300,
        examples: [
          ['', '/v1/acme'],
          ['/v1/acme/mcp?x', '/'],
          ['/v1/acme/oauth', '/v1/globex/mcp'],
        ],
      },
    )
    expect(granted).toBeGreaterThan(50)
  })
})
