import { type ConnectedGrant, MemoryTenantStore, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import type { Grant, GrantPage } from 'customer-sign-in/store'
import { connectedGrants } from '../../../src/administration/connected-grants'
import { Languages } from '../../../src/pages/languages'
import { ScopeTexts } from '../../../src/pages/scope-words'
import { releaseClock, stopClock } from '../../support/clock'
import { craftedId } from '../../support/crafted-id'
import { DocumentServer, publishing } from '../../support/document-server'
import { recordOf } from '../../support/records'
import { register, registered } from '../../support/registration'
import { expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const documentsHere = { documents: 'with-loopback' } as const
const customer = { tenantKey: 'acme', subject: 'customer-1' }
const companyWith = (members: Partial<Tenant>) =>
  new MemoryTenantStore([{ key: 'acme', id: 'acme', scopes: ['profile', 'calendar'], ...members }])

/** Connects a client of the customer. */
async function connectedAs(host: TestSignIn, clientId: string, scopes?: string): Promise<void> {
  const signedIn = await host.asCustomer({ clientId, ...(scopes !== undefined && { scopes }) })
  expectTokens(await host.exchange(signedIn, { client_id: clientId }))
}

/** What a page can say of the only client that the customer has connected. */
/** The page of a store whose grants have other members. */
function changed({ grants }: GrantPage, members: Partial<Grant>): GrantPage {
  return { grants: grants.map((grant) => ({ ...grant, ...members })) }
}

async function listed(host: TestSignIn, language?: string): Promise<ConnectedGrant> {
  const grants = (await host.signIn.grants.list({ ...customer, language })).grants
  expect(grants).toHaveLength(1)
  return grants[0] as ConnectedGrant
}

afterEach(releaseClock)

describe('what grants.list says of a client', () => {
  it('of the company’s own is its name in the company’s record, for which the company vouches', async () => {
    const baseUrl = 'https://sign-in.acme.example'
    // Only a company's own app may be where the sign-in is.
    const redirectUris = [redirectUri, `${baseUrl}/callback`]
    const clients = [{ clientId: 'own', clientName: 'Travel Desk', redirectUris }]
    const host = await started({ tenantStore: companyWith({ clients }), baseUrl })
    await connectedAs(host, 'own')
    const client = await listed(host)
    expect(client).toMatchObject({
      clientId: 'own',
      clientName: 'Travel Desk',
      vouchedFor: true,
      destinations: ['assistant.example', 'sign-in.acme.example'],
    })
    expect(client).not.toHaveProperty('publisher')
  })

  it('that registered itself is the name that it has given itself', async () => {
    const host = await started()
    const clientId = await registered(host, { client_name: 'Assistant' })
    await connectedAs(host, clientId)
    const client = await listed(host)
    expect(client).toMatchObject({ clientId, clientName: 'Assistant', vouchedFor: false })
    expect(client).not.toHaveProperty('publisher')
  })

  it('without a name, or of which nothing is known, is its id, as long as a page has room for', async () => {
    const host = await started()
    const clientId = await registered(host)
    await connectedAs(host, clientId)
    const shown = `${clientId.slice(0, 14)}…`
    expect(await listed(host)).toMatchObject({ clientName: shown, destinations: ['assistant.example'] })
    const gone = wrapStore(host.tokenStore, async ({ method, apply }) => {
      const result = await apply()
      return method === 'listGrants' ? changed(result as GrantPage, { clientId: 'gone' }) : result
    })
    const other = await started({ tokenStore: gone })
    expect(await listed(other)).toMatchObject({ clientName: 'gone', vouchedFor: false, destinations: [] })
  })

  it('has each place where its sign-ins can end, once', async () => {
    const host = await started()
    const uris = ['https://b.example:8443/1', 'http://127.0.0.1/callback', 'http://localhost/callback', redirectUri]
    const apps = ['com.example.app:/callback', 'https://localhost/callback', 'https://b.example:8443/2']
    const { body } = await register(host, { redirect_uris: [...uris, ...apps] }).expect(201)
    await connectedAs(host, body.client_id)
    expect((await listed(host)).destinations).toEqual(['b.example:8443', 'an app on a device', 'assistant.example'])
    const inGerman = (await host.signIn.grants.list({ ...customer, language: 'de-AT' })).grants
    expect(inGerman).toMatchObject([
      { destinations: [expect.any(String), 'eine App auf einem Gerät', 'assistant.example'] },
    ])
  })

  it('has no place where nobody can be sent, whatever its author has written into its id', async () => {
    const [baseUrl, ownDomain] = ['https://app.example', 'https://chat.acme.example']
    const record: Tenant = { key: 'acme', id: 'acme' }
    const tenantStore = { findTenant: () => record, findTenantByHost: () => undefined }
    const host = await started({ baseUrl, tenantStore })
    const refused = [`${baseUrl}/1`, `${ownDomain}/1`, 'https://user:pass@bank.example/', 'javascript:x']
    await connectedAs(host, craftedId({ text: [redirectUri, ...refused].join(' ') }))
    record.baseUrl = ownDomain
    expect((await listed(host)).destinations).toEqual(['assistant.example'])
  })

  it('with a metadata document is its name, and the host that publishes the document', async () => {
    const documents = await DocumentServer.start()
    const host = await started({ clients: documentsHere })
    await connectedAs(host, documents.url())
    expect(await listed(host)).toMatchObject({
      clientId: documents.url(),
      clientName: 'Assistant',
      publisher: new URL(documents.origin).host,
      vouchedFor: false,
      destinations: ['assistant.example'],
    })
    expect(documents.requests).toHaveLength(1)
  })

  it('comes from the last copy of a document, however old it is, without another fetch', async () => {
    const clock = stopClock()
    const documents = await DocumentServer.start((server) => publishing(server, {}, { 'Cache-Control': 'no-store' }))
    const host = await started({ clients: documentsHere })
    await connectedAs(host, documents.url())
    clock.advance(20 * 86_400)
    expect(await listed(host)).toMatchObject({ clientName: 'Assistant' })
    expect(documents.requests).toHaveLength(1)
  })

  it('comes from the copy of a known assistant, without a fetch', async () => {
    const documents = await DocumentServer.start()
    const tokenStore = new MemoryTokenStore()
    const before = await started({ tokenStore, clients: documentsHere })
    await connectedAs(before, documents.url())
    const document = { client_id: documents.url(), client_name: 'Well-known', redirect_uris: [redirectUri] }
    const host = await started({ tokenStore, clients: { ...documentsHere, known: [{ document }] } })
    expect(await listed(host)).toMatchObject({ clientName: 'Well-known' })
    expect(documents.requests).toHaveLength(1)
  })

  it('is fetched by a process that has never seen the document', async () => {
    const documents = await DocumentServer.start()
    const tokenStore = new MemoryTokenStore()
    await connectedAs(await started({ tokenStore, clients: documentsHere }), documents.url())
    const host = await started({ tokenStore, clients: documentsHere })
    expect(await listed(host)).toMatchObject({ clientName: 'Assistant' })
    expect(await listed(host)).toMatchObject({ clientName: 'Assistant' })
    expect(documents.requests).toHaveLength(2)
  })

  it.each([
    ['is gone', (): Promise<Response> => Promise.reject(new Error('gone'))],
    ['does not come', (): Promise<Response> => new Promise(() => {})],
  ])('is the publisher if the document %s, and the list does not wait for it', async (_, fetch) => {
    const documents = await DocumentServer.start()
    const tokenStore = new MemoryTokenStore()
    await connectedAs(await started({ tokenStore, clients: documentsHere }), documents.url())
    const host = await started({
      tokenStore,
      clients: { ...documentsHere, fetch: fetch as never },
    })
    const publisher = new URL(documents.origin).host
    expect(await listed(host)).toMatchObject({ clientName: publisher, publisher, destinations: [] })
    expect(await host.told('error')).toEqual([])
  })

  it('is never fetched for a client in the company’s own record, whatever its id looks like', async () => {
    const documents = await DocumentServer.start()
    const clients = [
      { clientId: documents.url(), clientName: 'Our own', redirectUris: [redirectUri] },
      { clientId: 'another', redirectUris: [redirectUri] },
    ]
    const host = await started({ tenantStore: companyWith({ clients }), clients: documentsHere })
    await connectedAs(host, documents.url())
    const client = await listed(host)
    expect(client).toMatchObject({ clientName: 'Our own', vouchedFor: true })
    expect(client).not.toHaveProperty('publisher')
    expect(documents.requests).toEqual([])
  })

  it('is not fetched for a company that is named by its id, because it may be gone', async () => {
    const documents = await DocumentServer.start()
    const tokenStore = new MemoryTokenStore()
    await connectedAs(await started({ tokenStore, clients: documentsHere }), documents.url())
    const host = await started({ tokenStore, clients: documentsHere })
    const publisher = new URL(documents.origin).host
    const { grants } = await host.signIn.grants.list({ tenantId: 'acme', anyCustomer: true })
    expect(grants).toMatchObject([{ clientName: publisher, publisher }])
    expect(documents.requests).toHaveLength(1)
  })

  it('is its address alone where metadata documents are off', async () => {
    const documents = await DocumentServer.start()
    const tokenStore = new MemoryTokenStore()
    await connectedAs(await started({ tokenStore, clients: documentsHere }), documents.url())
    const host = await started({ tokenStore, clients: { documents: false } })
    const client = await listed(host)
    expect(client).toMatchObject({ clientName: documents.url(), vouchedFor: false })
    expect(client).not.toHaveProperty('publisher')
  })

  it('is fetched for the company whose customer has connected the client', async () => {
    const fetchedFor: unknown[] = []
    const documents = {
      isDocumentUrl: () => true,
      remembered: () => undefined,
      find: async (clientId: string, company: object) => fetchedFor.push([clientId, company]),
    }
    const tokenStore = new MemoryTokenStore()
    const host = await started({ tokenStore })
    await host.connected()
    const texts = [new ScopeTexts({}, 'en'), new Languages(), 'en'] as const
    const connected = connectedGrants(
      {} as never,
      documents as never,
      { appRedirects: [], baseUrl: undefined },
      ...texts,
    )
    const company = { id: 'acme', key: 'our key', clients: [], locale: undefined, ownAddresses: [] }
    const clientId = 'https://assistant.example/client.json'
    await connected([{ ...(await recordOf(tokenStore)), clientId }], company, undefined)
    expect(fetchedFor).toEqual([[clientId, { id: 'acme', key: 'our key' }]])
  })
})

describe('the time of the last use in grants.list', () => {
  it('is that of the sign-in, if the store does not say when the client refreshed', async () => {
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      const result = await apply()
      return method === 'listGrants' ? changed(result as GrantPage, { swap: undefined }) : result
    })
    const host = await started({ tokenStore })
    await host.connected()
    const { connectedAt, lastUsedAt } = await listed(host)
    expect(lastUsedAt).toBe(connectedAt)
  })
})

describe('the words of scopes in grants.list', () => {
  const scopes = { profile: { words: { en: 'Know who you are', de: 'Wissen, wer Sie sind' } }, calendar: 'Calendar' }
  const clients = [{ clientId: 'own', redirectUris: [redirectUri] }]

  it.each([
    ['the language that is asked for', 'de-AT', undefined, undefined],
    ['the company’s language, if none is asked for', undefined, 'de', undefined],
    ['the language of the option locale, if the company has none', undefined, undefined, 'de'],
    ['the option’s language, if there are none in the one that is asked for', 'sv', undefined, 'de'],
  ])('are in %s', async (_, language, locale, byDefault) => {
    const tenantStore = companyWith({ clients, locale })
    const host = await started({
      tenantStore,
      scopes,
      ...(byDefault !== undefined && { pages: { locale: byDefault } }),
    })
    await connectedAs(host, 'own', 'profile calendar')
    const { scopes: granted, scopeTexts } = await listed(host, language)
    expect(granted).toEqual(['profile', 'calendar'])
    expect(scopeTexts).toMatchObject([
      { scope: 'profile', text: 'Wissen, wer Sie sind' },
      { scope: 'calendar', text: 'Calendar' },
    ])
  })

  it('name their language where it is another than the one that was asked for', async () => {
    const host = await started({ tenantStore: companyWith({ clients }), scopes })
    await connectedAs(host, 'own', 'profile')
    expect((await listed(host, 'fr')).scopeTexts).toEqual([{ scope: 'profile', text: 'Know who you are', lang: 'en' }])
    expect((await listed(host, 'en')).scopeTexts).toEqual([{ scope: 'profile', text: 'Know who you are' }])
  })

  it('are the scope itself, if the host no longer has it', async () => {
    const tokenStore = new MemoryTokenStore()
    const before = await started({ tokenStore, tenantStore: companyWith({ clients }), scopes })
    await connectedAs(before, 'own', 'calendar')
    const host = await started({ tokenStore, tenantStore: companyWith({ clients, scopes: ['profile'] }) })
    expect((await listed(host)).scopeTexts).toEqual([{ scope: 'calendar', text: 'calendar' }])
  })
})
