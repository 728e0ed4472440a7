import { randomBytes } from 'node:crypto'
import request from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { clientId, expectTokens, redirectUri, TestSignIn } from '../support/sign-in'

describe('authorization endpoint', () => {
  let host: TestSignIn
  beforeAll(async () => {
    host = await TestSignIn.start({ authenticate: () => ({ subject: 'customer-1', name: 'Ada' }) })
  })
  afterAll(() => host.stop())

  it('asks for consent and sends the browser back with a code that redeems', async () => {
    const codeVerifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: codeChallengeOf(codeVerifier),
      code_challenge_method: 'S256',
      state: 'a state',
      prompt: 'login consent',
    })
    const page = await request(host.url).get(`/v1/acme/oauth/authorize?${query}`)
    expect(page.status).toBe(200)
    const action = /action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const token = /name="consent_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const allow = () =>
      request(host.url)
        .post(`/v1/acme/oauth/authorize${action}`)
        .type('form')
        .send({ consent_token: token, decision: 'allow' })
    const [first, second] = await Promise.all([allow(), allow()])
    expect(first.status).toBe(303)
    expect(second.headers.location).toBe(first.headers.location)
    const location = new URL(first.headers.location ?? '')
    expect(location.searchParams.get('state')).toBe('a state')
    const code = location.searchParams.get('code') ?? ''
    expectTokens(await host.exchange({ code, codeVerifier, tenantKey: 'acme' }))
    expect((await allow()).headers.location).toContain('/authorize?')
  })
})
