import {
  ConfigurationError,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { CompanyIssuer, jwtBearer } from '../../support/company-issuer'
import { clientId, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const metadata = '/.well-known/oauth-authorization-server'
const clients = [{ clientId, redirectUris: [redirectUri] }]
const stores = () => ({ tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() })
const withCompany = (company: Partial<Tenant>) => ({
  tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', clients, ...company }]),
})

describe('the option baseUrl', () => {
  it.each([
    'https://assistant.example//auth',
    'https://assistant.example/auth//x',
    'https://assistant.example/a/../b',
    'https://assistant.example/./auth',
    'https://assistant.example/%2e%2e/auth',
    'https://assistant.example/für',
  ])('may not be %s, at which no request arrives', (baseUrl) => {
    const create = () => createCustomerSignIn({ ...stores(), baseUrl })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/baseUrl must be an address with a path as requests have it: .*\. and \.\., but is "https:/)
  })

  it.each([
    ['HTTPS://Assistant.Example:443/auth/', 'https://assistant.example/auth'],
    ['https://assistant.example./auth', 'https://assistant.example/auth'],
    ['https://assistant.example.:8443', 'https://assistant.example:8443'],
    ['https://bücher.example/f%C3%BCr', 'https://xn--bcher-kva.example/f%C3%BCr'],
  ])('may be %s: its issuers begin with %s', async (baseUrl, base) => {
    const host = await started({ baseUrl })
    const { pathname } = new URL(base)
    const { body } = await request(host.url)
      .get(`${metadata}${pathname.replace(/\/$/, '')}/v1/acme/oauth`)
      .expect(200)
    expect(body.issuer).toBe(`${base}/v1/acme/oauth`)
  })
})

it.each(['/v1/../:tenantKey/mcp', '/./:tenantKey/mcp', '/v1/:tenantKey/..', '/v1/:tenantKey/../mcp'])(
  'a protectedResource may not have the path %s, at which no request arrives',
  async (path) => {
    const host = await started()
    expect(() => host.signIn.protectedResource({ path })).toThrow(/protectedResource\.path must be a path/)
  },
)

describe('an address in a company’s record is kept as URL parsers read it', () => {
  it.each(['https://Assistant.ACME.example', 'https://assistant.acme.example:443/', 'https://assistant.acme.example.'])(
    'baseUrl: %s',
    async (baseUrl) => {
      const host = await started({ ...withCompany({ baseUrl }), baseUrl: 'https://shared.example' })
      const { body } = await request(host.url)
        .get(metadata)
        .set({ Host: 'assistant.acme.example', 'X-Forwarded-Proto': 'https' })
        .expect(200)
      expect(body.issuer).toBe('https://assistant.acme.example')
    },
  )

  it.each(['https://Former.ACME.example:443', 'https://former.acme.example./'])(
    'formerBaseUrls: %s',
    async (former) => {
      const company = { baseUrl: 'https://assistant.acme.example', formerBaseUrls: [former] }
      const host = await started({ ...withCompany(company), baseUrl: 'https://shared.example' })
      const { body } = await request(host.url).get(metadata).set('Host', 'former.acme.example').expect(200)
      expect(body.issuer).toBe('https://former.acme.example')
    },
  )

  it.each([
    ['HTTPS://API.Acme.example:443/mcp', 'https://api.acme.example/mcp'],
    ['https://api.acme.example/a/../mcp', 'https://api.acme.example/mcp'],
    ['https://API.acme.example', 'https://api.acme.example'],
    ['https://api.acme.example/mcp/', 'https://api.acme.example/mcp/'],
    ['urn:Acme:api', 'urn:Acme:api'],
  ])('resources: a token for %s is for %s', async (resource, aud) => {
    const host = await started(withCompany({ resources: [resource] }))
    const { access_token } = expectTokens(await host.exchange(await host.asCustomer()))
    expect(decode(access_token)).toMatchObject({ aud })
  })

  it.each(['https://App.acme.example:443/callback', 'HTTPS://app.acme.example/callback'])(
    'redirectUris of a client: %s, and as it is written there',
    async (written) => {
      const company = withCompany({ clients: [{ clientId, redirectUris: [written] }] })
      const host = await started({ ...company, authenticate: asTheySay })
      const open = (redirect_uri: string) => new Authorization(host, { redirect_uri }).open()
      await open(written).expect(200)
      await open('https://app.acme.example/callback').expect(200)
      for (const other of ['https://APP.ACME.example/callback', 'https://app.acme.example/callback/']) {
        expectErrorPage(await open(other))
      }
    },
  )

  it('the issuer of trustedIssuers, and the resources that it may name', async () => {
    const idp = await CompanyIssuer.start()
    const issuer = idp.issuer.replace('127.0.0.1', '127.1')
    const company = {
      resources: ['https://api.acme.example/mcp'],
      trustedIssuers: [{ issuer, subject: 'sub', resources: ['https://API.acme.example:443/mcp'] }],
    }
    const host = await started({ ...withCompany(company), clients: { documents: 'with-loopback' } })
    const signIn = (iss: unknown) =>
      host.token('acme', {
        grant_type: jwtBearer,
        client_id: clientId,
        assertion: idp.idJag(host.issuer(), { claims: { iss } }),
      })
    for (const iss of [idp.issuer, issuer]) expect((await signIn(iss)).status).toBe(200)
    for (const iss of [`${idp.issuer}/`, idp.issuer.replace('http', 'HTTP'), [idp.issuer]]) {
      expect((await signIn(iss)).body).toMatchObject({ error: 'invalid_grant' })
    }
  })

  it.each(['https://Accounts.Google.com', 'https://accounts.google.com:443/', 'https://sts.windows.net/{tenantid}/'])(
    'the issuer %s, which serves many companies however it is written: one without claims is refused',
    async (issuer) => {
      const host = await started(withCompany({ trustedIssuers: [{ issuer, subject: 'sub' }] }))
      const assertion = (await CompanyIssuer.start()).idJag(host.issuer(), { claims: { iss: issuer } })
      await host.token('acme', { grant_type: jwtBearer, client_id: clientId, assertion })
      expect(await host.told('denied')).toMatchObject([{ reason: 'issuer_not_pinned' }])
    },
  )

  it('links, and the addresses of the host’s own endpoints', async () => {
    const host = await started({
      ...withCompany({ links: { privacy: 'HTTPS://Acme.example:443/privacy', terms: 'https://acme.EXAMPLE' } }),
      externalEndpoints: { revocation: 'https://Host.example:443/a/../revoke?x=Y' },
    })
    const { body } = await request(host.url).get(`${metadata}/v1/acme/oauth`).expect(200)
    expect(body).toMatchObject({
      op_policy_uri: 'https://acme.example/privacy',
      op_tos_uri: 'https://acme.example',
      revocation_endpoint: 'https://host.example/revoke?x=Y',
    })
  })
})
