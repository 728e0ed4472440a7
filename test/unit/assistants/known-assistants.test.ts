import { promises as dns } from 'node:dns'
import {
  type ClientOptions,
  ConfigurationError,
  createCustomerSignIn,
  type KnownAssistant,
  knownAssistants,
  MemoryTenantStore,
  MemoryTokenStore,
} from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { appRedirects } from '../../../src/assistants/assistants'
import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { lookUpByDns } from '../../../src/documents/addresses'
import { isLoopbackUrl } from '../../../src/protocol/redirect-uri'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { connectionsBegunBy } from '../../support/connections'
import { textOf } from '../../support/consent-form'
import { DocumentServer, publishing } from '../../support/document-server'
import { type DnsAnswer, NameServer } from '../../support/name-server'
import { publicClients } from '../../support/public-clients'
import { register } from '../../support/registration'
import { expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(() => {
  releaseClock()
  jest.restoreAllMocks()
})

/** What a server answers, and a copy of its document, with another name. */
async function published(answer: { status: number; type?: string; changes?: object; cacheControl?: string }) {
  const server = await DocumentServer.start((self) => (req, res) => {
    const { status, type = 'application/json', changes, cacheControl = '' } = answer
    publishing(self, { ...changes }, { 'Content-Type': type, 'Cache-Control': cacheControl }, status)(req, res)
  })
  const known: KnownAssistant = {
    document: { client_id: server.url(), client_name: 'Assistant by heart', redirect_uris: [redirectUri] },
  }
  return { server, known, answer }
}

const startedWith = (known: ClientOptions['known']) =>
  started({ authenticate: asTheySay, clients: { documents: 'with-loopback', known } })

const stores = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
const open = (host: TestSignIn, client_id: string) => new Authorization(host, { client_id }).open()

describe('the assistants that are known by heart', () => {
  const webOrLoopback = /^(https:\/\/[\w.-]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)\//

  it.each(knownAssistants.map((assistant) => [assistant.document.client_name, assistant] as const))(
    'have a copy of the document of %s with what an assistant needs, and where and when it was found',
    (name, { document, source, date }) => {
      const { client_id, client_uri = 'https://', redirect_uris } = document
      expect(name).toMatch(/^\w/)
      expect(client_id).toMatch(/^https:\/\/[\w.-]+\/\w/)
      expect(client_uri).toMatch(/^https:\/\//)
      expect(redirect_uris.length).toBeGreaterThan(0)
      for (const redirectUri of redirect_uris) expect(redirectUri).toMatch(webOrLoopback)
      const { grant_types: types = ['authorization_code', 'refresh_token'], response_types = ['code'] } = document
      expect(types).toEqual(expect.arrayContaining(['authorization_code', 'refresh_token']))
      for (const type of types as string[])
        expect(type).toMatch(/^[a-z_]+$|^urn:ietf:params:oauth:grant-type:[a-z_-]+$/)
      expect(response_types).toEqual(['code'])
      const { token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: methods = ['none'] } = document
      const isByKey = method === 'private_key_jwt'
      expect(method).toBe(isByKey ? method : 'none')
      expect(methods).toEqual(isByKey ? ['none', method] : ['none'])
      const { jwks_uri, token_endpoint_auth_signing_alg: algorithm } = document
      expect([jwks_uri, algorithm]).toEqual(isByKey ? [expect.stringMatching(/^https:\/\//), 'RS256'] : [])
      expect(source).toMatch(/^https:\/\//)
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    },
  )

  it.each([
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'claude://claude.ai/mcp-auth-callback/sdk',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback/3f2a',
    'vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/3f2a',
    'cursor://saoudrizwan.claude-dev/mcp-auth/callback/3f2a',
    'windsurf://saoudrizwan.claude-dev/mcp-auth/callback/3f2a',
    'warp://mcp/oauth2callback',
    'mcpjam://oauth/callback',
    'workbuddy://workbuddy/mcp/connector%3Aacme/oauth/callback',
    'workbuddy://workbuddy/mcp/custom-mcp%3Aacme-air/oauth/callback',
  ])('let an app connect that has the address %s', async (address) => {
    const host = await started({ authenticate: asTheySay })
    const { body } = await register(host, { redirect_uris: [address] }).expect(201)
    const { client_id, redirect_uris } = body
    expect(redirect_uris).toEqual([address])
    const signedIn = await new Authorization(host, { client_id, redirect_uri: address }).allowed()
    expectTokens(await host.exchange(signedIn, { client_id, redirect_uri: address }))
  })

  it.each([
    'cursor://anysphere.cursor-deeplink/mcp/install',
    'grokbot://mcp/oauth/callback',
    'claude://claude.ai/mcp-auth-callback/sdk/other',
    'claude://cowork/shared-artifact',
    'vscode://saoudrizwan.claude-dev/auth',
    'vscode://ms-python.python/mcp-auth/callback/3f2a',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback/%2E%2E%2Fauth',
    'vscodium://saoudrizwan.claude-dev/mcp-auth/callback/3f2a',
    'warp://mcp/oauth2callback?server_id=1',
    'warp://action/new_tab',
    'mcpjam://authkit/callback',
    'workbuddy://workbuddy/mcp/connector%3Aacme/install',
    'workbuddy://workbuddy/mcp/connector%3A..%2Facme/oauth/callback',
    'workbuddy://workbuddy/mcp/connector%2Facme/oauth/callback',
    'workbuddy://workbuddy/mcp/acme/oauth/callback',
    'workbuddy://workbuddy/skills/connector%3Aacme/oauth/callback',
  ])('have no other address of an app among theirs, such as %s', async (address) => {
    await register(await started(), { redirect_uris: [address] }).expect(400)
  })

  it.each(appRedirects)('know where and when they have read the address of $app: $redirect', ({ source, date }) => {
    expect(source).toMatch(/^https:\/\/[\w.-]+\/[\w.]/)
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
  })

  it('have redirect URIs and keys only on the site of their publisher, or on the customer’s own device', () => {
    const siteOf = (url: string) => new URL(url).hostname.split('.').slice(-2).join('.')
    for (const { document } of knownAssistants) {
      const { client_id, redirect_uris, jwks_uri } = document
      const addresses = [...redirect_uris, ...(typeof jwks_uri === 'string' ? [jwks_uri] : [])]
      const elsewhere = addresses.filter((url) => siteOf(url) !== siteOf(client_id))
      expect(elsewhere.filter((url) => !isLoopbackUrl(url))).toEqual([])
    }
  })
})

describe('the copy of a known assistant’s document', () => {
  it.each([
    [403, 'application/json'],
    [429, 'application/json'],
    [500, 'text/html'],
    [503, 'application/json'],
    [200, 'text/html'],
  ])('is used where the document was never fetched and its address answers %d with %s', async (status, type) => {
    const { server, known } = await published({ status, type })
    const host = await startedWith([known])
    const client_id = server.url()
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const tokens = expectTokens(await host.exchange(signedIn, { client_id }))
    expect(decode(tokens.access_token)).toMatchObject({ client_id })
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
  })

  it('is used where its address does not answer at all', async () => {
    const { server, known } = await published({ status: 200 })
    const host = await startedWith([known])
    await server.stop()
    await open(host, server.url()).expect(200)
  })

  it('makes nobody vouch for the assistant: the page says that it is not checked', async () => {
    const { server, known } = await published({ status: 403 })
    const { text } = await open(await startedWith([known]), server.url()).expect(200)
    expect(textOf(text)).toContain('Connect “Assistant by heart” to Acme?')
    expect(textOf(text)).toContain(`Published by${new URL(server.origin).host}`)
    expect(textOf(text)).toContain('Acme has not checked this app.')
  })

  it('lets the browser go to the redirect URIs in it and to no others', async () => {
    const { server, known } = await published({ status: 403 })
    const host = await startedWith([known])
    const redirect_uri = 'https://assistant.example/other'
    expectErrorPage(await new Authorization(host, { client_id: server.url(), redirect_uri }).open())
  })

  it('is reported once an hour', async () => {
    const { server, known } = await published({ status: 403 })
    const host = await startedWith([known])
    const clock = stopClock()
    for (let minutes = 0; minutes < 61; minutes += 10) {
      await open(host, server.url()).expect(200)
      clock.advance(600)
    }
    const event = { type: 'stale', tenantKey: 'acme', clientId: server.url(), copy: 'known', age: undefined }
    expect(await host.told('stale')).toMatchObject([
      { ...event, detail: { reason: 'The status is 403' } },
      { ...event, detail: { reason: 'The status is 403' } },
    ])
  })

  it('is used for a minute before the document is tried again, and not once it has been fetched', async () => {
    const { server, known, answer } = await published({ status: 403 })
    const host = await startedWith([known])
    const clock = stopClock()
    for (const requests of [1, 2]) {
      for (let each = 0; each < 3; each++) await open(host, server.url()).expect(200)
      expect(server.requests).toHaveLength(requests)
      clock.advance(60)
    }
    answer.status = 200
    const live = await open(host, server.url()).expect(200)
    expect(textOf(live.text)).toContain('Connect “Assistant” to Acme?')
  })

  it('is not used where the last document that was fetched may still be', async () => {
    const { server, known, answer } = await published({ status: 200 })
    const host = await startedWith([known])
    const clock = stopClock()
    await open(host, server.url()).expect(200)
    answer.status = 403
    clock.advance(60)
    const kept = await open(host, server.url()).expect(200)
    expect(textOf(kept.text)).toContain('Connect “Assistant” to Acme?')
    clock.advance(7 * 86_400)
    const copy = await open(host, server.url()).expect(200)
    expect(textOf(copy.text)).toContain('Connect “Assistant” to Acme?')
    expect(await host.told('stale')).toMatchObject([{ copy: 'kept' }, { copy: 'known' }])
  })

  it('is the last document that was fetched from then on, also where the publisher wants no other copy to be used', async () => {
    const { server, known, answer } = await published({ status: 200, cacheControl: 'no-store' })
    const host = await startedWith([known])
    const clock = stopClock()
    await open(host, server.url()).expect(200)
    answer.status = 403
    clock.advance(60)
    const copy = await open(host, server.url()).expect(200)
    expect(textOf(copy.text)).toContain('Connect “Assistant” to Acme?')
    const [told] = await host.told('stale')
    expect(told).toMatchObject({ copy: 'known' })
    expect(told?.age).toBeUndefined()
  })

  it.each<[what: string, answer: { status: number; changes?: object; type?: string }]>([
    ['is not there', { status: 404 }],
    ['has been taken away', { status: 410 }],
    ['is wrong', { status: 200, changes: { redirect_uris: [] } }],
    ['is another client’s', { status: 200, changes: { client_id: 'https://evil.example/client.json' } }],
    ['is a file of another type', { status: 200, type: 'text/plain' }],
  ])('is not used where the publisher’s own word is that the document %s, and not after that', async (_, answered) => {
    const { server, known, answer } = await published({ ...answered })
    const host = await startedWith([known])
    expectErrorPage(await open(host, server.url()))
    Object.assign(answer, { status: 403, changes: {}, type: 'application/json' })
    expectErrorPage(await open(host, server.url()), 503)
    Object.assign(answer, { status: 200 })
    await open(host, server.url()).expect(200)
  })

  it('is not used because strangers cause too many fetches', async () => {
    const { server, known } = await published({ status: 500, cacheControl: 'no-store' })
    const lookUp = async () => ['127.0.0.1']
    const documents = new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp }, publicClients, [known])
    stopClock()
    const acme = { id: 'acme', key: 'acme' }
    const many = (path: string) => documents.find(server.url(path, 'a.example'), acme).catch(() => {})
    for (let index = 0; index < 300; index++) await many(`/${index}`)
    expect(server.requests).toHaveLength(300)
    // Its own address is fetched all the same: strangers cannot use up its share.
    await expect(documents.find(server.url(), acme)).resolves.toMatchObject({ clientName: 'Assistant by heart' })
    expect(server.requests).toHaveLength(301)
  })

  it('is not used if the host has turned it off with an empty list', async () => {
    const { server } = await published({ status: 403 })
    expectErrorPage(await open(await startedWith([]), server.url()), 503)
  })
})

describe('a server whose name servers know only the names of its own network', () => {
  const claude = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
  const acme = { id: 'acme', key: 'acme' }

  /** The documents of the known assistants, where every look-up is answered with this. */
  async function documentsWhere(answer: DnsAnswer, known = knownAssistants) {
    const names = await NameServer.start(({ type }) => (typeof answer === 'string' || type === 'A' ? answer : []))
    const guard = { allowLoopback: false, ports: [443], lookUp: lookUpByDns([names.address]) }
    const emit = jest.fn()
    return { documents: new MetadataDocuments(guard, publicClients, known, emit), emit }
  }

  it.each<[answer: DnsAnswer, reason: RegExp]>([
    ['NXDOMAIN', /^claude\.ai has no address$/],
    [[], /^claude\.ai has no address$/],
    [['10.0.0.1'], /^claude\.ai is at 10\.0\.0\.1, which is not a public address$/],
    [['0.0.0.0'], /not a public address/],
    [['127.0.0.1'], /not a public address/],
    [['93.184.215.14', '10.0.0.1'], /not a public address/],
    ['SERVFAIL', /ESERVFAIL/],
  ])('uses the copy, and connects nowhere, if they answer %j', async (answer, reason) => {
    const { documents, emit } = await documentsWhere(answer)
    const begun = await connectionsBegunBy(async () => {
      expect(await documents.find(claude, acme)).toMatchObject({ clientName: 'Claude' })
    })
    expect(begun).toBe(0)
    const detail = { reason: expect.stringMatching(reason) }
    expect(emit.mock.calls).toEqual([
      [expect.objectContaining({ type: 'stale', clientId: claude, copy: 'known', detail })],
    ])
  })

  it.each<[answer: DnsAnswer]>([['NXDOMAIN'], [['10.0.0.1']]])(
    'asks the customer of any other client to try again, and connects nowhere, if they answer %j',
    async (answer) => {
      const { documents } = await documentsWhere(answer)
      const begun = await connectionsBegunBy(async () => {
        const found = documents.find('https://inside.example/client.json', acme)
        await expect(found).rejects.toMatchObject({ status: 503, reason: 'document_unavailable' })
      })
      expect(begun).toBe(0)
    },
  )

  it('uses no copy for a document at an IP address that is not public', async () => {
    const client_id = 'https://10.0.0.1/client.json'
    const document = { client_id, client_name: 'Inside', redirect_uris: [redirectUri] }
    const { documents } = await documentsWhere('NXDOMAIN', [{ document }])
    await expect(documents.find(client_id, acme)).rejects.toMatchObject({ code: 'invalid_client' })
  })

  it('connects Claude, which stays signed in', async () => {
    for (const family of ['resolve4', 'resolve6'] as const) {
      const unknown = Object.assign(new Error('queryA ENOTFOUND claude.ai'), { code: 'ENOTFOUND' })
      jest.spyOn(dns.Resolver.prototype, family).mockRejectedValue(unknown)
    }
    const host = await started({ authenticate: asTheySay })
    const redirect_uri = 'https://claude.ai/api/mcp/auth_callback'
    const signedIn = await new Authorization(host, { client_id: claude, redirect_uri }).allowed()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_id: claude, redirect_uri }))
    expectTokens(await host.refresh(refresh_token, { client_id: claude }))
    expect(await host.told('stale')).toMatchObject([{ copy: 'known', detail: { reason: 'claude.ai has no address' } }])
  })
})

describe('knownAssistants', () => {
  const assistant = (changes: object): KnownAssistant => ({
    document: { client_id: 'https://a.example/b', client_name: 'A', redirect_uris: [redirectUri], ...changes },
  })

  it('can be added to', async () => {
    const { server, known } = await published({ status: 403 })
    await open(await startedWith([...knownAssistants, known]), server.url()).expect(200)
  })

  it.each<[what: string, changes: object, says: string]>([
    ['an address that is none of a document', { client_id: 'assistant' }, 'client_id in the document does not match'],
    ['a document without a name', { client_name: undefined }, 'the document must have a client_name'],
    ['a document without redirect URIs', { redirect_uris: [] }, 'redirect_uris must be an array'],
    ['a document with a secret', { client_secret: 'x' }, 'the document must not have a client_secret'],
  ])('cannot have %s', (_, changes, says) => {
    const create = () => createCustomerSignIn({ ...stores, clients: { known: [assistant({}), assistant(changes)] } })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/clients\.known\[1\]\.document/)
    expect(create).toThrow(says)
  })
})

describe('the assistants that this package knows', () => {
  it('are left out where all of their methods to authenticate are off', async () => {
    const { server, known } = await published({ status: 403 })
    const own = { ...known.document, token_endpoint_auth_method: 'none' }
    const host = await started({
      authenticate: asTheySay,
      clients: {
        documents: 'with-loopback',
        authentication: ['private_key_jwt'],
        known: [...knownAssistants, { document: own }],
      },
    })
    expectErrorPage(await open(host, server.url()), 503)
  })

  it.each(knownAssistants.map(({ document, ...about }) => [document.client_name, document, about] as const))(
    '%s has a document that this server would accept, a public source and a date',
    async (_, document, { source, date }) => {
      await startedWith([{ document }])
      expect(new URL(source ?? '').protocol).toBe('https:')
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
    },
  )

  it('have different addresses', () => {
    const addresses = knownAssistants.map(({ document }) => document.client_id)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it.each([
    'Claude',
    'Claude Code',
    'ChatGPT',
    'Codex',
    'Visual Studio Code',
    'GitHub Copilot CLI',
    'Cursor',
    'opencode',
  ])('have %s among them', (name) => {
    expect(knownAssistants.map(({ document }) => document.client_name)).toContain(name)
  })
})
