import { MemoryTenantStore } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { register } from '../../support/registration'
import { clientId, expectTokens, formBody, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const mcp = '/v1/:tenantKey/mcp'
const wellKnown = '/.well-known/oauth-protected-resource'

/** A host with an API, where clients can have a document on this machine. */
async function host() {
  const started_ = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
  started_.signIn.protectedResource({ path: mcp })
  return started_
}

const published = (bytes: (document: string) => string) =>
  DocumentServer.start((self) => (req, res) => {
    const document = { client_id: self.url(req.url), client_name: 'Assistant', redirect_uris: [redirectUri] }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(bytes(JSON.stringify(document)))
  })

/** What each client sends, and that it gets what it asks for. */
const letIn: readonly [what: string, connects: (at: TestSignIn) => Promise<void>][] = [
  [
    'registers with an empty method',
    async (at) => {
      const { body } = await register(at, { token_endpoint_auth_method: '' }).expect(201)
      expect(body.token_endpoint_auth_method).toBe('none')
    },
  ],
  [
    'has a document with an empty method',
    async (at) => {
      const server = await DocumentServer.start((self) => publishing(self, { token_endpoint_auth_method: '' }))
      await new Authorization(at, { client_id: server.url() }).open().expect(200)
    },
  ],
  [
    'sends the address of its document as the username of HTTP Basic as it is, with an empty password',
    async (at) => {
      const client_id = (await DocumentServer.start()).url()
      const signedIn = await new Authorization(at, { client_id }).allowed()
      const response = await request(at.issuer())
        .post('/token')
        .set('Authorization', `Basic ${Buffer.from(`${client_id}:`).toString('base64')}`)
        .type('form')
        .send(
          formBody({
            grant_type: 'authorization_code',
            code: signedIn.code,
            redirect_uri: redirectUri,
            code_verifier: signedIn.codeVerifier,
          }),
        )
      expect(decode(expectTokens(response).access_token)).toMatchObject({ client_id })
    },
  ],
  [
    'sends headers of its tracing from a browser',
    async (at) => {
      const { headers } = await request(at.issuer())
        .options('/token')
        .set('Access-Control-Request-Headers', 'authorization, baggage, cache-control, sentry-trace, traceparent')
        .expect(204)
      const allowed = headers['access-control-allow-headers']?.split(', ')
      expect(allowed).toEqual(expect.arrayContaining(['*', 'Authorization']))
      expect(headers['access-control-allow-origin']).toBe('*')
    },
  ],
  [
    'looks for the metadata of the API with a slash at its end',
    async (at) => {
      const { body } = await request(at.url).get(`${wellKnown}/v1/acme/mcp/`).expect(200)
      expect(body.resource).toBe(`${at.url}/v1/acme/mcp`)
      await request(at.url).get(`${wellKnown}/v1/acme/mcp/x`).expect(404)
    },
  ],
  [
    'looks for it so on a domain of the company’s own',
    async () => {
      const company = { key: 'acme', id: 'acme', baseUrl: 'https://assistant.acme.example' }
      const at = await started({ tenantStore: new MemoryTenantStore([company]), baseUrl: 'https://shared.example' })
      at.signIn.protectedResource({ path: mcp })
      const { body } = await request(at.url).get(`${wellKnown}/mcp/`).set('Host', 'assistant.acme.example').expect(200)
      expect(body.resource).toBe('https://assistant.acme.example/mcp')
    },
  ],
  [
    'has a name of more than 200 characters, of which the beginning is shown',
    async (at) => {
      const { body } = await register(at, { client_name: `Assistant ${'x'.repeat(300)}` }).expect(201)
      const { text } = await new Authorization(at, { client_id: body.client_id }).open().expect(200)
      expect(textOf(text)).toContain(`Connect “Assistant ${'x'.repeat(49)}…” to Acme?`)
    },
  ],
  [
    'has a document with a byte order mark',
    async (at) => {
      const server = await published((document) => `\uFEFF${document}`)
      await new Authorization(at, { client_id: server.url() }).open().expect(200)
    },
  ],
  ...['utf8', 'UTF8', '"utf8"', 'utf-8'].map((charset): (typeof letIn)[number] => [
    `calls the charset of its form ${charset}`,
    async (at) => {
      const { code, codeVerifier: code_verifier } = await at.asCustomer()
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier,
        redirect_uri: redirectUri,
      }
      const response = await request(at.issuer())
        .post('/token')
        .set('Content-Type', `application/x-www-form-urlencoded; charset=${charset}`)
        .send(formBody(form))
      expectTokens(response)
    },
  ]),
  ...['/sse', '/sse/', '/a/b', '/sse?session=1'].map((below): (typeof letIn)[number] => [
    `names an address below the API as its resource: /mcp${below}`,
    async (at) => {
      const resource = `${at.url}/v1/acme/mcp${below}`
      const { access_token, refresh_token } = expectTokens(
        await at.exchange(await at.asCustomer({ resource }), { resource }),
      )
      const next = expectTokens(await at.refresh(refresh_token, { resource }))
      for (const token of [access_token, next.access_token])
        expect(decode(token)).toMatchObject({ aud: `${at.url}/v1/acme/mcp` })
    },
  ]),
]

describe('a client is let in that', () => {
  it.each(letIn)('%s', async (_, connects) => {
    await connects(await host())
  })
})

const clients = [{ clientId, redirectUris: [redirectUri] }]

describe('an address below an API', () => {
  const api = 'https://api.acme.example'
  const withApis = (...resources: string[]) =>
    started({ tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', resources, clients }]) })

  it.each([
    ['/mcp/admin', '/mcp/admin'],
    ['/mcp/admin/sse', '/mcp/admin'],
    ['/mcp/administrators', '/mcp'],
    ['/mcp/other', '/mcp'],
  ])('is that of the longest API, by whole segments: %s is %s', async (below, is) => {
    const at = await withApis(`${api}/mcp`, `${api}/mcp/admin`)
    const { access_token } = expectTokens(await at.exchange(await at.asCustomer({ resource: api + below })))
    expect(decode(access_token)).toMatchObject({ aud: api + is })
  })

  it.each(['/mcpx', '/mcp//', '/mcp//sse', '/MCP/sse', '/mcp%2Fsse', '/mcp/../admin', '/other'])(
    'is not %s',
    async (path) => {
      const at = await withApis(`${api}/mcp`)
      await expect(at.asCustomer({ resource: api + path })).rejects.toMatchObject({ code: 'invalid_target' })
    },
  )

  it('is none below the issuer, which is no API', async () => {
    const at = await started()
    await expect(at.asCustomer({ resource: `${at.issuer()}/sse` })).rejects.toMatchObject({ code: 'invalid_target' })
  })
})

describe('HEAD', () => {
  it.each(['/.well-known/oauth-authorization-server/v1/acme/oauth', `${wellKnown}/v1/acme/mcp`, '/v1/acme/oauth/jwks'])(
    'is answered where GET is, without a body: %s',
    async (path) => {
      const at = await host()
      const [head, get] = [await request(at.url).head(path), await request(at.url).get(path)]
      expect([head.status, head.text]).toEqual([200, undefined])
      expect(head.headers.etag).toBe(get.headers.etag)
    },
  )

  it('finds the page to authorize, and signs nobody in, whatever was allowed before', async () => {
    const authenticate = jest.fn(asTheySay)
    const client = { clientId, redirectUris: [redirectUri], askConsent: 'once' as const }
    const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', clients: [client] }])
    const at = await started({ authenticate, tenantStore })
    const authorization = new Authorization(at)
    expectTokens(await at.exchange(await authorization.allowed()))
    const again = new Authorization(at)
    await again.open().expect(303)
    const told = at.events.length
    authenticate.mockClear()
    const { status, headers, text } = await request(at.url).head(new Authorization(at).path)
    expect({ status, text }).toEqual({ status: 200, text: undefined })
    expect(headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(headers).not.toHaveProperty('location')
    expect(authenticate).not.toHaveBeenCalled()
    expect(at.events).toHaveLength(told)
  })

  it('has the status of the page where the request is refused', async () => {
    const at = await host()
    const wrong = new Authorization(at, { redirect_uri: 'https://evil.example/' })
    const { status } = await request(at.url).head(wrong.path)
    expectErrorPage(await wrong.open(), status)
  })
})
