import { MemoryTenantStore } from 'customer-sign-in'
import request from 'supertest'
import {
  Authorization,
  asTheySay,
  expectErrorPage,
  expectErrorRedirect,
  expectRedirect,
} from '../../support/authorization'
import { clientId, expectError, expectTokens, formBody, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { head, rawRequest } from '../http/raw-request'

const signedIn = (options: object = {}) => started({ authenticate: asTheySay, ...options })

describe('a client that is connected to two companies', () => {
  it('learns from iss which of them has responded, also with an error', async () => {
    const host = await signedIn()
    for (const tenantKey of ['acme', 'globex']) {
      const authorization = new Authorization(host, {}, tenantKey)
      const location = expectRedirect(await authorization.answer(await authorization.form()))
      expect(location.searchParams.getAll('iss')).toEqual([host.issuer(tenantKey)])
      const denied = await new Authorization(host, { scope: 'admin' }, tenantKey).open()
      expectErrorRedirect(denied, 'invalid_scope', host.issuer(tenantKey))
    }
  })

  it('gets the issuer of the metadata, whatever address the request names', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host, { iss: 'https://evil.example' })
    const { token } = await authorization.form()
    const response = await request(host.url)
      .post(authorization.path)
      .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' })
      .type('form')
      .send({ consent_token: token, decision: 'allow' })
    const metadata = await fetch(`${host.issuer()}/.well-known/oauth-authorization-server`)
    expect(expectRedirect(response).searchParams.get('iss')).toBe(Object(await metadata.json()).issuer)
  })

  it('that sends the code of one to the other is refused, and uses no code up', async () => {
    const host = await signedIn()
    const code = await new Authorization(host).allowed()
    expectError(await host.exchange({ ...code, tenantKey: 'globex' }), 400, 'invalid_grant')
    expectTokens(await host.exchange(code))
  })
})

describe('a code that is injected', () => {
  it('into the session of another customer is refused, and still works in its own', async () => {
    const host = await signedIn()
    const victim = await new Authorization(host).allowed('victim')
    const attacker = await new Authorization(host).allowed('attacker')
    expectError(await host.exchange({ ...attacker, code: victim.code }), 400, 'invalid_grant')
    expectTokens(await host.exchange(victim))
    expectTokens(await host.exchange(attacker))
  })

  it('into another client is refused', async () => {
    const host = await signedIn()
    const code = await new Authorization(host, {}, 'globex').allowed()
    expectError(await host.exchange(code, { client_id: 'other-app' }), 400, 'invalid_grant')
    expectTokens(await host.exchange(code))
  })

  it('with another redirect URI of the client is refused', async () => {
    const second = 'https://assistant.example/second'
    const clients = [{ clientId, redirectUris: [redirectUri, second] }]
    const host = await signedIn({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
    const code = await new Authorization(host, { redirect_uri: second }).allowed()
    expectError(await host.exchange(code), 400, 'invalid_grant')
    expectTokens(await host.exchange(code, { redirect_uri: second }))
  })
})

describe('a parameter is never taken for another', () => {
  it.each([
    ['in brackets', 'client_id[]', 'redirect_uri[]'],
    ['with an index', 'client_id[0]', 'redirect_uri[0]'],
    ['in capitals', 'CLIENT_ID', 'REDIRECT_URI'],
    ['with a space', ' client_id', ' redirect_uri'],
  ])('%s', async (_, clientName, uriName) => {
    const host = await signedIn()
    const spelled = { client_id: undefined, redirect_uri: undefined, [clientName]: clientId, [uriName]: redirectUri }
    expectErrorPage(await new Authorization(host, spelled).open())
  })

  it('behind a semicolon, or an encoded ampersand', async () => {
    const host = await signedIn()
    for (const state of ['a;redirect_uri=https://evil.example', 'a&redirect_uri=https://evil.example']) {
      const authorization = new Authorization(host, { state })
      const location = expectRedirect(await authorization.answer(await authorization.form()))
      expect(location.searchParams.get('state')).toBe(state)
    }
  })

  it('in the body of the consent form', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host, { scope: 'profile' })
    const { token } = await authorization.form()
    const more = { redirect_uri: 'https://evil.example', scope: 'profile calendar', state: 'x', client_id: 'x' }
    const body = formBody({ consent_token: token, decision: 'allow', ...more })
    const response = await request(host.url).post(authorization.path).type('form').send(body)
    expect(expectRedirect(response).searchParams.get('state')).toBe('a state')
    expect(expectTokens(await host.exchange(authorization.signedIn(response))).scope).toBe('profile')
  })
})

describe('a line break adds no header', () => {
  const lines = 'x\r\nSet-Cookie: evil=1\r\nX-Evil: 1\r\n\r\n<script>alert(1)</script>'
  const parameters = [
    ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'code_challenge', 'code_challenge_method'],
    ...['state', 'scope', 'resource', 'prompt', 'login_hint', 'nobody_knows', lines],
  ]

  it.each(parameters)('in %j', async (parameter) => {
    const host = await signedIn()
    for (const value of [lines, lines.replaceAll('\r', ''), lines.replaceAll('\n', '')]) {
      const { path } = new Authorization(host, { [parameter]: value })
      const { headers, body, status } = await rawRequest(host.url, head(`GET ${path}`))
      expect([200, 303, 400]).toContain(status)
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/set-cookie|x-evil/)]))
      expect(body).not.toContain('<script>')
    }
  })

  it('in the state that goes with the code', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host, { state: lines })
    const response = await authorization.answer(await authorization.form())
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(expectRedirect(response).searchParams.get('state')).toBe(lines)
  })

  it.each(['\r\n', '\n', '\r', '\0'])('as a raw character: %j', async (raw) => {
    const host = await signedIn()
    const { path } = new Authorization(host)
    const { status, headers } = await rawRequest(host.url, head(`GET ${path}&x=${raw}Set-Cookie:evil=1`))
    expect([200, 400]).toContain(status)
    expect(headers).not.toHaveProperty('set-cookie')
  })
})

describe('a request target in absolute form', () => {
  it.each(['http://evil.example', 'https://evil.example:8443', 'HTTP://[2001:db8::1]:80'])(
    'that names %s does not change request.url',
    async (origin) => {
      const urls: string[] = []
      const host = await signedIn({
        authenticate: (...[, , { url }]: [unknown, unknown, { url: string }]) => {
          urls.push(url)
          return { subject: 'customer-1' }
        },
      })
      const { path, query } = new Authorization(host)
      const { status, body } = await rawRequest(host.url, head(`GET ${origin}${path}`))
      expect({ status, urls }).toEqual({ status: 200, urls: [`${host.issuer()}/authorize?${query}`] })
      expect(body).not.toContain('evil')
    },
  )
})
