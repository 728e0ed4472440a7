import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import request from 'supertest'
import { HostApp, testSignIn } from '../../support/host-app'

const metadata = '/.well-known/oauth-authorization-server/v1/acme/oauth'

/** The issuer in a host's metadata, for a request with these headers. */
async function issuerFor(host: HostApp, headers: Record<string, string>, path = metadata): Promise<string> {
  const { body } = await request(host.origin).get(path).set(headers).expect(200)
  return body.issuer
}

describe('the public address', () => {
  beforeAll(() => jest.spyOn(process, 'emitWarning').mockImplementation())
  afterAll(() => jest.restoreAllMocks())

  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'assistant.example' }

  describe.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('taken from the requests to %s', (_name, framework) => {
    let behindProxy: HostApp
    let unproxied: HostApp
    beforeAll(async () => {
      behindProxy = await HostApp.start(() => framework().set('trust proxy', 'loopback').use(testSignIn()))
      unproxied = await HostApp.start(() => framework().use(testSignIn()))
    })
    afterAll(() => Promise.all([behindProxy.stop(), unproxied.stop()]))

    it('is the address that a trusted proxy forwards', async () => {
      expect(await issuerFor(behindProxy, forwarded)).toBe('https://assistant.example/v1/acme/oauth')
    })

    it('keeps the port that a trusted proxy forwards', async () => {
      const headers = { ...forwarded, 'X-Forwarded-Host': 'assistant.example:8443' }
      expect(await issuerFor(behindProxy, headers)).toBe('https://assistant.example:8443/v1/acme/oauth')
    })

    it('is the address that a trusted proxy forwards, even if the host behind it has a longer name', async () => {
      const headers = { ...forwarded, Host: 'assistant.example.internal:3000' }
      expect(await issuerFor(behindProxy, headers)).toBe('https://assistant.example/v1/acme/oauth')
    })

    it('is the first forwarded address if the request went through several proxies', async () => {
      const headers = { ...forwarded, 'X-Forwarded-Host': 'assistant.example, inner.example' }
      expect(await issuerFor(behindProxy, headers)).toBe('https://assistant.example/v1/acme/oauth')
    })

    it('is that of the Host header if a trusted proxy forwards no other', async () => {
      const headers = { 'X-Forwarded-Proto': 'https', Host: 'assistant.example:8443' }
      expect(await issuerFor(behindProxy, headers)).toBe('https://assistant.example:8443/v1/acme/oauth')
    })

    it('is not what a client claims to have been forwarded', async () => {
      expect(await issuerFor(unproxied, forwarded)).toBe(`${unproxied.origin}/v1/acme/oauth`)
    })
  })

  it.each([
    ['Connect', () => connect().use(testSignIn())],
    ['node:http', () => testSignIn()],
  ])('taken from the requests to %s is not what a client claims to have been forwarded', async (_name, app) => {
    const host = await HostApp.start(app)
    try {
      expect(await issuerFor(host, forwarded)).toBe(`${host.origin}/v1/acme/oauth`)
    } finally {
      await host.stop()
    }
  })

  it('that is configured is the same whatever a request or a proxy says', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example' })
    const host = await HostApp.start(() => express().set('trust proxy', true).use(signIn))
    try {
      const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' }
      expect(await issuerFor(host, forged)).toBe('https://assistant.example/v1/acme/oauth')
    } finally {
      await host.stop()
    }
  })
})
