import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import request from 'supertest'
import { BaseUrl } from '../../../src/http/request-address'
import { HostApp, testSignIn } from '../../support/host-app'
import { clientId, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { testCertificate } from '../../support/tls-certificate'

const wellKnown = '/.well-known/oauth-authorization-server'

describe('a baseUrl that is set', () => {
  it.each([
    ['https://assistant.example', 'https://assistant.example'],
    ['https://assistant.example/', 'https://assistant.example'],
    ['https://assistant.example:8443/auth//', 'https://assistant.example:8443/auth'],
  ])('is the beginning of all issuers, without a trailing slash: %s', async (baseUrl, beginning) => {
    const host = await started({ baseUrl })
    const { body } = await request(host.url).get(`/v1/acme/oauth${wellKnown}`)
    expect(body.issuer).toBe(`${beginning}/v1/acme/oauth`)
  })
})

describe('the base URL', () => {
  it('knows whether the host has set it, and the rest of a path below it', () => {
    const [set, unset] = [new BaseUrl('https://assistant.example/auth/'), new BaseUrl(undefined)]
    expect([set.isConfigured, unset.isConfigured]).toEqual([true, false])
    expect(['/auth/v1', '/auth', '/authors', '/v1'].map((path) => set.below(path))).toEqual([
      '/v1',
      '/auth',
      '/authors',
      '/v1',
    ])
    expect(unset.below('/auth/v1')).toBe('/auth/v1')
  })
})

describe('a baseUrl that is not set', () => {
  beforeEach(() => jest.spyOn(process, 'emitWarning').mockImplementation())
  afterEach(() => jest.restoreAllMocks())

  it('is known from the first request on, for codes and access tokens too', async () => {
    const host = await started({ baseUrl: undefined })
    await expect(host.asCustomer()).rejects.toMatchObject({ name: 'ConfigurationError', option: 'baseUrl' })
    await request(host.url).get(`/v1/acme/oauth${wellKnown}`)
    const { access_token } = expectTokens(await host.exchange(await host.asCustomer()))
    const { claims } = await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    expect(claims.iss).toBe(host.issuer())
  })

  it('is https at a server that speaks TLS itself', async () => {
    const server = createServer(testCertificate(), testSignIn({ baseUrl: undefined }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { body } = await request(origin).get(`/v1/acme/oauth${wellKnown}`).ca(testCertificate().cert)
      expect(body.issuer).toBe(`${origin}/v1/acme/oauth`)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('stays known if signIn.wellKnown sees the requests for other pages', async () => {
    const signIn = testSignIn()
    const host = await HostApp.start(() => express().use(signIn.wellKnown).use('/auth', signIn))
    try {
      const issuer = `${host.origin}/auth/v1/acme/oauth`
      const { body } = await request(host.origin).get(`/auth/v1/acme/oauth${wellKnown}`)
      expect(body.issuer).toBe(issuer)
      await request(host.origin).get('/sign-in').expect(404)
      const { redirectTo } = await signIn.issueAuthorizationCode({
        tenantKey: 'acme',
        clientId,
        redirectUri,
        codeChallenge: 'x'.repeat(43),
        codeChallengeMethod: 'S256',
        subject: 'customer-1',
      })
      expect(new URL(redirectTo).searchParams.get('iss')).toBe(issuer)
    } finally {
      await host.stop()
    }
  })
})

describe('the address of a request', () => {
  const addressOf = (host: string | undefined, more: object = {}) => {
    const req = { headers: { host }, socket: {}, url: '/v1', originalUrl: '/v1', ...more }
    return new BaseUrl(undefined).ofRouter(req as unknown as IncomingMessage)
  }
  const behindProxy = (forwarded: string | string[], trusts: unknown = () => true) => ({
    headers: { host: 'inside.example', 'x-forwarded-host': forwarded },
    app: { get: () => trusts },
  })

  it.each(['host.example', 'host.example:8080', '[::1]:3000'])('is at its host: %s', (host) => {
    expect(addressOf(host)).toBe(`http://${host}`)
    expect(addressOf(host, { protocol: 'https', app: {} })).toBe(`https://${host}`)
  })

  it.each([undefined, '', 'a b', 'a/b', 'a?b', 'a#b', 'user@host.example', 'a\\b', '[', 'a/b://c'])(
    'is localhost if the host is %j',
    (host) => {
      expect(addressOf(host)).toBe('http://localhost')
    },
  )

  it('is the first host that a trusted proxy was asked for', () => {
    expect(addressOf('', behindProxy(' outside.example , other.example'))).toBe('http://outside.example')
    expect(addressOf('', behindProxy(['outside.example', 'other.example']))).toBe('http://outside.example')
    expect(addressOf('', behindProxy(' '))).toBe('http://inside.example')
    expect(
      addressOf(
        '',
        behindProxy('outside.example', () => false),
      ),
    ).toBe('http://inside.example')
    expect(addressOf('', behindProxy('outside.example', null))).toBe('http://inside.example')
  })

  it.each([
    ['/v1/acme', '/v1/acme', ''],
    ['/auth/v1/acme?a=/b', '/v1/acme?a=/b', '/auth'],
    ['/auth/', '/', '/auth'],
    ['/auth', '/', '/auth'],
    ['/', '/', ''],
    ['/elsewhere', '/v1', ''],
  ])('has the path that the router is mounted under: of %s, seen as %s, it is %j', (originalUrl, url, path) => {
    expect(addressOf('host.example', { originalUrl, url })).toBe(`http://host.example${path}`)
  })

  it.each(['https://host.example', 'https://host.example/'])('has no path if it is %s', (configured) => {
    expect(new BaseUrl(configured).path).toBe('')
  })
})
