import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const startedWith = () => started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })

/** Fails unless the customer sees an error page and the operator is told why. @returns The reason. */
async function expectRefused(host: TestSignIn, client_id: string): Promise<string> {
  const page = expectErrorPage(await new Authorization(host, { client_id }).open())
  expect(page).toContain('The metadata document of client_id cannot be used')
  return reasonTold(host, client_id, page, 'invalid_client')
}

/** The same for a document that a later try may get: the page says so, and there is no `error` event. */
async function expectLater(host: TestSignIn, client_id: string): Promise<string> {
  const response = await new Authorization(host, { client_id }).open()
  const page = expectErrorPage(response, 503)
  expect(page).toContain('The metadata document of client_id cannot be fetched at the moment')
  expect(page).toContain('Please try again in a moment')
  expect(response.headers['retry-after']).toBe('5')
  expect(await host.told('error')).toEqual([])
  return reasonTold(host, client_id, page, 'temporarily_unavailable')
}

async function reasonTold(host: TestSignIn, client_id: string, page: string, error: string): Promise<string> {
  // The link that tries again repeats the request, with the address in it.
  expect(textOf(page)).not.toMatch(/127\.0\.0\.1|ECONN|status/)
  const [denied] = (await host.told('denied')).slice(-1)
  const reasons =
    error === 'invalid_client' ? /^(document_unusable|redirect_uris_refused|method_off)$/ : /^document_unavailable$/
  const reason = expect.stringMatching(reasons)
  expect(denied).toMatchObject({ where: 'authorize', error, reason, detail: { clientId: client_id } })
  return String(denied?.detail.reason)
}

const text =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_req, res) =>
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)

afterEach(() => jest.restoreAllMocks())

it('is refused where it can authenticate by nothing but a secret, even if clients that register can', async () => {
  const host = await started({
    authenticate: asTheySay,
    clients: { documents: 'with-loopback', authentication: ['client_secret_basic', 'private_key_jwt'] },
    keys: { credentialSecrets: ['a secret for the tests, of 32 bytes or more'] },
  })
  const changes = { token_endpoint_auth_methods_supported: ['client_secret_basic'] }
  const server = await DocumentServer.start((self) => publishing(self, changes))
  expect(await expectRefused(host, server.url())).toContain('token_endpoint_auth_method must be')
})

describe('a metadata document is refused', () => {
  it.each<[what: string, changes: Record<string, unknown>]>([
    ['without a client_id', { client_id: undefined }],
    ['of another client', { client_id: 'https://evil.example/client.json' }],
    ['with a list for a client_id', { client_id: ['https://evil.example/client.json'] }],
    ['with a secret', { client_secret: 'secret' }],
    ['with an empty secret', { client_secret: '' }],
    ['with a method that needs a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with an object for a method', { token_endpoint_auth_method: { toString: 1 } }],
    ['without redirect URIs', { redirect_uris: undefined }],
    ['with no redirect URI', { redirect_uris: [] }],
    ['with only a redirect URI that runs', { redirect_uris: ['javascript:alert(1)'] }],
    ['with a redirect URI of plain http', { redirect_uris: ['http://assistant.example/callback'] }],
    ['without a name', { client_name: undefined }],
    ['with an empty name', { client_name: '' }],
    ['with null for a name', { client_name: null }],
    ['with a name that is no text', { client_name: 7 }],
    ['of a client that has no use for codes', { grant_types: ['client_credentials'] }],
  ])('%s', async (_, changes) => {
    const server = await DocumentServer.start((self) => publishing(self, changes))
    await expectRefused(await startedWith(), server.url())
  })

  it('says what is wrong in it, for its author', async () => {
    const server = await DocumentServer.start((self) => publishing(self, { client_name: 7 }))
    const page = expectErrorPage(await new Authorization(await startedWith(), { client_id: server.url() }).open())
    expect(page).toContain('The metadata document of client_id cannot be used: client_name must be a string')
  })

  it('says that it must have a name, which only a registration can leave out', async () => {
    const server = await DocumentServer.start((self) => publishing(self, { client_name: undefined }))
    const page = expectErrorPage(await new Authorization(await startedWith(), { client_id: server.url() }).open())
    expect(page).toContain('The metadata document of client_id cannot be used: the document must have a client_name')
  })

  it.each([{ client_secret: 'secret' }, { token_endpoint_auth_method: 'client_secret_basic' }])(
    'says that it must have no secret, and why: %j',
    async (changes) => {
      const server = await DocumentServer.start((self) => publishing(self, changes))
      const page = expectErrorPage(await new Authorization(await startedWith(), { client_id: server.url() }).open())
      expect(page).toContain('the document must not have a client_secret, because everyone can read it')
    },
  )

  it.each(['/client.json/', '/CLIENT.json', '/client.json?', '/client.json?a=1'])(
    'that says it is at %s',
    async (path) => {
      const server = await DocumentServer.start((self) => publishing(self, { client_id: self.url(path) }))
      await expectRefused(await startedWith(), server.url('/client.json'))
    },
  )

  it.each(['', '{', 'null', '7', '"client"', '[]', '{}', '<html>', `{"client_id":`])('that is %j', async (body) => {
    const server = await DocumentServer.start(() => text(body))
    await expectRefused(await startedWith(), server.url())
  })

  it.each([201, 204, 206, 304, 400, 401, 404, 405, 406, 410, 451])('with the status %d', async (status) => {
    const server = await DocumentServer.start((self) => publishing(self, {}, {}, status))
    const host = await startedWith()
    expect(await expectRefused(host, server.url())).toContain(String(status))
    const [denied] = await host.told('denied')
    expect(denied?.description).toBe('The metadata document of client_id cannot be used')
  })

  it.each([301, 302, 303, 307, 308])('behind a redirect (%d), which is not followed', async (status) => {
    const server = await DocumentServer.start((self) => (req, res) => {
      if (req.url !== '/client.json') return publishing(self, { client_id: self.url() })(req, res)
      res.writeHead(status, { Location: self.url('/inside') }).end()
    })
    await expectRefused(await startedWith(), server.url())
    expect(server.requests.map(({ url }) => url)).toEqual(['/client.json'])
  })

  it.each([
    'text/html',
    'text/plain',
    'application/octet-stream',
    'application/jsonp',
    'image/svg+xml',
    'xapplication/json',
    '',
  ])('of the type %j, because anyone can upload such a file to many sites', async (type) => {
    const server = await DocumentServer.start((self) => publishing(self, {}, { 'Content-Type': type }))
    await expectRefused(await startedWith(), server.url())
  })

  it('without a type', async () => {
    const server = await DocumentServer.start((self) => (_req, res) => {
      res.end(JSON.stringify({ client_id: self.url(), redirect_uris: [redirectUri] }))
    })
    expect(await expectRefused(await startedWith(), server.url())).toContain('the Content-Type of the document must be')
  })

  it('that is compressed, because it could grow without end', async () => {
    const server = await DocumentServer.start((self) => {
      const document = { client_id: self.url(), redirect_uris: [redirectUri] }
      return text(gzipSync(JSON.stringify(document)), { 'Content-Encoding': 'gzip' })
    })
    await expectRefused(await startedWith(), server.url())
  })
})

describe('a metadata document cannot be fetched for now, and the client keeps its tokens,', () => {
  it('that breaks off', async () => {
    const server = await DocumentServer.start((self) => (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 })
      res.write(JSON.stringify({ client_id: self.url(), redirect_uris: [redirectUri] }), () => res.destroy())
    })
    await expectLater(await startedWith(), server.url())
  })

  it('whose server hangs up', async () => {
    const server = await DocumentServer.start(() => (req) => req.socket.destroy())
    await expectLater(await startedWith(), server.url())
  })

  it('whose server is down', async () => {
    const server = await DocumentServer.start()
    const url = server.url()
    await server.stop()
    await expectLater(await startedWith(), url)
  })

  it.each([403, 408, 425, 429, 500, 502, 503, 504])('with the status %d', async (status) => {
    const server = await DocumentServer.start((self) => publishing(self, {}, {}, status))
    expect(await expectLater(await startedWith(), server.url())).toContain(String(status))
  })
})

describe('the time and memory for a metadata document are limited', () => {
  const sized = (url: string, bytes: number) => {
    const body = JSON.stringify({ client_id: url, client_name: 'Assistant', redirect_uris: [redirectUri], x: '' })
    return body.replace('"x":""', `"x":"${'x'.repeat(bytes - body.length)}"`)
  }

  it('one of 64 KiB is read, and one of a byte more is not', async () => {
    const server = await DocumentServer.start((self) => (req, res) => {
      text(sized(self.url(req.url), 65_536 + Number(req.url?.slice(1))))(req, res)
    })
    const host = await startedWith()
    await new Authorization(host, { client_id: server.url('/0') }).form()
    expect(await expectRefused(host, server.url('/1'))).toContain('65536 bytes')
  })

  it.each([
    ['', 200, '65536 bytes'],
    [' although it is none', 404, '404'],
  ])('a fetch that never ends is given up%s', async (_, status, reason) => {
    let closed: Promise<unknown> | undefined
    const server = await DocumentServer.start(() => (_req, res) => {
      closed = once(res, 'close')
      res.writeHead(status, { 'Content-Type': 'application/json' })
      const more = () => {
        while (!res.destroyed && res.write(' '.repeat(4096)));
      }
      res.on('drain', more)
      more()
    })
    expect(await expectRefused(await startedWith(), server.url())).toContain(reason)
    await closed
  })
})

describe('a metadata document is read', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/client+json',
    'application/vnd.example.client-v1+json; version=1',
  ])('of the type %s', async (type) => {
    const server = await DocumentServer.start((self) => publishing(self, {}, { 'Content-Type': type }))
    await new Authorization(await startedWith(), { client_id: server.url() }).form()
  })

  it('with whatever else is in it', async () => {
    const more = { jwks_uri: 'https://evil.example', logo_uri: 'javascript:alert(1)', client_uri: 7, firstParty: true }
    const server = await DocumentServer.start((self) => publishing(self, more))
    await new Authorization(await startedWith(), { client_id: server.url() }).form()
    expect(server.requests).toHaveLength(1)
  })
})

describe('a client_id is not taken for the address of a metadata document,', () => {
  it.each([
    'http://assistant.example/client.json',
    'http://localhost.evil.example/client.json',
    'http://10.0.0.1/client.json',
    'https://assistant.example',
    'https://assistant.example/',
    'https://assistant.example/client.json#part',
    'https://assistant.example/client.json#',
    'https://assistant.example/#',
    'https://user@assistant.example/client.json',
    'https://user:secret@assistant.example/client.json',
    'https://assistant.example:443/client.json',
    'https://ASSISTANT.example/client.json',
    'HTTPS://assistant.example/client.json',
    'https://assistant.example/a/../client.json',
    'https://assistant.example/./client.json',
    'https://assistant.example/%2e%2e/client.json',
    'https:assistant.example/client.json',
    'https:\\\\assistant.example\\client.json',
    ' https://assistant.example/client.json',
    'https://2130706433/client.json',
    'ftp://assistant.example/client.json',
    'ftp://127.0.0.1/client.json',
    'file:///etc/passwd',
    'data:application/json,{}',
    'com.example.assistant:/client.json',
  ])('but unknown like any other client_id: %s', async (client_id) => {
    const host = await startedWith()
    expectErrorPage(await new Authorization(host, { client_id }).open())
    const [denied] = await host.told('denied')
    expect(denied?.description).toBe('There is no client with this client_id')
  })

  it('on this machine, if the host does not allow that', async () => {
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay })
    const opened = async (client_id: string) => expectErrorPage(await new Authorization(host, { client_id }).open())
    expect(await opened(server.url())).toContain('There is no client with this client_id')
    await opened(server.url().replace('http:', 'https:'))
    expect(server.requests).toEqual([])
  })

  it.each(['127.0.0.1', 'localhost', '[::1]'])('on this machine, unless the host allows that: %s', async (name) => {
    const server = await DocumentServer.start()
    const url = server.url('/client.json', name)
    await server.stop()
    await expectLater(await startedWith(), url)
  })

  it('if it is longer than a client_id can be', async () => {
    const server = await DocumentServer.start()
    expectErrorPage(
      await new Authorization(await startedWith(), { client_id: server.url(`/${'x'.repeat(2048)}`) }).open(),
    )
    expect(server.requests).toEqual([])
  })
})
