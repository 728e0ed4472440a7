import { gzipSync } from 'node:zlib'
import type { CustomerSignInOptions } from 'customer-sign-in'
import { Authorization } from '../support/authorization'
import { consentForm } from '../support/consent-form'
import { codeForm, refreshForm } from '../support/host-app'
import { clientId, expectError, expectTokens, type FormFields, formBody, redirectUri } from '../support/sign-in'
import type { WireClient, WireRequest } from '../support/wire-client'

/** A host under test: a framework with sign-in, an API of every company, and pages of its own. */
export interface ServedHost {
  /** Its address, without a path. */
  origin: string
  /** Makes a client of it, with a connection of its own. */
  connect(): WireClient
  stop(): Promise<void>
}

/** How sign-in is mounted, and the addresses of its metadata. */
export interface Mounting {
  name: string
  prefix: string
  /** Whether `baseUrl` is set, or taken from the requests. */
  configured: boolean
  /** The addresses of the metadata, below the host's root. */
  metadata: string[]
}

const wellKnown = '/.well-known/oauth-authorization-server'
const atRoot = { prefix: '', metadata: [`${wellKnown}/v1/acme/oauth`, `/v1/acme/oauth${wellKnown}`] }
const underPrefix = {
  prefix: '/auth',
  metadata: [`${wellKnown}/auth/v1/acme/oauth`, `/auth/v1/acme/oauth${wellKnown}`, `/auth${wellKnown}/v1/acme/oauth`],
}

export const mountings = {
  atRoot: { name: 'at the root', configured: true, ...atRoot },
  atRootUnconfigured: { name: 'at the root, baseUrl taken from the requests', configured: false, ...atRoot },
  underPrefix: { name: 'under a prefix', configured: true, ...underPrefix },
  underPrefixUnconfigured: {
    name: 'under a prefix, baseUrl taken from the requests',
    configured: false,
    ...underPrefix,
  },
} satisfies Record<string, Mounting>

/** The login of every host in these tests: the customer whom the cookie names, or the login page. */
export const authenticate: NonNullable<CustomerSignInOptions['authenticate']> = ({ headers }, res, { url }) => {
  const [, subject] = /customer=([\w-]+)/.exec(headers.cookie ?? '') ?? []
  if (subject) return { subject }
  res.writeHead(302, { Location: `/login?next=${encodeURIComponent(url)}` })
  res.end()
}

/** The API of every host in these tests. It fails for one customer. */
export function bookingsOf(subject: string): string[] {
  if (subject === 'unlucky') throw new Error('there is no database')
  return [`a flight of ${subject}`]
}

/** What some hosts cannot do. */
export interface Lacking {
  /** Sign-in is tried at the root alone. */
  prefix?: boolean
  /** An error that a handler throws ends the process, as in every app on this host. */
  errors?: boolean
}

/**
 * The tests that every host must pass, however sign-in is mounted. Beside sign-in, the host has `GET {prefix}/v1/:tenantKey/bookings` behind
 * `signIn.protectedResource`, which answers with the JSON of `bookingsOf`; `GET /`, which answers `a page of the host`; and `POST /echo`,
 * which answers with the JSON that it gets.
 */
export function servesCustomers(
  start: () => Promise<ServedHost>,
  { prefix, metadata }: Pick<Mounting, 'prefix' | 'metadata'>,
  lacking: Lacking = {},
): void {
  const issuerPath = `${prefix}/v1/acme/oauth`
  const api = `${prefix}/v1/acme/bookings`
  let host: ServedHost
  let client: WireClient
  let issuer: string
  beforeAll(async () => {
    jest.spyOn(process, 'emitWarning').mockImplementation()
    host = await start()
    client = host.connect()
    issuer = host.origin + issuerPath
    // A client begins with the metadata. From that request, the server learns a `baseUrl` that is not set.
    await client.send({ path: issuerPath + wellKnown })
  })
  afterAll(async () => {
    await client?.close()
    await host?.stop()
    jest.restoreAllMocks()
  })

  const get = (path: string, headers: Record<string, string> = {}) => client.send({ path, headers })
  const post = (endpoint: string, fields: FormFields, more: Partial<WireRequest> = {}, by = client) =>
    by.send({
      method: 'POST',
      path: `${issuerPath}/${endpoint}`,
      body: formBody(fields),
      ...more,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...more.headers },
    })
  const register = (body: string) =>
    client.send({
      method: 'POST',
      path: `${issuerPath}/register`,
      headers: { 'Content-Type': 'application/json' },
      body,
    })
  const callApi = (accessToken: string, path = api) => get(path, { Authorization: `Bearer ${accessToken}` })

  /** A customer opens the client's link, and presses a button on the consent page. */
  async function answers(authorization: Authorization, decision: string, subject = 'customer-1'): Promise<URL> {
    const headers = { Cookie: `customer=${subject}` }
    const page = await get(prefix + authorization.path, headers)
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    const { action, token } = consentForm(page)
    const { pathname, search } = new URL(action, host.origin + prefix + authorization.path)
    const answer = await client.send({
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: formBody({ consent_token: token, decision }),
    })
    expect(answer.status).toBe(303)
    return new URL(String(answer.headers.location))
  }

  async function signedIn(subject?: string, parameters: FormFields = {}): Promise<Record<string, string>> {
    const authorization = new Authorization({ url: host.origin }, parameters)
    const { searchParams } = await answers(authorization, 'allow', subject)
    expect(searchParams.get('iss')).toBe(issuer)
    const code = searchParams.get('code') ?? ''
    return codeForm({ code, codeVerifier: authorization.codeVerifier, tenantKey: 'acme' })
  }

  const connected = async (subject?: string) => expectTokens(await post('token', await signedIn(subject)))

  it.each(metadata)('shows its metadata at %s', async (path) => {
    const { status, body } = await get(path)
    expect({ status, ...body }).toMatchObject({
      status: 200,
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    })
  })

  it('serves the key set, and answers 304 to who has it', async () => {
    const { status, body, headers } = await get(`${issuerPath}/jwks`)
    expect({ status, keys: body.keys.length }).toEqual({ status: 200, keys: 1 })
    const again = await get(`${issuerPath}/jwks`, { 'If-None-Match': String(headers.etag) })
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
  })

  it('answers HEAD as GET, without the body', async () => {
    const { text, headers } = await get(`${issuerPath}/jwks`)
    const head = await client.send({ method: 'HEAD', path: `${issuerPath}/jwks` })
    expect(head).toMatchObject({ status: 200, text: '', headers: { etag: headers.etag } })
    expect(text).not.toBe('')
  })

  it('answers the preflights of browsers, and lets pages of all origins read its answers', async () => {
    const Origin = 'https://client.example'
    const headers = { Origin, 'Access-Control-Request-Method': 'POST' }
    const preflight = await client.send({ method: 'OPTIONS', path: `${issuerPath}/token`, headers })
    expect(preflight).toMatchObject({ status: 204, text: '', headers: { 'access-control-allow-origin': '*' } })
    const refused = await post('token', {}, { headers: { Origin } })
    expect(refused).toMatchObject({ status: 400, headers: { 'access-control-allow-origin': '*' } })
  })

  it('sends customers who are not logged in to the login page of the host', async () => {
    const { path } = new Authorization({ url: host.origin })
    const { status, headers } = await get(prefix + path)
    expect(status).toBe(302)
    const login = new URL(String(headers.location), host.origin)
    expect(login.pathname).toBe('/login')
    expect(login.searchParams.get('next')).toBe(host.origin + prefix + path)
  })

  it('asks for consent in the language of the browser, on a page that cannot be framed', async () => {
    const { path } = new Authorization({ url: host.origin })
    const { text, headers } = await get(prefix + path, { Cookie: 'customer=ada', 'Accept-Language': 'de-AT,de' })
    expect(text).toContain('<html lang="de"')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  it('signs a customer in, calls the API, refreshes, and refuses the used refresh token', async () => {
    const first = await connected('ada')
    expect(await callApi(first.access_token)).toMatchObject({ status: 200, body: ['a flight of ada'] })
    const second = expectTokens(await post('token', refreshForm(first.refresh_token)))
    expectError(await post('token', refreshForm(first.refresh_token)), 400, 'invalid_grant')
    expectTokens(await post('token', refreshForm(second.refresh_token)))
  })

  it('takes the refusal of a customer to the client', async () => {
    const { searchParams } = await answers(new Authorization({ url: host.origin }), 'deny')
    expect(searchParams.get('error')).toBe('access_denied')
  })

  it('shows a page, and redirects nobody, if there is no such client', async () => {
    const { path } = new Authorization({ url: host.origin }, { client_id: 'nobody' })
    const { status, text, headers } = await get(prefix + path, { Cookie: 'customer=ada' })
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined })
    expect(text).toContain('(invalid_client)')
  })

  it('refuses a wrong verifier, and keeps the code', async () => {
    const fields = await signedIn()
    expectError(await post('token', { ...fields, code_verifier: 'x'.repeat(43) }), 400, 'invalid_grant')
    expectTokens(await post('token', fields))
  })

  it('refuses a repeated parameter, another type of body and no body at all, and keeps the code', async () => {
    const fields = await signedIn()
    const repeated = await post('token', { ...fields, code: [fields.code ?? '', 'another'] })
    expect(expectError(repeated, 400, 'invalid_request')).toContain('code')
    const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) }
    expect(expectError(await post('token', {}, json), 400, 'invalid_request')).toContain('Content-Type')
    expect(expectError(await post('token', {}, { body: undefined }), 400, 'invalid_request')).toBe(
      'client_id is missing',
    )
    expectTokens(await post('token', fields))
  })

  it('reads a body that is sent in chunks', async () => {
    const text = formBody(await signedIn())
    expectTokens(await post('token', {}, { body: [text.slice(0, 40), text.slice(40)] }))
  })

  it('reads a body in gzip', async () => {
    const body = gzipSync(formBody(await signedIn()))
    expectTokens(await post('token', {}, { body, headers: { 'Content-Encoding': 'gzip' } }))
  })

  it('reads a body of nearly 16 KiB, and refuses a larger one, whether its length is announced or not', async () => {
    const fields = await signedIn()
    const text = formBody({ ...fields, padding: 'x'.repeat(16 * 1024) })
    expectError(await post('token', {}, { body: text }), 413, 'invalid_request')
    expectError(await post('token', {}, { body: [text] }), 413, 'invalid_request')
    expectTokens(await post('token', { ...fields, padding: 'x'.repeat(15 * 1024) }))
  })

  it('registers a client, with which a customer signs in', async () => {
    const { status, body } = await register(JSON.stringify({ client_name: 'Ünï', redirect_uris: [redirectUri] }))
    expect({ status, ...body }).toMatchObject({ status: 201, client_name: 'Ünï' })
    const fields = await signedIn('ada', { client_id: body.client_id })
    expectTokens(await post('token', { ...fields, client_id: body.client_id }))
  })

  it('refuses to register what is no JSON object', async () => {
    expect(expectError(await register('["x"]'), 400, 'invalid_request')).toBe('The body must be a JSON object')
    expectError(await register('{"redirect_uris":["javascript:x"]}'), 400, 'invalid_redirect_uri')
  })

  it('revokes a refresh token', async () => {
    const { refresh_token } = await connected()
    expect(await post('revoke', { client_id: clientId, token: refresh_token })).toMatchObject({ status: 200 })
    expectError(await post('token', refreshForm(refresh_token)), 400, 'invalid_grant')
  })

  it('lets exactly one of many parallel refreshes succeed', async () => {
    const { refresh_token } = await connected()
    const clients = Array.from({ length: 10 }, () => host.connect())
    const answered = await Promise.all(clients.map((by) => post('token', refreshForm(refresh_token), {}, by)))
    expect(answered.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    await Promise.all(clients.map((by) => by.close()))
  })

  it('tells a client at the API where to sign in', async () => {
    const { status, headers } = await get(api)
    expect(status).toBe(401)
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(String(headers['www-authenticate'])) ?? []
    const { pathname } = new URL(address)
    expect((await get(pathname)).body).toMatchObject({
      resource: host.origin + api,
      authorization_servers: [issuer],
    })
    // Also after requests to other pages of the host, from which it could learn a wrong `baseUrl`.
    for (const path of ['/', prefix || '/', `${prefix || '/'}?lang=en`]) await get(path)
    expect((await get(api)).headers['www-authenticate']).toContain(address)
  })

  it('refuses a token at the API that is none, or is for another company', async () => {
    expectError(await callApi('no-token-of-ours'), 401, 'invalid_token')
    const { access_token } = await connected()
    expectError(await callApi(access_token, `${prefix}/v1/globex/bookings`), 401, 'invalid_token')
    expectError(await callApi(access_token, `${prefix}/v1/initech/bookings`), 404, 'not_found')
  })

  it('answers 404 for a company that has not set up customer sign-in', async () => {
    for (const path of [`${issuerPath}/jwks`, issuerPath + wellKnown]) {
      expectError(await get(path.replace('acme', 'initech')), 404, 'not_found')
    }
  })

  it('answers 405 for a wrong method, and names the right ones', async () => {
    const response = await get(`${issuerPath}/token`)
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.allow).toBe('POST, OPTIONS')
    expectError(await client.send({ method: 'PUT', path: `${issuerPath}/jwks` }), 405, 'method_not_allowed')
  })

  it.each(['/v1/acme/oauth/token/more', '/v1/acme/oauth', '/v1/acme', '/nowhere'])(
    'leaves %s to the host',
    async (path) => {
      const { status, text } = await get(prefix + path)
      expect(text).not.toContain('There is no customer sign-in at this address')
      expect([200, 404]).toContain(status)
    },
  )

  it('leaves the pages of the host to the host, with their bodies', async () => {
    expect(await get('/')).toMatchObject({ status: 200, text: 'a page of the host' })
    const body = JSON.stringify({ of: 'the host' })
    const echo = await client.send({
      method: 'POST',
      path: '/echo',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    expect(echo).toMatchObject({ status: 200, body: { of: 'the host' } })
  })

  const itUnless = (isLacking = false) => (isLacking ? it.skip : it)
  itUnless(lacking.errors)('leaves the errors of the host to the host', async () => {
    const { access_token } = await connected('unlucky')
    const { status, headers, body } = await callApi(access_token)
    expect(status).toBe(500)
    expect({ ...headers, ...body }).not.toMatchObject({ error: expect.stringMatching(/server_error|unavailable/) })
    expect((await get('/')).text).toBe('a page of the host')
  })

  it('serves one connection after errors, and other clients after one that hangs up', async () => {
    const tokens = await connected()
    const unread = { body: formBody(refreshForm(tokens.refresh_token)) }
    const elsewhere = { path: `${issuerPath.replace('acme', 'initech')}/token`, ...unread }
    expectError(await post('token', {}, elsewhere), 404, 'not_found')
    await client.hangUp({
      method: 'POST',
      path: `${issuerPath}/token`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=',
    })
    expectTokens(await post('token', refreshForm(tokens.refresh_token)))
  })
}
