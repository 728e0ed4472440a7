import { gzipSync } from 'node:zlib'
import { refreshForm } from '../../support/host-app'
import { clientId, expectError, expectTokens, formBody, redirectUri } from '../../support/sign-in'
import { HostClient } from './host-client'
import type { Mounting, ServedHost } from './mountings'

const wellKnown = '/.well-known/oauth-authorization-server'

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
  let client: HostClient
  let issuer: string
  beforeAll(async () => {
    jest.spyOn(process, 'emitWarning').mockImplementation()
    host = await start()
    client = new HostClient(host, prefix)
    issuer = client.issuer
    // A client begins with the metadata. From that request, the server learns a `baseUrl` that is not set.
    await client.get(issuerPath + wellKnown)
  })
  afterAll(async () => {
    await client?.close()
    await host?.stop()
    jest.restoreAllMocks()
  })

  it.each(metadata)('shows its metadata at %s', async (path) => {
    const { status, body } = await client.get(path)
    expect({ status, ...body }).toMatchObject({
      status: 200,
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    })
  })

  it('serves the key set, and answers 304 to who has it', async () => {
    const { status, body, headers } = await client.get(`${issuerPath}/jwks`)
    expect({ status, keys: body.keys.length }).toEqual({ status: 200, keys: 1 })
    const again = await client.get(`${issuerPath}/jwks`, { 'If-None-Match': String(headers.etag) })
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
  })

  it('answers HEAD as GET, without the body', async () => {
    const { text, headers } = await client.get(`${issuerPath}/jwks`)
    const head = await client.send({ method: 'HEAD', path: `${issuerPath}/jwks` })
    expect(head).toMatchObject({ status: 200, text: '', headers: { etag: headers.etag } })
    expect(text).not.toBe('')
  })

  it('answers the preflights of browsers, and lets pages of all origins read its answers', async () => {
    const Origin = 'https://client.example'
    const headers = { Origin, 'Access-Control-Request-Method': 'POST' }
    const preflight = await client.send({ method: 'OPTIONS', path: `${issuerPath}/token`, headers })
    expect(preflight).toMatchObject({ status: 204, text: '', headers: { 'access-control-allow-origin': '*' } })
    const refused = await client.post('token', {}, { headers: { Origin } })
    expect(refused).toMatchObject({ status: 400, headers: { 'access-control-allow-origin': '*' } })
  })

  it('sends customers who are not logged in to the login page of the host', async () => {
    const { path } = client.authorization()
    const { status, headers } = await client.get(prefix + path)
    expect(status).toBe(302)
    const login = new URL(String(headers.location), host.origin)
    expect(login.pathname).toBe('/login')
    expect(login.searchParams.get('next')).toBe(host.origin + prefix + path)
  })

  it('asks for consent in the language of the browser, on a page that cannot be framed', async () => {
    const { path } = client.authorization()
    const { text, headers } = await client.get(prefix + path, { Cookie: 'customer=ada', 'Accept-Language': 'de-AT,de' })
    expect(text).toContain('<html lang="de"')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  it('signs a customer in, calls the API, refreshes, and refuses the used refresh token', async () => {
    const first = await client.connected('ada')
    expect(await client.callApi(first.access_token)).toMatchObject({ status: 200, body: ['a flight of ada'] })
    const second = expectTokens(await client.post('token', refreshForm(first.refresh_token)))
    expectError(await client.post('token', refreshForm(first.refresh_token)), 400, 'invalid_grant')
    expectTokens(await client.post('token', refreshForm(second.refresh_token)))
  })

  it('takes the refusal of a customer to the client', async () => {
    const { searchParams } = await client.answers(client.authorization(), 'deny')
    expect(searchParams.get('error')).toBe('access_denied')
  })

  it('shows a page, and redirects nobody, if there is no such client', async () => {
    const { path } = client.authorization({ client_id: 'nobody' })
    const { status, text, headers } = await client.get(prefix + path, { Cookie: 'customer=ada' })
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined })
    expect(text).toContain('(invalid_client)')
  })

  it('refuses a wrong verifier, and keeps the code', async () => {
    const fields = await client.signedIn()
    expectError(await client.post('token', { ...fields, code_verifier: 'x'.repeat(43) }), 400, 'invalid_grant')
    expectTokens(await client.post('token', fields))
  })

  it('refuses a repeated parameter, another type of body and no body at all, and keeps the code', async () => {
    const fields = await client.signedIn()
    const repeated = await client.post('token', { ...fields, code: [fields.code ?? '', 'another'] })
    expect(expectError(repeated, 400, 'invalid_request')).toContain('code')
    const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) }
    expect(expectError(await client.post('token', {}, json), 400, 'invalid_request')).toContain('Content-Type')
    expect(expectError(await client.post('token', {}, { body: undefined }), 400, 'invalid_request')).toBe(
      'client_id is missing',
    )
    expectTokens(await client.post('token', fields))
  })

  it('reads a body that is sent in chunks', async () => {
    const text = formBody(await client.signedIn())
    expectTokens(await client.post('token', {}, { body: [text.slice(0, 40), text.slice(40)] }))
  })

  it('reads a body in gzip', async () => {
    const body = gzipSync(formBody(await client.signedIn()))
    expectTokens(await client.post('token', {}, { body, headers: { 'Content-Encoding': 'gzip' } }))
  })

  it('reads a body of nearly 16 KiB, and refuses a larger one, whether its length is announced or not', async () => {
    const fields = await client.signedIn()
    const text = formBody({ ...fields, padding: 'x'.repeat(16 * 1024) })
    expectError(await client.post('token', {}, { body: text }), 413, 'invalid_request')
    expectError(await client.post('token', {}, { body: [text] }), 413, 'invalid_request')
    expectTokens(await client.post('token', { ...fields, padding: 'x'.repeat(15 * 1024) }))
  })

  it('registers a client, with which a customer signs in', async () => {
    const { status, body } = await client.register(JSON.stringify({ client_name: 'Ünï', redirect_uris: [redirectUri] }))
    expect({ status, ...body }).toMatchObject({ status: 201, client_name: 'Ünï' })
    const fields = await client.signedIn('ada', { client_id: body.client_id })
    expectTokens(await client.post('token', { ...fields, client_id: body.client_id }))
  })

  it('refuses to register what is no JSON object', async () => {
    expect(expectError(await client.register('["x"]'), 400, 'invalid_request')).toBe('The body must be a JSON object')
    expectError(await client.register('{"redirect_uris":["javascript:x"]}'), 400, 'invalid_redirect_uri')
  })

  it('revokes a refresh token', async () => {
    const { refresh_token } = await client.connected()
    expect(await client.post('revoke', { client_id: clientId, token: refresh_token })).toMatchObject({ status: 200 })
    expectError(await client.post('token', refreshForm(refresh_token)), 400, 'invalid_grant')
  })

  it('lets exactly one of many parallel refreshes succeed', async () => {
    const { refresh_token } = await client.connected()
    const clients = Array.from({ length: 10 }, () => new HostClient(host, prefix))
    const answered = await Promise.all(clients.map((each) => each.post('token', refreshForm(refresh_token))))
    expect(answered.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    await Promise.all(clients.map((each) => each.close()))
  })

  it('tells a client at the API where to sign in', async () => {
    const { status, headers } = await client.get(api)
    expect(status).toBe(401)
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(String(headers['www-authenticate'])) ?? []
    const { pathname } = new URL(address)
    expect((await client.get(pathname)).body).toMatchObject({
      resource: host.origin + api,
      authorization_servers: [issuer],
    })
    // Also after requests to other pages of the host, from which it could learn a wrong `baseUrl`.
    for (const path of ['/', prefix || '/', `${prefix || '/'}?lang=en`]) await client.get(path)
    expect((await client.get(api)).headers['www-authenticate']).toContain(address)
  })

  it('refuses a token at the API that is none, or is for another company', async () => {
    expectError(await client.callApi('no-token-of-ours'), 401, 'invalid_token')
    const { access_token } = await client.connected()
    expectError(await client.callApi(access_token, 'globex'), 401, 'invalid_token')
    expectError(await client.callApi(access_token, 'initech'), 404, 'not_found')
  })

  it('answers 404 for a company that has not set up customer sign-in', async () => {
    for (const path of [`${issuerPath}/jwks`, issuerPath + wellKnown]) {
      expectError(await client.get(path.replace('acme', 'initech')), 404, 'not_found')
    }
  })

  it('answers 405 for a wrong method, and names the right ones', async () => {
    const response = await client.get(`${issuerPath}/token`)
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.allow).toBe('POST, OPTIONS')
    expectError(await client.send({ method: 'PUT', path: `${issuerPath}/jwks` }), 405, 'method_not_allowed')
  })

  it.each(['/v1/acme/oauth/token/more', '/v1/acme/oauth', '/v1/acme', '/nowhere'])(
    'leaves %s to the host',
    async (path) => {
      const { status, text } = await client.get(prefix + path)
      expect(text).not.toContain('There is no customer sign-in at this address')
      expect([200, 404]).toContain(status)
    },
  )

  it('leaves the pages of the host to the host, with their bodies', async () => {
    expect(await client.get('/')).toMatchObject({ status: 200, text: 'a page of the host' })
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
    const { access_token } = await client.connected('unlucky')
    const { status, headers, body } = await client.callApi(access_token)
    expect(status).toBe(500)
    expect({ ...headers, ...body }).not.toMatchObject({ error: expect.stringMatching(/server_error|unavailable/) })
    expect((await client.get('/')).text).toBe('a page of the host')
  })

  it('serves one connection after errors, and other clients after one that hangs up', async () => {
    const tokens = await client.connected()
    const unread = { body: formBody(refreshForm(tokens.refresh_token)) }
    const elsewhere = { path: `${issuerPath.replace('acme', 'initech')}/token`, ...unread }
    expectError(await client.post('token', {}, elsewhere), 404, 'not_found')
    await client.hangUp()
    expectTokens(await client.post('token', refreshForm(tokens.refresh_token)))
  })
}
