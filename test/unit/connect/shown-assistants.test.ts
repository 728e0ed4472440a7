import {
  type Client,
  type ClientOptions,
  type CustomerSignInOptions,
  knownAssistants,
  MemoryTenantStore,
  newClientSecret,
  type Tenant,
} from 'customer-sign-in'
import { assistants as described } from '../../../src/assistants/assistants'
import { Authorization, asTheySay } from '../../support/authorization'
import { register } from '../../support/registration'
import type { TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

/** The assistants, each with the address of its document if it uses that. */
const assistants = described.map(({ document, prefersToRegister, ...assistant }) => ({
  ...assistant,
  document: prefersToRegister ? undefined : document?.document.client_id,
}))

const claudeCallback = 'https://claude.ai/api/mcp/auth_callback'
const all = assistants.map(({ id }) => id)
const without = (...ids: string[]) => all.filter((id) => !ids.includes(id))

/** The assistants whose document is at such a host, or that have none. */
const published = (isMeant: (host: string | undefined) => boolean) =>
  assistants.filter(({ document }) => isMeant(document && new URL(document).hostname)).map(({ id }) => id)

const isLoopback = (redirectUri: string) => /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(redirectUri)

/** Answers with the documents of the assistants, as their sites do. */
const publishers: ClientOptions['fetch'] = async (url) => {
  const known = knownAssistants.find(({ document }) => document.client_id === url)?.document
  const redirectUris = assistants.find(({ document }) => document === url)?.redirectUris
  const headers = { 'Content-Type': 'application/json' }
  return new Response(JSON.stringify({ ...known, redirect_uris: redirectUris }), { headers })
}

function company(record: Partial<Tenant>, options: Partial<CustomerSignInOptions> = {}): Promise<TestSignIn> {
  const resources = ['https://host.example/mcp']
  return started(
    {
      tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', name: 'Acme Air', resources, ...record }]),
      authenticate: asTheySay,
      clients: { fetch: publishers },
    },
    options,
  )
}

const guidesOf = async ({ signIn }: TestSignIn) => (await signIn.connect({ tenantKey: 'acme' })).assistants

/**
 * The assistants that can in fact begin a sign-in. They use their documents where those are offered with a method of theirs, and otherwise
 * register.
 */
async function letIn(host: TestSignIn): Promise<string[]> {
  const metadata = Object(await (await fetch(`${host.issuer()}/.well-known/oauth-authorization-server`)).json())
  const { client_id_metadata_document_supported: takesDocuments, registration_endpoint } = metadata
  const offered: unknown[] = metadata.token_endpoint_auth_methods_supported
  const outcomes = assistants.map(async ({ id, document, redirectUris, registersFor = 'none' }) => {
    const known = knownAssistants.find((copy) => copy.document.client_id === document)?.document
    const { token_endpoint_auth_method, token_endpoint_auth_methods_supported = [] } = Object(known)
    const methods = [token_endpoint_auth_method, ...token_endpoint_auth_methods_supported]
    const isAsked = async (client_id: string) => {
      const open = (redirect_uri: string) => new Authorization(host, { client_id, redirect_uri }).open()
      const pages = await Promise.all(redirectUris.map(open))
      return pages.every(({ status }) => status === 200) ? [id] : []
    }
    if (document !== undefined && takesDocuments && methods.some((method) => offered.includes(method)))
      return isAsked(document)
    if (registration_endpoint === undefined) return []
    const asked = { redirect_uris: redirectUris, token_endpoint_auth_method: registersFor }
    const { status, body } = await register(host, asked)
    return status === 201 && body.redirect_uris.length === redirectUris.length ? isAsked(body.client_id) : []
  })
  return (await Promise.all(outcomes)).flat()
}

const settings: [what: string, record: Partial<Tenant>, options: Partial<CustomerSignInOptions>, ids: string[]][] = [
  ['all where nothing is switched off', {}, {}, all],
  ['none where the company lets no client in that it does not know', { registration: false }, {}, []],
  [
    'those with a document where only documents are accepted',
    { registration: false, metadataDocuments: true },
    {},
    without('gemini-cli', 'opencode'),
  ],
  ['all where documents are off, because they register then', {}, { clients: { documents: false } }, all],
  ['none where the host has both off', {}, { clients: { documents: false, registration: false } }, []],
  [
    'those that register where documents cannot be fetched',
    {},
    { clients: { documents: { ports: [8443] } } },
    ['gemini-cli', 'opencode'],
  ],
  ['all where documents are fetched at other ports too', {}, { clients: { documents: { ports: [8443, 443] } } }, all],
  ['all but Cursor where no app address is accepted', {}, { clients: { appRedirects: [] } }, without('cursor')],
  [
    'those that can sign where public clients are off',
    {},
    { clients: { authentication: ['private_key_jwt'] } },
    ['chatgpt'],
  ],
  [
    'those that take a secret where public clients are off',
    {},
    { clients: { authentication: ['client_secret_post'] } },
    ['claude'],
  ],
  [
    'those whose document the company allows',
    { allowedClients: { documentHosts: ['claude.ai'] } },
    {},
    published((host) => host === 'claude.ai'),
  ],
  [
    'those whose document the company does not block',
    { blockedClients: { documentHosts: ['claude.ai'] } },
    {},
    published((host) => host !== 'claude.ai'),
  ],
  [
    'those that register where the company allows it, which then accepts no documents',
    { allowedClients: { redirectHosts: ['localhost'] } },
    {},
    assistants.filter(({ redirectUris }) => redirectUris.every(isLoopback)).map(({ id }) => id),
  ],
  [
    'none whose document is not allowed, wherever its codes go',
    { allowedClients: { documentHosts: ['other.example'], redirectHosts: ['claude.ai', 'chatgpt.com', 'localhost'] } },
    {},
    ['gemini-cli', 'opencode'],
  ],
  ['none where the company connects its customers through its own identity provider', { enterpriseOnly: true }, {}, []],
  ['none but its own where the company allows no others', { allowedClients: {} }, {}, []],
  [
    'those that take a secret where public clients and documents are off',
    {},
    { clients: { authentication: ['client_secret_post'], documents: false } },
    ['claude'],
  ],
]

describe('a "Connect an assistant" page shows', () => {
  it.each(settings)('%s, and so it is', async (_, record, options, ids) => {
    const host = await company(record, options)
    expect((await guidesOf(host)).map(({ id }) => id)).toEqual(ids)
    expect(await letIn(host)).toEqual(ids)
  })

  it('no assistant whose site has the host of this server', async () => {
    const ids = (await guidesOf(await company({}, { baseUrl: 'https://claude.ai' }))).map(({ id }) => id)
    expect(ids).toEqual(without('claude'))
  })

  it('no hosted assistant where the address is not https', async () => {
    const guides = await guidesOf(await company({ resources: ['http://localhost:3000/mcp'] }))
    expect(guides.map(({ id }) => id)).toEqual(without('claude', 'chatgpt'))
  })
})

describe('an assistant with an id of the company’s', () => {
  const own = (client: Partial<Client> = {}) => ({
    registration: false,
    clients: [
      { clientId: 'app', redirectUris: ['https://app.example/callback'] },
      { clientId: 'claude-1', redirectUris: [claudeCallback], ...client },
    ],
  })

  it.each([
    ['claude', claudeCallback],
    ['chatgpt', 'https://chatgpt.com/connector_platform_oauth_redirect'],
  ])('is shown with the id, and with steps that say where to enter it: %s', async (id, redirect_uri) => {
    const host = await company(own({ clientId: 'own-1', redirectUris: [redirect_uri] }))
    const [assistant, ...others] = await guidesOf(host)
    expect(others).toEqual([])
    expect(assistant).toMatchObject({ id, clientId: 'own-1' })
    expect(assistant?.steps.join(' ')).toMatch(/enter the client id/i)
    await new Authorization(host, { client_id: 'own-1', redirect_uri }).open().expect(200)
  })

  it('is shown without the id where it needs none', async () => {
    const [claude] = await guidesOf(await company({ ...own(), registration: true }))
    expect(claude).toMatchObject({ id: 'claude' })
    expect(claude).not.toHaveProperty('clientId')
    expect(claude?.steps.join(' ')).not.toContain('client id')
  })

  it.each<[string, Partial<Client>, Partial<CustomerSignInOptions>]>([
    [
      'that goes with a secret',
      { secretHashes: [newClientSecret().hash] },
      { clients: { authentication: ['none', 'client_secret_post'] } },
    ],
    ['where public clients are off', {}, { clients: { authentication: ['client_secret_post'] } }],
    ['for an address that any app on the device could have', { redirectUris: ['http://localhost:53682/callback'] }, {}],
  ])('is not shown with an id %s', async (_, client, options) => {
    expect(await guidesOf(await company(own(client), options))).toEqual([])
  })
})
