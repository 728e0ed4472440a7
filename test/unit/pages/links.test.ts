import { type Links, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { testSignIn } from '../../support/host-app'
import { elementsOf } from '../../support/html-elements'
import { clientId, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const ofAll: Links = {
  privacy: 'https://host.example/privacy',
  terms: 'https://host.example/terms#now',
  documentation: 'https://host.example/docs',
}

async function hostWith(tenant: Partial<Tenant>, links?: Links): Promise<TestSignIn> {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const tenantStore = new MemoryTenantStore([{ key: 'acme', name: 'Acme', clients, ...tenant }])
  return started({ tenantStore, authenticate: asTheySay, ...(links && { pages: { links } }) })
}

/** The links below the consent page and below the error page: words and addresses. */
async function linksBelow(host: TestSignIn, ui_locales = 'en'): Promise<[string, string][][]> {
  const pages = [
    await new Authorization(host, { ui_locales }).open(),
    await new Authorization(host, { ui_locales, client_id: 'nobody' }).open(),
  ]
  return pages.map(({ text }) => {
    const [, footer = ''] = text.split('<footer>')
    return [...footer.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(([, url = '', words = '']) => [words, url])
  })
}

describe('the links below both pages', () => {
  it('are those of the company, in the words of the page, and the host’s where it has none', async () => {
    const own = { privacy: 'https://acme.example/privacy', support: 'https://acme.example/help', terms: null }
    const shown = [
      ['Datenschutz', 'https://acme.example/privacy'],
      ['Nutzungsbedingungen', 'https://host.example/terms#now'],
      ['Hilfe', 'https://acme.example/help'],
    ]
    expect(await linksBelow(await hostWith({ links: own }, ofAll), 'de')).toEqual([shown, shown])
  })

  it('are those of the host for a company without any', async () => {
    const shown = [
      ['Privacy', 'https://host.example/privacy'],
      ['Terms', 'https://host.example/terms#now'],
    ]
    expect(await linksBelow(await hostWith({ links: null }, ofAll))).toEqual([shown, shown])
  })

  it('are in a fixed order', async () => {
    const links = { support: 'https://a.example/4', imprint: 'https://a.example/3', privacy: 'https://a.example/1' }
    const [consent = []] = await linksBelow(await hostWith({ links }))
    expect(consent.map(([words]) => words)).toEqual(['Privacy', 'Legal notice', 'Help'])
  })

  it('are not there if there are none', async () => {
    const host = await hostWith({}, { documentation: 'https://host.example/docs' })
    expect((await new Authorization(host).open()).text).not.toContain('<footer')
  })

  it('open beside the page, which they tell nothing about', async () => {
    const { text } = await new Authorization(await hostWith({}, ofAll)).open()
    expect(text.match(/ target="_blank" rel="noopener noreferrer">/g)).toHaveLength(2)
  })

  it('never become markup', async () => {
    const open = async (privacy: string) =>
      (await new Authorization(await hostWith({ links: { privacy } })).open()).text
    const page = await open(`https://acme.example/"onclick="alert(1)"><script>alert(1)</script>'`)
    expect(elementsOf(page)).toEqual(elementsOf(await open('https://acme.example/')))
  })

  it.each([
    'http://acme.example/privacy',
    'javascript:alert(1)',
    'https:acme.example',
    '/privacy',
    '',
    'https://ada:secret-word@acme.example/',
    'https://acme.example/a b',
    'https://',
    7,
  ])('cannot lead to %j', async (privacy) => {
    const links = { privacy } as Links
    const message = 'links.privacy must be an absolute https URL without credentials'
    expect(() => testSignIn({ pages: { links } })).toThrow(`customer-sign-in: pages.${message}`)
    const host = await hostWith({ links })
    await new Authorization(host).open().expect(500)
    const [event] = await host.told('error')
    expect(event?.error.message).toContain(`customer-sign-in: tenant.${message}`)
    expect(event?.error.message).not.toContain('secret-word')
  })

  it('cannot have a name that there is not', () => {
    const links = { privcy: 'https://acme.example' } as Links
    expect(() => testSignIn({ pages: { links } })).toThrow('Did you mean privacy?')
  })
})

describe('the links in metadata', () => {
  const serverMetadata = (host: TestSignIn) =>
    request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')

  it('are those of RFC 8414', async () => {
    const own = { privacy: 'https://acme.example/privacy' }
    const { body } = await serverMetadata(await hostWith({ links: own }, ofAll))
    expect(body).toMatchObject({
      op_policy_uri: 'https://acme.example/privacy',
      op_tos_uri: 'https://host.example/terms#now',
      service_documentation: 'https://host.example/docs',
    })
  })

  it('are those of RFC 9728', async () => {
    const host = await hostWith({}, ofAll)
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    const { body } = await request(host.url).get('/.well-known/oauth-protected-resource/v1/acme/mcp')
    expect(body).toMatchObject({
      resource_name: 'Acme',
      resource_policy_uri: 'https://host.example/privacy',
      resource_tos_uri: 'https://host.example/terms#now',
      resource_documentation: 'https://host.example/docs',
    })
  })

  it('change as soon as the company’s do', async () => {
    const acme: Tenant = { key: 'acme', links: { terms: 'https://acme.example/old' } }
    const host = await started({ tenantStore: { findTenant: () => acme } })
    expect((await serverMetadata(host)).body.op_tos_uri).toBe('https://acme.example/old')
    acme.links = { terms: 'https://acme.example/new' }
    expect((await serverMetadata(host)).body.op_tos_uri).toBe('https://acme.example/new')
    acme.links = null
    expect((await serverMetadata(host)).body).not.toHaveProperty('op_tos_uri')
  })
})

describe('the languages in metadata', () => {
  const metadataOf = async (options: Parameters<typeof started>[0]) => {
    const host = await started(options)
    return (await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')).body
  }
  const packaged = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'tr', 'ja', 'zh-Hans', 'ar']

  it('are all that the pages have, the host’s own included', async () => {
    expect((await metadataOf({})).ui_locales_supported).toEqual(packaged)
    expect((await metadataOf({ pages: { words: { sv: {}, de: {} } } })).ui_locales_supported).toEqual([
      ...packaged,
      'sv',
    ])
  })

  it('are not told if the host has an authorization endpoint of its own', async () => {
    const externalEndpoints = { authorization: 'https://login.example/authorize' }
    expect(await metadataOf({ externalEndpoints })).not.toHaveProperty('ui_locales_supported')
  })
})
