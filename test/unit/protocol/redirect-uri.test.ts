import { MemoryTenantStore } from 'customer-sign-in'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { hasProvenReceiver } from '../../../src/protocol/redirect-uri'
import { clientId, expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

const codeVerifier = 'x'.repeat(43)

/** A host at which the client has registered this redirect URI, and a request for a code. */
async function registered(redirectUri: string) {
  const clients = [{ clientId, redirectUris: ['https://other.example/', redirectUri] }]
  const host = await started({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
  const codeFor = (presented: string, state?: string) =>
    host.signIn.issueAuthorizationCode({
      tenantKey: 'acme',
      clientId,
      redirectUri: presented,
      codeChallenge: codeChallengeOf(codeVerifier),
      codeChallengeMethod: 'S256',
      subject: 'customer-1',
      state,
    })
  return { host, codeFor }
}

describe('a redirect URI', () => {
  it.each([
    'https://app.example/callback/',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'https://app.example:443/callback',
    'http://app.example/callback',
    'https://app.example/callback?x',
    'https://app.example/callback#x',
    'https://app.example/a/../callback',
    'https://app.example/callback%2f',
    'https://app.example.evil.example/callback',
    'https://evil.example/?https://app.example/callback',
    '',
  ])('must be the registered one, exactly: not %s', async (presented) => {
    const { codeFor } = await registered('https://app.example/callback')
    await codeFor('https://app.example/callback')
    await expect(codeFor(presented)).rejects.toMatchObject({ code: 'unauthorized_client' })
  })

  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1/callback'],
    ['http://localhost/callback?app=1', 'http://localhost:49152/callback?app=1'],
    ['http://[::1]:1', 'http://[::1]:49152'],
    ['http://127.0.0.1:33418', 'http://127.0.0.1:49152/'],
  ])('on loopback may have another port (RFC 8252 section 7.3): %s, %s', async (uri, presented) => {
    const { host, codeFor } = await registered(uri)
    const { code } = await codeFor(presented)
    const signedIn = { code, codeVerifier, tenantKey: 'acme' }
    // The exchange must name the same redirect URI as the request.
    expectError(await host.exchange(signedIn, { redirect_uri: uri }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { redirect_uri: presented }))
  })

  it.each([
    ['http://127.0.0.1:33418', 'http://127.0.0.1:33418/'],
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:33418'],
    ['https://app.example', 'https://app.example/'],
    ['https://app.example:8443/?app=1', 'https://app.example:8443?app=1'],
  ])('is the same without a path and with the path / (RFC 3986 section 6.2.3): %s, %s', async (uri, presented) => {
    const { host, codeFor } = await registered(uri)
    const { code, redirectTo } = await codeFor(presented)
    expect(redirectTo.startsWith(presented)).toBe(true)
    const signedIn = { code, codeVerifier, tenantKey: 'acme' }
    // The exchange must still name the same text as the request.
    expectError(await host.exchange(signedIn, { redirect_uri: uri }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn, { redirect_uri: presented }))
  })

  it.each([
    ['https://app.example', 'https://app.example//'],
    ['https://app.example', 'https://app.example/?'],
    ['https://app.example', 'https://app.example\\'],
    ['https://app.example', 'https://app.example\n'],
    ['https://app.example', 'https://app.example.evil.example/'],
    ['https://app.example', 'https://app.example@evil.example/'],
    ['https://app.example/', 'https://app.example#'],
    ['https://app.example/callback', 'https://app.example/callback/'],
    ['https://app.example/?to=https://b.example', 'https://app.example/?to=https://b.example/'],
    ['com.example.app://host', 'com.example.app://host/'],
    ['com.example.app:', 'com.example.app:/'],
  ])('has no other path that may be left out: %s, %s', async (uri, presented) => {
    const { codeFor } = await registered(uri)
    await expect(codeFor(presented)).rejects.toMatchObject({ code: 'unauthorized_client' })
  })

  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/other'],
    ['http://127.0.0.1/callback', 'http://localhost:49152/callback'],
    ['http://127.0.0.1/callback', 'https://127.0.0.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152@evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1.evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:123456/callback'],
    ['http://localhost/callback', 'http://localhost.evil.example/callback'],
    ['http://localhost/callback', 'http://localhost:1.evil.example/callback'],
    ['https://localhost/callback', 'https://localhost:49152/callback'],
  ])('on loopback may differ in nothing but the port: %s, %s', async (uri, presented) => {
    const { codeFor } = await registered(uri)
    await expect(codeFor(presented)).rejects.toMatchObject({ code: 'unauthorized_client' })
  })

  it.each([
    ['https://app.example/callback', 'https://app.example/callback?'],
    ['https://app.example/callback?app=1', 'https://app.example/callback?app=1&'],
    ['com.example.app:/callback', 'com.example.app:/callback?'],
    ['cursor://anysphere.cursor/callback', 'cursor://anysphere.cursor/callback?'],
  ])('is not changed when code, state and iss are added to it: %s', async (uri, beginning) => {
    const { host, codeFor } = await registered(uri)
    const { code, redirectTo } = await codeFor(uri, 'a state & more=é')
    expect(redirectTo.startsWith(beginning)).toBe(true)
    const added = new URLSearchParams(redirectTo.slice(beginning.length))
    expect([...added]).toEqual([
      ['code', code],
      ['state', 'a state & more=é'],
      ['iss', host.issuer()],
    ])
  })

  it('gets no state if the request had none, and an empty one if that was empty', async () => {
    const { codeFor } = await registered('https://app.example/callback')
    const paramsOf = async (state?: string) =>
      new URL((await codeFor('https://app.example/callback', state)).redirectTo).searchParams
    expect((await paramsOf()).has('state')).toBe(false)
    expect((await paramsOf('')).get('state')).toBe('')
  })
})

describe('the receiver of a redirect URI', () => {
  it.each(['https://assistant.example/callback', 'https://assistant.example', 'HTTPS://Assistant.example:8443/?a=b'])(
    'is proven by the name of its host: %s',
    (redirectUri) => {
      expect(hasProvenReceiver(redirectUri)).toBe(true)
    },
  )

  it.each([
    'http://127.0.0.1/callback',
    'https://127.0.0.1/callback',
    'https://localhost:3000/callback',
    'https://[::1]/callback',
    'https://app.localhost/callback',
    'https://127.0.0.2/callback',
    'https://[::ffff:127.0.0.1]/callback',
    'https://localhost./callback',
    'https://0.0.0.0/callback',
    'com.example.app:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('can be anybody on the device: %s', (redirectUri) => {
    expect(hasProvenReceiver(redirectUri)).toBe(false)
  })
})
