import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { MemoryTenantStore } from 'customer-sign-in'
import express from 'express'
import { answerOf } from '../../../src/doctor/answer'
import { examine } from '../../../src/doctor/examine'
import { OwnBrowser } from '../../../src/doctor/sign-in-window'
import { readServer } from '../../../src/doctor/steps/metadata'
import { signIn } from '../../../src/doctor/steps/tokens'
import { Visit } from '../../../src/doctor/visit'
import { deployed, findingsOf, listening } from '../../support/deployment'

const api = 'https://assistant.example/v1/acme/mcp'
const issuer = 'https://assistant.example/v1/acme/oauth'
const client = { id: 'app', redirectUri: 'http://127.0.0.1/callback', source: 'given' } as const

describe('a server that means harm to the doctor', () => {
  it('does not get the code of another server', async () => {
    const clients = [{ clientId: 'app', redirectUris: [client.redirectUri], firstParty: true }]
    const codes: string[] = []
    const origin = await deployed({
      options: () => ({
        tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', clients }]),
        authenticate: () => ({ subject: 'ada' }),
        pages: { consent: false },
      }),
      before: () => (req, res, next) =>
        express.urlencoded()(req, res, () => {
          if (req.path.endsWith('/token')) codes.push(String(req.body?.code))
          next()
        }),
    })
    const open = async (url: string) => {
      const state = String(new URL(url).searchParams.get('state'))
      return new URLSearchParams({ code: 'code-of-another', state, iss: 'https://other.example' })
    }
    const window = { redirectUri: client.redirectUri, minutes: 5, open }
    expect(findingsOf(await examine(`${origin}/v1/acme/mcp`, { clientId: 'app', window }))).toEqual([
      'sign-in: iss-differs',
    ])
    expect(codes).not.toEqual([])
    expect(codes).not.toContain('code-of-another')
  })

  it('does not let it delete something elsewhere', async () => {
    const elsewhere = await listening()
    const asked: unknown[] = []
    elsewhere.answer((req, res) => {
      asked.push(req.method)
      res.writeHead(204).end()
    })
    const origin = await deployed({
      before: () => (req, res, next) => {
        if (req.method !== 'POST' || !req.path.endsWith('/register')) return next()
        const registration_client_uri = `http://127.0.0.1:${elsewhere.port}/customers`
        res.status(201).json({ client_id: 'app', registration_client_uri, registration_access_token: 'chosen' })
      },
    })
    const { steps } = await examine(`${origin}/v1/acme/mcp`)
    expect(steps.find(({ step }) => step === 'leave')?.notes).toEqual([
      expect.stringContaining('If this is another server, it has named no way to delete the client app.'),
    ])
    expect(asked).toEqual([])
  })

  it.each(['http://localhost:2375/containers/create', 'http://127.0.0.1:9200/_shutdown', 'https://[::1]/x'])(
    'does not send it to what listens on its own machine: %s',
    async (endpoint) => {
      const asked: string[] = []
      const members = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: endpoint,
      }
      const resource = { resource: api, issuer, reachedAt: issuer }
      const visit = new Visit(api, {}, { resource })
      visit.wire.ask = async (url) => {
        asked.push(url)
        return answerOf(url, 'GET', 200, {}, JSON.stringify(members))
      }
      await expect(readServer(visit)).rejects.toMatchObject({
        code: 'wrong-host',
        values: { member: 'registration_endpoint', value: endpoint },
      })
      expect(asked).not.toContain(endpoint)
    },
  )

  describe('does not get a customer to sign in', () => {
    const server = {
      issuer,
      authorization: `${issuer}/authorize`,
      token: `${issuer}/token`,
      registration: undefined,
      revocation: undefined,
      keys: undefined,
      members: { authorization_response_iss_parameter_supported: true },
    }
    const resource = { resource: api, issuer, reachedAt: issuer }
    const open = jest.fn(async () => undefined)
    const window = { redirectUri: client.redirectUri, minutes: 5, open }
    const signedIn = (more: object, at = resource) => {
      const asked = { asked: { method: 'GET' }, challenge: undefined }
      const found = { api: asked, server: { ...server, ...more }, registration: client, resource: at }
      return signIn(new Visit(api, {}, found), window)
    }

    afterEach(() => open.mockClear())

    it('if the tokens would go without TLS', async () => {
      const token = 'http://assistant.example/v1/acme/oauth/token'
      await expect(signedIn({ token })).rejects.toThrow('Others could read the tokens')
      expect(open).not.toHaveBeenCalled()
    })

    it('if it names another server as its issuer, whose codes it would get', async () => {
      const reachedAt = 'https://evil.example/v1/acme/oauth'
      const endpoints = { authorization: `${reachedAt}/authorize`, token: `${reachedAt}/token` }
      await expect(signedIn(endpoints, { ...resource, reachedAt })).rejects.toThrow('names another host as its issuer')
      expect(open).not.toHaveBeenCalled()
    })

    it.each([
      ['on https', {}],
      [
        'of a server on http',
        { issuer: 'http://assistant.example/v1/acme/oauth', token: 'http://assistant.example/t' },
      ],
      ['on the own device', { token: 'http://localhost/token' }],
    ])('but it does with a token endpoint %s', async (_, more) => {
      await expect(signedIn(more)).rejects.toMatchObject({ code: 'sign-in-abandoned' })
      expect(open).toHaveBeenCalledTimes(1)
    })
  })
})

describe('the address that the browser comes back to', () => {
  it('answers a request that is no address, and still waits for the browser', async () => {
    const callback = await OwnBrowser.listen()
    try {
      const answer = callback.answer(60_000)
      const { port } = new URL(callback.redirectUri)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write('GET // HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
      await fetch(`${callback.redirectUri}?code=x`)
      expect(String(await answer)).toBe('code=x')
    } finally {
      callback.close()
    }
  })
})
