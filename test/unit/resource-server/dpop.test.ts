import { createHash } from 'node:crypto'
import { type TestTokens, type TokensRequest, tokensFor } from 'customer-sign-in/testing'
import request from 'supertest'
import { ProofKey } from '../../../src/protocol/proof-key'
import { ApiHost } from '../../support/api-host'
import { clientId, expectError, tenants } from '../../support/sign-in'
import type { TestOptions } from '../../support/test-options'

const path = '/v1/acme/mcp'

async function apiHost(options: TestOptions = {}, basePath = '') {
  const host = await ApiHost.start(options, basePath)
  return host.protect({ scopes: ['profile'], path: `${basePath}/v1/:tenantKey/mcp` }, `${basePath}/v1/:tenantKey/mcp`)
}

function boundTokens(host: ApiHost, terms: Partial<TokensRequest> = {}): Promise<TestTokens> {
  return tokensFor(host.signIn, { tenantKey: 'acme', subject: 'customer-1', clientId, dpop: true, ...terms })
}

/** Sends a request from a client with a key of its own to an API. */
function presenting(host: ApiHost, { accessToken }: TestTokens, headers: Record<string, string>, method = 'get') {
  const call = request(host.baseUrl)[method as 'get'](path)
  return call.set({ authorization: `DPoP ${accessToken}`, ...headers })
}

const challengeOf = ({ headers }: { headers: Record<string, string> }) => headers['www-authenticate']

describe('an access token that is bound to a key', () => {
  it('comes with the scheme DPoP and a proof of each request', async () => {
    const host = await apiHost()
    const tokens = await boundTokens(host)
    for (const method of ['get', 'post', 'delete'] as const) {
      const url = host.baseUrl + path
      const { body } = await request(host.baseUrl)
        [method](path)
        .set(tokens.headersFor(method.toUpperCase(), url))
        .expect(200)
      expect(body).toMatchObject({ subject: 'customer-1', tenantKey: 'acme' })
    }
  })

  it('is good below the API, and with a query', async () => {
    const host = await apiHost()
    const tokens = await boundTokens(host)
    const url = `${host.baseUrl}${path}/files/1`
    await request(host.baseUrl).get(`${path}/files/1?page=2`).set(tokens.headersFor('GET', url)).expect(200)
  })

  it('is refused as a bearer token everywhere', async () => {
    const host = await apiHost()
    const { accessToken, headersFor } = await boundTokens(host)
    const { dpop = '' } = headersFor('GET', host.baseUrl + path)
    for (const headers of [{}, { dpop }]) {
      const authorization = `Bearer ${accessToken}`
      const refused = await request(host.baseUrl)
        .get(path)
        .set({ authorization, ...headers })
      expect(expectError(refused, 401, 'invalid_token')).toContain('must come with a DPoP proof')
      expect(challengeOf(refused)).toMatch(/^DPoP error="invalid_token"/)
    }
    const bound = { code: 'invalid_token', reason: 'bound_token' }
    await expect(host.signIn.verifyAccessToken(accessToken, { tenantKey: 'acme' })).rejects.toMatchObject(bound)
    const verifier = host.signIn.verifier({ tenantKey: 'acme', invalidToken: (text) => new Error(text) })
    await expect(verifier.verifyAccessToken(accessToken)).rejects.toThrow('must come with a DPoP proof')
  })

  it('is verified with its request by verifyAccessToken', async () => {
    const host = await apiHost()
    const { accessToken, headersFor } = await boundTokens(host)
    const url = host.baseUrl + path
    const verify = (headers: Record<string, string>, token = accessToken) =>
      host.signIn.verifyAccessToken(token, {
        tenantKey: 'acme',
        req: Object.assign(Object.create(null), { method: 'GET', url: path, headers }),
      })
    await expect(verify(headersFor('GET', url))).resolves.toMatchObject({ subject: 'customer-1' })
    const { dpop = '' } = headersFor('POST', url)
    await expect(verify({ ...headersFor('GET', url), dpop })).rejects.toMatchObject({ code: 'invalid_dpop_proof' })
    const another = await boundTokens(host)
    await expect(verify(headersFor('GET', url), another.accessToken)).rejects.toMatchObject({ reason: 'bound_token' })
  })

  it('is challenged with the algorithms of proofs', async () => {
    const host = await apiHost()
    const tokens = await boundTokens(host)
    const refused = await presenting(host, tokens, {})
    expectError(refused, 401, 'invalid_dpop_proof')
    expect(challengeOf(refused)).toBe(
      `DPoP error="invalid_dpop_proof", error_description="The request must have a DPoP proof", scope="profile", resource_metadata="${host.baseUrl}/.well-known/oauth-protected-resource${path}", algs="ES256 ES384 RS256 PS256 EdDSA Ed25519"`,
    )
  })

  it('needs more scopes by the same scheme', async () => {
    const host = await apiHost()
    const tokens = await boundTokens(host, { scopes: 'calendar' })
    const refused = await request(host.baseUrl)
      .get(path)
      .set(tokens.headersFor('GET', host.baseUrl + path))
    expectError(refused, 403, 'insufficient_scope')
    expect(challengeOf(refused)).toMatch(/^DPoP error="insufficient_scope"/)
  })
})

describe('a proof at an API', () => {
  const thief = new ProofKey()
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
  type Wrong = (tokens: TestTokens, url: string) => Record<string, string>
  const proven = (claims: (tokens: TestTokens, url: string) => object, key = thief): Wrong => {
    return (tokens, url) => {
      const { accessToken } = tokens
      return { dpop: key.proof({ method: 'GET', url, accessToken, now: Date.now() }, { ...claims(tokens, url) }) }
    }
  }
  const broken: [string, Wrong][] = [
    ['of another key', proven(() => ({}))],
    ['of another method', ({ headersFor }, url) => headersFor('POST', url)],
    ['of another path', ({ headersFor }, url) => headersFor('GET', `${url}/files`)],
    ['of another host', ({ headersFor }, url) => headersFor('GET', url.replace('127.0.0.1', 'api.example'))],
    ['of another company', ({ headersFor }, url) => headersFor('GET', url.replace('acme', 'globex'))],
    ['without the hash of the token', proven(() => ({ ath: undefined }))],
    ['with the hash of another token', proven(() => ({ ath: hash('another') }))],
    ['with the token itself', proven(({ accessToken }) => ({ ath: accessToken }))],
    ['that is empty', () => ({ dpop: '' })],
    ['that comes twice', ({ headersFor }, url) => ({ dpop: Array(2).fill(headersFor('GET', url).dpop).join(', ') })],
    ['for the token endpoint', ({ headersFor }, url) => headersFor('GET', url.replace('/mcp', '/oauth/token'))],
  ]

  it.each(broken)('is refused %s', async (_, wrong) => {
    const host = await apiHost()
    const tokens = await boundTokens(host)
    const url = host.baseUrl + path
    expectError(await presenting(host, tokens, wrong(tokens, url)), 401, 'invalid_dpop_proof')
    await presenting(host, tokens, tokens.headersFor('GET', url)).expect(200)
  })

  it('is refused with another token of the same key', async () => {
    const host = await apiHost()
    const first = await boundTokens(host)
    const second = await first.refresh()
    const { dpop = '' } = first.headersFor('GET', host.baseUrl + path)
    expectError(await presenting(host, second, { dpop }), 401, 'invalid_dpop_proof')
    await presenting(host, first, { dpop }).expect(200)
  })

  it('is good for a minute, and after that takes a nonce', async () => {
    const host = await apiHost()
    const tokens = await boundTokens(host)
    const url = host.baseUrl + path
    const old = tokens.headersFor('GET', url)
    host.signIn.clock.advance(58)
    await presenting(host, tokens, old).expect(200)
    host.signIn.clock.advance(10)
    const refused = await presenting(host, tokens, old)
    expectError(refused, 401, 'use_dpop_nonce')
    expect(refused.headers['dpop-nonce']).toEqual(expect.any(String))
    expect(challengeOf(refused)).toMatch(/^DPoP error="use_dpop_nonce"/)
  })

  it('names the address of the API as it is configured, whatever the request says', async () => {
    const host = await apiHost({ baseUrl: 'https://assistant.example' })
    const tokens = await boundTokens(host)
    await presenting(host, tokens, tokens.headersFor('GET', `https://assistant.example${path}`)).expect(200)
    const headers = { ...tokens.headersFor('GET', `https://attacker.example${path}`), host: 'attacker.example' }
    expectError(await presenting(host, tokens, headers), 401, 'invalid_dpop_proof')
  })

  it('names the path that a proxy has taken off', async () => {
    const host = await apiHost({ baseUrl: 'https://assistant.example/chat' })
    const tokens = await boundTokens(host)
    await presenting(host, tokens, tokens.headersFor('GET', `https://assistant.example/chat${path}`)).expect(200)
  })

  it('names the server of the company where the API is no address', async () => {
    const resource = 'urn:acme:https://elsewhere.example'
    const [acme] = tenants
    const host = await apiHost({ tenantStore: { findTenant: () => ({ ...acme, key: 'acme', resources: [resource] }) } })
    const { accessToken, headersFor } = await boundTokens(host, { resource })
    const headers = headersFor('GET', host.baseUrl + path)
    const req = Object.assign(Object.create(null), { method: 'GET', url: path, headers })
    const verified = await host.signIn.verifyAccessToken(accessToken, { tenantKey: 'acme', resource, req })
    expect(verified).toMatchObject({ subject: 'customer-1', resource: new URL(resource) })
  })
})

describe('an access token that is not bound', () => {
  it('is no DPoP token', async () => {
    const onEvent = jest.fn()
    const host = await apiHost({ onEvent })
    const tokens = await tokensFor(host.signIn, { tenantKey: 'acme', subject: 'customer-1', clientId })
    const key = new ProofKey()
    const { accessToken } = tokens
    const dpop = key.proof({ method: 'GET', url: host.baseUrl + path, accessToken, now: Date.now() })
    expectError(await presenting(host, tokens, { dpop }), 401, 'invalid_token')
    expect(onEvent).toHaveBeenLastCalledWith(expect.objectContaining({ type: 'denied', reason: 'unbound_token' }))
  })

  it('is refused at a company that requires keys, which says so', async () => {
    const [acme] = tenants
    let requireDpop = false
    const host = await apiHost({ tenantStore: { findTenant: () => ({ ...acme, key: 'acme', requireDpop }) } })
    const tokens = await tokensFor(host.signIn, { tenantKey: 'acme', subject: 'customer-1', clientId })
    const bound = await boundTokens(host)
    const url = host.baseUrl + path
    await request(host.baseUrl).get(path).set(tokens.headersFor('GET', url)).expect(200)
    requireDpop = true
    const refused = await request(host.baseUrl).get(path).set(tokens.headersFor('GET', url))
    expect(expectError(refused, 401, 'invalid_token')).toBe('The access token is not bound to a key')
    expect(challengeOf(refused)).toMatch(/^DPoP /)
    expect(challengeOf(await request(host.baseUrl).get(path))).toMatch(/^DPoP scope="profile", resource_metadata=/)
    await request(host.baseUrl).get(path).set(bound.headersFor('GET', url)).expect(200)
    const metadata = await request(host.baseUrl).get(`/.well-known/oauth-protected-resource${path}`)
    expect(metadata.body).toMatchObject({ dpop_bound_access_tokens_required: true })
  })
})
