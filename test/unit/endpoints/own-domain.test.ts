import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { CustomerSignInOptions, Tenant } from 'customer-sign-in'
import express, { type RequestHandler } from 'express'
import request, { type Response, type Test } from 'supertest'
import {
  Authorization,
  asTheySay,
  expectErrorPage,
  expectErrorRedirect,
  expectRedirect,
} from '../../support/authorization'
import { consentForm } from '../../support/consent-form'
import { readToken } from '../../support/forged-token'
import { HostApp, postToken, signedInTo, testSignIn } from '../../support/host-app'
import { acmeAddress, acmeHost, initechAddress, initechHost, onDomains, storeOf } from '../../support/own-domain'
import {
  clientId,
  expectError,
  expectTokens,
  type FormFields,
  formBody,
  redirectUri,
  type TestSignIn,
} from '../../support/sign-in'
import { started } from '../../support/started'
import { head, rawRequest } from '../http/raw-request'

const metadataPath = '/.well-known/oauth-authorization-server'
const tenantStore = storeOf(() => onDomains)
const startedThere = () => started({ tenantStore, authenticate: asTheySay })

/** Sends a request to a domain, which leads to the test's own server. */
const get = (host: TestSignIn, path: string, domain = acmeHost): Test => request(host.url).get(path).set('Host', domain)

const post = (host: TestSignIn, path: string, fields: FormFields, domain = acmeHost): Test =>
  request(host.url).post(path).set('Host', domain).type('form').send(formBody(fields))

/** A customer of a company signs in on the company's domain. @returns The authorization response, and the form that redeems its code. */
async function signedIn(host: TestSignIn, domain = acmeHost) {
  const { query, codeVerifier } = new Authorization(host)
  const path = `/oauth/authorize?${query}`
  const form = consentForm(await get(host, path, domain).expect(200))
  const { pathname, search } = new URL(form.action, `https://${domain}${path}`)
  const allowed = await post(host, pathname + search, { consent_token: form.token, decision: 'allow' }, domain)
  const response = expectRedirect(allowed).searchParams
  const code = response.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri }
  return { response, fields: { ...fields, code_verifier: codeVerifier } }
}

const refreshing = (refresh_token: string) => ({ grant_type: 'refresh_token', client_id: clientId, refresh_token })

/** Sends a `GET` over HTTP/2, which names its host in a way of its own. */
async function overHttp2(authority: string, path: string): Promise<{ status: number | undefined; body: string }> {
  const signIn = testSignIn({ baseUrl: 'https://assistant.example', tenantStore })
  const server = createHttp2Server((req, res) => signIn(req as never, res as never))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    const stream = session.request({ ':path': path, ':authority': authority })
    const responding = once(stream, 'response')
    const received: Buffer[] = []
    for await (const chunk of stream) received.push(chunk)
    const [headers] = await responding
    return { status: headers[':status'], body: Buffer.concat(received).toString() }
  } finally {
    session.close()
    server.close()
  }
}

describe('a company with a domain of its own', () => {
  it('is the issuer there, and its endpoints are there too', async () => {
    const host = await startedThere()
    const { body } = await get(host, metadataPath).expect(200)
    expect(body).toMatchObject({
      issuer: acmeAddress,
      authorization_endpoint: `${acmeAddress}/oauth/authorize`,
      token_endpoint: `${acmeAddress}/oauth/token`,
      registration_endpoint: `${acmeAddress}/oauth/register`,
      revocation_endpoint: `${acmeAddress}/oauth/revoke`,
      jwks_uri: `${acmeAddress}/oauth/jwks`,
    })
    expect((await get(host, metadataPath, initechHost)).body.issuer).toBe(initechAddress)
  })

  it('signs customers in there, and names itself in every response and token', async () => {
    const host = await startedThere()
    const { response, fields } = await signedIn(host)
    expect(response.get('iss')).toBe(acmeAddress)
    const { access_token, refresh_token } = expectTokens(await post(host, '/oauth/token', fields))
    expect(readToken(access_token).payload).toMatchObject({ iss: acmeAddress, aud: acmeAddress, tenant_id: 'acme' })
    const next = expectTokens(await post(host, '/oauth/token', refreshing(refresh_token)))
    expect(readToken(next.access_token).payload).toMatchObject({ iss: acmeAddress })
    await post(host, '/oauth/revoke', { client_id: clientId, token: next.refresh_token }).expect(200)
    expectError(await post(host, '/oauth/token', refreshing(next.refresh_token)), 400, 'invalid_grant')
  })

  it('has its keys there, and lets clients register there', async () => {
    const host = await startedThere()
    expect((await get(host, '/oauth/jwks').expect(200)).body.keys).toHaveLength(1)
    const registering = request(host.url).post('/oauth/register').set('Host', acmeHost)
    await registering.send({ redirect_uris: [redirectUri] }).expect(201)
    expect(await host.told('registered')).toMatchObject([{ tenantKey: 'acme', tenantId: 'acme' }])
  })

  it('sends the browser from the login page back to its domain', async () => {
    const authenticate = jest.fn(() => ({ subject: 'customer-1' }))
    const host = await started({ tenantStore, authenticate })
    const { query } = new Authorization(host)
    await get(host, `/oauth/authorize?${query}`).expect(200)
    const url = `${acmeAddress}/oauth/authorize?${query}`
    expect(authenticate).toHaveBeenCalledWith(expect.anything(), expect.anything(), expect.objectContaining({ url }))
  })

  it('names itself in an error too', async () => {
    const host = await startedThere()
    const { query } = new Authorization(host, { scope: 'nothing' })
    expectErrorRedirect(await get(host, `/oauth/authorize?${query}`), 'invalid_scope', acmeAddress)
    const wrong = new Authorization(host, { client_id: 'nobody' })
    expectErrorPage(await get(host, `/oauth/authorize?${wrong.query}`))
  })

  it('gives codes of the host’s own authorize page the same issuer', async () => {
    const host = await startedThere()
    const code = await host.asCustomer()
    expectError(await host.exchange(code), 404, 'not_found')
    const fields = { client_id: clientId, code: code.code, redirect_uri: redirectUri, code_verifier: code.codeVerifier }
    const response = await post(host, '/oauth/token', { grant_type: 'authorization_code', ...fields })
    const { claims, tenantKey } = await host.signIn.verifyAccessToken(expectTokens(response).access_token, {
      tenantKey: 'acme',
    })
    expect({ iss: claims.iss, tenantKey }).toEqual({ iss: acmeAddress, tenantKey: 'acme' })
  })

  it('is not at the address of the others, whose paths have a key', async () => {
    const host = await startedThere()
    for (const path of ['/v1/acme/oauth/jwks', `${metadataPath}/v1/acme/oauth`]) {
      expectError(await get(host, path), 404, 'not_found')
      expectError(await request(host.url).get(path), 404, 'not_found')
    }
    expect(await host.told('denied')).toMatchObject(
      Array(4).fill({ where: expect.any(String), reason: 'tenant_gone', tenantKey: 'acme' }),
    )
  })

  it('answers preflights and wrong methods', async () => {
    const host = await startedThere()
    const { status, headers } = await request(host.url).options('/oauth/token').set('Host', acmeHost)
    expect({ status, ...headers }).toMatchObject({ status: 204, 'access-control-allow-origin': '*' })
    expectError(await get(host, '/oauth/token'), 405, 'method_not_allowed')
    expectErrorPage(await request(host.url).put('/oauth/authorize').set('Host', acmeHost), 405)
  })

  it('is found by its host in capitals and behind a trusted proxy', async () => {
    const host = await startedThere()
    expect((await get(host, metadataPath, 'ASSISTANT.Acme.EXAMPLE')).body.issuer).toBe(acmeAddress)
    expect((await get(host, metadataPath, `${acmeHost}:80`)).body.issuer).toBe(acmeAddress)
    const app = await HostApp.start((baseUrl) =>
      express().set('trust proxy', true).use(testSignIn({ baseUrl, tenantStore })),
    )
    const { body } = await request(app.origin).get(metadataPath).set('X-Forwarded-Host', acmeHost)
    await app.stop()
    expect(body.issuer).toBe(acmeAddress)
  })

  it('is found by the authority of an HTTP/2 request', async () => {
    expect(JSON.parse((await overHttp2(acmeHost, metadataPath)).body).issuer).toBe(acmeAddress)
  })
})

describe('a request without a key in its path', () => {
  it.each([
    '',
    'localhost',
    'assistant.example',
    'acme.example',
    `x.${acmeHost}`,
    `${acmeHost}.`,
    `${acmeHost}:8443`,
    `${acmeHost}:0`,
    `user@${acmeHost}`,
    `${acmeHost}@${initechHost}`,
    `${acmeHost},${initechHost}`,
    `${acmeHost}/`,
    'assistant%2eacme.example',
    'xn--assistant-acme.example',
  ])('is no company’s if its host is %j', async (domain) => {
    const host = await startedThere()
    const { status, body } = await rawRequest(host.url, head(`GET ${metadataPath}`, { Host: domain }))
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 404, error: 'not_found' })
  })

  it.each(['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/authorize', '/oauth/jwks', metadataPath])(
    'is the host app’s own where no company has the host: %s',
    async (path) => {
      const signIn = testSignIn({ baseUrl: 'https://assistant.example', tenantStore })
      const own: RequestHandler = (_req, res) => res.send('own page')
      const app = await HostApp.start(() => express().use(signIn).use(own))
      const { text, headers } = await request(app.origin).post(path)
      const preflight = await request(app.origin).options(path)
      await app.stop()
      expect([text, preflight.text]).toEqual(['own page', 'own page'])
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  it('is the host app’s own if it is none of the library’s paths', async () => {
    const findTenantByHost = jest.fn()
    const host = await started({ tenantStore: { ...tenantStore, findTenantByHost } })
    const paths = [
      '/',
      '/oauth',
      '/oauth/',
      '/oauth/Token',
      '/oauth/token/',
      '/oauth//token',
      '/token',
      '/auth/oauth/token',
    ]
    const wellKnown = [
      `${metadataPath}/oauth`,
      `${metadataPath}/`,
      `/oauth${metadataPath}`,
      '/.well-known/oauth-protected-resource',
    ]
    for (const path of [...paths, ...wellKnown, '/oauth/constructor'])
      expectError(await get(host, path), 404, 'not_found')
    expect(findTenantByHost).not.toHaveBeenCalled()
  })

  it('is not served below a path that the router is mounted at, where a rate limiter may not see it', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example/auth', tenantStore })
    const app = await HostApp.start(() => express().use('/well', signIn.wellKnown).use('/auth', signIn))
    for (const path of ['/auth/oauth/jwks', `/auth${metadataPath}`, `/well${metadataPath}`]) {
      await request(app.origin).get(path).set('Host', acmeHost).expect(404)
    }
    await app.stop()
  })

  it('finds the metadata at signIn.wellKnown, and no endpoint', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example/auth', tenantStore })
    const app = await HostApp.start(() => express().use(signIn.wellKnown))
    const { body } = await request(app.origin).get(metadataPath).set('Host', acmeHost)
    const jwks = await request(app.origin).get('/oauth/jwks').set('Host', acmeHost)
    await app.stop()
    expect(body.issuer).toBe(acmeAddress)
    expect(jwks.status).toBe(404)
  })

  it.each([
    [`http://${acmeHost}${metadataPath}`, acmeHost, 200],
    [`http://${initechHost}${metadataPath}`, acmeHost, 404],
    [`http://${acmeHost}${metadataPath}`, initechHost, 404],
    [`http://${acmeHost}.${metadataPath}`, acmeHost, 404],
  ])('with the target %s and the host %s is answered with %d', async (target, domain, status) => {
    const host = await startedThere()
    expect((await rawRequest(host.url, head(`GET ${target}`, { Host: domain }))).status).toBe(status)
  })

  it('cannot name its host by the header of HTTP/2', async () => {
    const host = await startedThere()
    const { status } = await rawRequest(host.url, head(`GET ${metadataPath}`, { ':authority': acmeHost }))
    expect([400, 404]).toContain(status)
  })

  it('is not looked up by host if companies have no domains', async () => {
    const host = await started()
    expectError(await get(host, metadataPath), 404, 'not_found')
    expectError(await get(host, '/oauth/jwks'), 404, 'not_found')
  })
})

describe('a request with a key in its path', () => {
  const formerHost = 'ai.initech.example'
  const companies = onDomains.map((company) =>
    company.key === 'initech' ? { ...company, formerBaseUrls: [`https://${formerHost}`] } : company,
  )
  const shared = 'https://assistant.example'
  const sharedHost = 'assistant.example'
  const metadataOfGlobex = `${metadataPath}/v1/globex/oauth`
  const listening = async (options: Partial<CustomerSignInOptions> = {}) => {
    const { findTenant, findTenantByHost } = storeOf(() => companies)
    const lookUp = jest.fn(findTenantByHost)
    const tenantStore = { findTenant, findTenantByHost: lookUp }
    const host = await started({ tenantStore, baseUrl: shared, authenticate: asTheySay, ...options })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    return { host, lookUp }
  }

  it.each([
    acmeHost,
    formerHost,
    'Assistant.ACME.example',
    `${acmeHost}.`,
    `${acmeHost}:80`,
    `${acmeHost}:443`,
    `${acmeHost}.:443`,
  ])('finds nothing of another company on a company’s domain: %s', async (domain) => {
    const { host } = await listening()
    for (const path of ['/v1/globex/oauth/token', '/v1/globex/oauth/revoke', '/v1/globex/oauth/register'])
      expectError(await post(host, path, { client_id: clientId }, domain), 404, 'not_found')
    const documents = [metadataOfGlobex, '/.well-known/oauth-protected-resource/v1/globex/mcp']
    for (const path of ['/v1/globex/oauth/jwks', ...documents])
      expectError(await get(host, path, domain), 404, 'not_found')
    expect(await host.told('denied')).toMatchObject(
      Array(6).fill({
        tenantKey: 'globex',
        reason: 'tenant_gone',
        detail: { host: new URL(`http://${domain}`).host },
      }),
    )
  })

  it('is redirected to no client of another company from a company’s domain, and sees none of its pages there', async () => {
    const authenticate = jest.fn(asTheySay)
    const evil = { clientId: 'evil', redirectUris: ['https://evil.example/'] }
    const evilco: Tenant = {
      key: 'evilco',
      name: 'Evilco',
      clients: [evil],
      links: { support: 'https://evil.example' },
    }
    const { host } = await listening({ tenantStore: storeOf(() => [...companies, evilco]), authenticate })
    for (const responseType of ['x', 'code']) {
      const wrong = { client_id: 'evil', redirect_uri: evil.redirectUris[0], response_type: responseType }
      const { query } = new Authorization(host, wrong)
      const page = expectErrorPage(await get(host, `/v1/evilco/oauth/authorize?${query}`), 404)
      expect(page).not.toMatch(/evil/i)
      await get(host, `/v1/evilco/oauth/authorize?${query}`, sharedHost).expect(responseType === 'x' ? 303 : 200)
    }
    expect(authenticate).toHaveBeenCalledTimes(1)
  })

  it('finds nothing of another company on a domain of http at port 443', async () => {
    const withPort = { ...onDomains[0], key: 'acme', baseUrl: 'http://acme.localhost:443' }
    const { host } = await listening({ tenantStore: storeOf(() => [withPort, { key: 'globex' }]) })
    expectError(await get(host, '/v1/globex/oauth/jwks', 'acme.localhost:443'), 404, 'not_found')
  })

  it('finds nothing of the company itself on its own domain, where its paths have no key', async () => {
    const moved = { ...onDomains[0], key: 'acme', formerBaseUrls: [shared] }
    const { host } = await listening({ tenantStore: storeOf(() => [moved]) })
    expectError(await get(host, '/v1/acme/oauth/jwks'), 404, 'not_found')
    await get(host, '/v1/acme/oauth/jwks', sharedHost).expect(200)
  })

  it.each([
    'sign-in.internal',
    'sign-in.internal:3000',
    'sign_in:3000',
    'localhost',
    '127.0.0.1',
    '10.0.0.7:8080',
    '[::1]:3000',
    'assistant.other.example',
    `x.${acmeHost}`,
    'example',
  ])('is for the company of that key on a host that is no company’s: %s', async (domain) => {
    const { host, lookUp } = await listening()
    expect((await get(host, metadataOfGlobex, domain)).body.issuer).toBe(`${shared}/v1/globex/oauth`)
    expect(lookUp.mock.calls).toEqual([[domain]])
  })

  it('finds nothing where not everybody reads the same host from the request, so that it may be a company’s domain', async () => {
    const { host, lookUp } = await listening()
    const path = '/v1/globex/oauth/jwks'
    for (const domain of [`${acmeHost}:`, `${acmeHost}\\`, `x@${acmeHost}`])
      expect((await rawRequest(host.url, head(`GET ${path}`, { Host: domain }))).status).toBe(404)
    const target = `GET http://${acmeHost}${path}`
    expect((await rawRequest(host.url, head(target, { Host: 'sign-in.internal' }))).status).toBe(404)
    expect(lookUp).not.toHaveBeenCalled()
  })

  it('is for that company without a host too', async () => {
    const { host } = await listening()
    const { status } = await rawRequest(host.url, `GET ${metadataOfGlobex} HTTP/1.0\r\n\r\n`)
    expect(status).toBe(200)
  })

  it.each([sharedHost, 'ASSISTANT.example', `${sharedHost}.`])(
    'costs no look-up by host on the host of the option baseUrl: %s',
    async (domain) => {
      const { host, lookUp } = await listening()
      const { refresh_token } = await host.connected({ tenantKey: 'globex' })
      lookUp.mockClear()
      expectTokens(await post(host, '/v1/globex/oauth/token', refreshing(refresh_token), domain))
      await get(host, metadataOfGlobex, domain).expect(200)
      expect(lookUp).not.toHaveBeenCalled()
    },
  )

  it('is for that company on the host of the option baseUrl, also if that has a path and a company the domain', async () => {
    const both: Tenant[] = [{ key: 'acme', baseUrl: shared }, { key: 'globex' }]
    const { host } = await listening({ tenantStore: storeOf(() => both), baseUrl: `${shared}/auth` })
    await get(host, '/auth/v1/globex/oauth/jwks', sharedHost).expect(200)
    await get(host, '/oauth/jwks', sharedHost).expect(200)
  })

  it('is for that company on every host if companies have no domains, as in development without baseUrl', async () => {
    const { host } = await listening({ tenantStore: { findTenant: (key) => ({ key }) }, baseUrl: undefined })
    const { body } = await get(host, `${metadataPath}/v1/acme/oauth`, acmeHost)
    expect(body.issuer).toBe(`http://${acmeHost}/v1/acme/oauth`)
  })

  it('finds nothing of another company at a company’s authority in HTTP/2', async () => {
    const statusAt = async (authority: string) => (await overHttp2(authority, metadataOfGlobex)).status
    expect(await statusAt(acmeHost)).toBe(404)
    expect(await statusAt(sharedHost)).toBe(200)
    expect(await statusAt('sign-in.internal')).toBe(200)
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('The directory is down'))],
    ['hangs', () => new Promise<null>(() => {})],
  ])('is answered with 503 where a look-up by host %s', async (_, findTenantByHost) => {
    const tenantStore = { ...storeOf(() => companies), findTenantByHost }
    const { host } = await listening({ tenantStore, hostTimeout: 0.1 })
    const response = await get(host, metadataOfGlobex, 'sign-in.internal')
    expectError(response, 503, 'temporarily_unavailable')
    expect(response.headers['retry-after']).toBe('1')
    expect(await host.told('error')).toMatchObject([{ reason: 'tenant_store_failed', tenantKey: 'globex' }])
    await get(host, metadataOfGlobex, sharedHost).expect(200)
  })
})

describe('what one company has issued', () => {
  const refused = (response: Response) => expectError(response, 400, 'invalid_grant')

  it('works on no other company’s domain, and is not used up there', async () => {
    const host = await startedThere()
    const { fields } = await signedIn(host)
    refused(await post(host, '/oauth/token', fields, initechHost))
    refused(await host.token('globex', fields))
    const { access_token, refresh_token } = expectTokens(await post(host, '/oauth/token', fields))
    refused(await post(host, '/oauth/token', refreshing(refresh_token), initechHost))
    refused(await host.refresh(refresh_token, {}, 'globex'))
    await post(host, '/oauth/revoke', { client_id: clientId, token: access_token }, initechHost).expect(200)
    expectTokens(await post(host, '/oauth/token', refreshing(refresh_token)))
  })

  it('works on no company’s domain if its company has none', async () => {
    const host = await startedThere()
    const { refresh_token } = await host.connected({ tenantKey: 'globex' })
    refused(await post(host, '/oauth/token', refreshing(refresh_token)))
    expectTokens(await host.refresh(refresh_token, {}, 'globex'))
  })

  it('is not given by a consent page of another company', async () => {
    const host = await startedThere()
    const { query } = new Authorization(host)
    const path = `/oauth/authorize?${query}`
    const { token } = consentForm(await get(host, path))
    const answer = await post(host, path, { consent_token: token, decision: 'allow' }, initechHost)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('Initech')
  })
})

describe('the API of the host', () => {
  it('shows customers the address on the company’s domain', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example', tenantStore })
    signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    expect((await signIn.connect({ tenantKey: 'acme' })).address).toBe(`${acmeAddress}/mcp`)
    expect((await signIn.connect({ tenantKey: 'globex' })).address).toBe('https://assistant.example/v1/globex/mcp')
  })

  it('finds a company by its key, wherever the company is', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example', tenantStore })
    const app = await HostApp.start(() => signIn)
    const { code, codeVerifier } = await signedInTo(signIn)
    const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri }
    const redeeming = postToken(`${app.origin}/oauth`, { ...fields, code_verifier: codeVerifier })
    const { access_token } = expectTokens(await redeeming.set('Host', acmeHost))
    await app.stop()
    const grants = (await signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants
    expect(grants).toMatchObject([{ clientId, resource: acmeAddress }])
    await expect(signIn.verifyAccessToken(access_token, { anyTenant: true })).resolves.toMatchObject({
      tenantKey: 'acme',
    })
    await expect(signIn.verifyAccessToken(access_token, { tenantKey: 'initech' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})

describe('clients that know only the domain of a company', () => {
  /** A host whose own app answers everything that the sign-in passes on with 418. */
  async function hostWith(clients: { rootEndpoints?: boolean }) {
    const app = express()
    const host = await HostApp.start((origin) => {
      const options = { tenantStore, authenticate: asTheySay, clients }
      app.use((_req, res, next) => next(void res.set('Access-Control-Allow-Origin', '*')))
      app.use(testSignIn({ baseUrl: origin, ...options }))
      return app.use((_req, res) => void res.sendStatus(418))
    })
    const send = (method: 'get' | 'post' | 'head' | 'put' | 'options', path: string, domain = acmeHost) =>
      request(host.origin)[method](path).set('Host', domain)
    return { send, stop: () => host.stop() }
  }
  let on: Awaited<ReturnType<typeof hostWith>>
  let off: typeof on
  beforeAll(async () => {
    on = await hostWith({ rootEndpoints: true })
    off = await hostWith({})
  })
  afterAll(() => Promise.all([on.stop(), off.stop()]))

  it('find its token endpoint, registration and metadata at the root, where the host has turned that on', async () => {
    const token = await on.send('post', '/token').type('form').send('grant_type=refresh_token')
    expect(token.body).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(/client_id/),
    })
    const { body } = await on
      .send('post', '/register')
      .send({ redirect_uris: [redirectUri] })
      .expect(201)
    expect(body.client_id).toMatch(/^dcr_/)
    const metadata = await on.send('get', '/.well-known/openid-configuration').expect(200)
    expect(metadata.body).toEqual((await on.send('get', metadataPath).expect(200)).body)
  })

  it('sign a customer in from /authorize, which leads to the endpoint of the metadata, and refresh at /token', async () => {
    const host = await started({ tenantStore, authenticate: asTheySay, clients: { rootEndpoints: true } })
    const { query } = new Authorization(host)
    const { headers } = await get(host, `/authorize?${query}`).expect(303)
    expect(headers.location).toBe(`${acmeAddress}/oauth/authorize?${query}`)
    const { fields } = await signedIn(host)
    const { refresh_token } = expectTokens(await post(host, '/token', fields))
    expectTokens(await post(host, '/token', refreshing(refresh_token)))
  })

  it('learn nothing at /authorize that a page of another site could read', async () => {
    const { headers } = await on.send('get', '/authorize?client_id=travel&response_type=code').expect(303)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each<[string, (send: (typeof on)['send']) => Test]>([
    ['a form of the host’s own at /register', (send) => send('post', '/register').type('form').send('name=ada')],
    ['JSON at /token', (send) => send('post', '/token').send({ grant_type: 'refresh_token' })],
    ['GET /token', (send) => send('get', '/token')],
    ['PUT /token', (send) => send('put', '/token').type('form').send('grant_type=refresh_token')],
    ['OPTIONS /register', (send) => send('options', '/register')],
    ['/authorize without client_id', (send) => send('get', '/authorize?response_type=code')],
    ['/authorize without response_type', (send) => send('get', '/authorize?client_id=travel')],
    ['POST /authorize', (send) => send('post', '/authorize?client_id=a&response_type=code').type('form').send('a=b')],
    ['/revoke', (send) => send('post', '/revoke').type('form').send('token=x')],
    ['/jwks', (send) => send('get', '/jwks')],
    ['/tokens', (send) => send('post', '/tokens').type('form').send('a=b')],
    ['a domain that is no company’s', (send) => send('post', '/token', 'else.example').type('form').send('a=b')],
  ])('leave everything else to the host: %s', async (_, ask) => {
    await ask(on.send).expect(418)
  })

  it('find nothing there by default', async () => {
    await off.send('post', '/token').type('form').send('grant_type=refresh_token').expect(418)
    await off
      .send('post', '/register')
      .send({ redirect_uris: [redirectUri] })
      .expect(418)
    await off.send('get', `/authorize?client_id=${clientId}&response_type=code`).expect(418)
    await off.send('get', '/.well-known/openid-configuration').expect(418)
  })
})
