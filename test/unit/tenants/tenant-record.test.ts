import type { Client, Tenant } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const client = { clientId, redirectUris: [redirectUri] }

/** A host with this database row for acme. */
async function hostWith(row: Record<string, unknown>) {
  const tenant = { key: 'acme', clients: [client], ...row } as unknown as Tenant
  return started({ tenantStore: { findTenant: () => tenant }, authenticate: asTheySay })
}

/** What the operator is told about the row; undefined if it is accepted. */
async function refusalOf(row: Record<string, unknown>) {
  const host = await hostWith(row)
  const response = await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')
  if (response.status === 200) return undefined
  expectError(response, 500, 'server_error')
  const [event] = await host.told('error')
  return event?.error as Error & { option: string }
}

describe('null in a tenant’s row', () => {
  const row = {
    name: null,
    logoUri: null,
    locale: null,
    theme: null,
    links: null,
    registration: null,
    scopes: null,
    resources: null,
    accessTokenLifetime: null,
    refreshTokenLifetime: null,
    askConsent: null,
  }
  const nullNames = { clientName: null, clientUri: null }
  const nullClient = { ...client, ...nullNames, grantTypes: null, scopes: null, firstParty: null, askConsent: null }

  it('counts as absent, from the consent page to the tokens', async () => {
    const host = await hostWith({ ...row, clients: [nullClient] })
    const authorization = new Authorization(host)
    const page = await authorization.open()
    expect(page.text).toContain(clientId)
    const tokens = expectTokens(await host.exchange(await authorization.allowed()))
    expect(tokens).toMatchObject({ scope: 'profile', expires_in: 3600, refresh_token: expect.any(String) })
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('is left out of the client that hooks receive', async () => {
    const authenticate = jest.fn(() => ({ subject: 'customer-1' }))
    const tenant = { key: 'acme', clients: [nullClient] } as unknown as Tenant
    const host = await started({ tenantStore: { findTenant: () => tenant }, authenticate })
    await new Authorization(host).open()
    expect(authenticate).toHaveBeenCalledWith(expect.anything(), expect.anything(), expect.objectContaining({ client }))
  })

  it('counts as absent in clients as well', async () => {
    expect(await refusalOf({ clients: null })).toBeUndefined()
  })

  it('is refused for the id, which would change on the day that the company gets one', async () => {
    expect(await refusalOf({ id: null })).toMatchObject({
      option: 'tenant.id',
      message: expect.stringContaining(
        'customer-sign-in: tenant.id must be a string that is not empty and does not begin with key:, or omitted, but is null.',
      ),
    })
  })
})

describe('a tenant’s row', () => {
  it('cannot have the partition of a tenant without an id as its own id', async () => {
    expect(await refusalOf({ id: 'key:acme' })).toMatchObject({ option: 'tenant.id' })
    for (const id of ['acme', 'Key:acme', 'a key:']) expect(await refusalOf({ id })).toBeUndefined()
  })

  it.each([
    ['registrations', 'registration'],
    ['logo_uri', 'logoUri'],
    ['logoUrl', 'logoUri'],
    ['scope', 'scopes'],
    ['Locale', 'locale'],
    ['themes', 'theme'],
    ['link', 'links'],
    ['accessTokenLifeTime', 'accessTokenLifetime'],
    ['refresh_token_lifetime', 'refreshTokenLifetime'],
  ])('cannot have %s, because the intended %s would be ignored', async (misspelt, meant) => {
    const error = await refusalOf({ [misspelt]: false })
    expect(error?.option).toBe(`tenant.${misspelt}`)
    expect(error?.message).toContain(`Did you mean ${meant}?`)
  })

  it('can have any other columns of the host', async () => {
    const columns = { plan: 'gold', createdAt: new Date(), tenantId: 7, clientCount: 3, theme: null, ownerId: 'x' }
    expect(await refusalOf(columns)).toBeUndefined()
  })

  it('says with one of two words how often customers are asked', async () => {
    for (const askConsent of ['always', 'once']) expect(await refusalOf({ askConsent })).toBeUndefined()
    const { option, message } = (await refusalOf({ askConsent: 'never' })) ?? {}
    expect(option).toBe('tenant.askConsent')
    expect(message).toContain('must be always or once, but is "never"')
  })

  it('that changes later is checked again', async () => {
    const row: Record<string, unknown> = { scopes: ['profile'] }
    const tenant = Object.assign(row, { key: 'acme', clients: [client] }) as unknown as Tenant
    const host = await started({ tenantStore: { findTenant: () => tenant } })
    await host.connected()
    tenant.scopes?.push('not one')
    await expect(host.connected()).rejects.toMatchObject({ code: 'server_error' })
    tenant.scopes?.pop()
    await host.connected()
    tenant.clients = [{ ...client, redirectUris: ['not a url'] }]
    await expect(host.connected()).rejects.toMatchObject({ code: 'server_error' })
  })

  it.each<[string, object]>([
    ['scopes[1]', { scopes: ['profile', 'profile'] }],
    ['resources[1]', { resources: ['https://a.example', 'https://a.example'] }],
  ])('cannot list anything twice in %s', async (option, row) => {
    expect(await refusalOf({ ...row })).toMatchObject({ option: `tenant.${option}` })
  })
})

describe('a tenant’s client', () => {
  it.each([
    [['client_credentials'], undefined],
    [['client_credentials', 'refresh_token'], undefined],
    [['client_credentials', 'authorization_code'], 'tenant.clients[0].redirectUris'],
    [undefined, 'tenant.clients[0].redirectUris'],
  ])('with the grant types %j needs redirect URIs only for codes', async (grantTypes, option) => {
    for (const none of [{}, { redirectUris: null }]) {
      const refusal = await refusalOf({ clients: [{ clientId: 'nightly', grantTypes, ...none }] })
      expect(refusal?.option).toBe(option)
    }
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['an id that is no text', 'clientId', { clientId: 7 }],
    ['an empty id', 'clientId', { clientId: '' }],
    ['an id that no request can send', 'clientId', { clientId: 'caf\u00e9' }],
    ['a name that is no text', 'clientName', { clientName: {} }],
    ['a page that is no URL', 'clientUri', { clientUri: 'assistant.example' }],
    ['redirect URIs that are no list', 'redirectUris', { redirectUris: redirectUri }],
    ['a redirect URI that is none', 'redirectUris[1]', { redirectUris: [redirectUri, 'not a url'] }],
    ['a path as a redirect URI', 'redirectUris[0]', { redirectUris: ['/callback'] }],
    ['a redirect URI with a fragment', 'redirectUris[0]', { redirectUris: [`${redirectUri}#`] }],
    ['a redirect URI with a password', 'redirectUris[0]', { redirectUris: ['https://a:hunter2@a.example/'] }],
    ['a redirect URI that is a script', 'redirectUris[0]', { redirectUris: ['javascript:alert(1)'] }],
    ['a redirect URI over http', 'redirectUris[0]', { redirectUris: ['http://127.0.0.2/callback'] }],
    ['one that looks like loopback', 'redirectUris[0]', { redirectUris: ['http://localhost.app.example/callback'] }],
    ['a redirect URI that no header can carry', 'redirectUris[0]', { redirectUris: ['https://\u0430cme.example/'] }],
    ['null for a redirect URI', 'redirectUris[0]', { redirectUris: [null] }],
    ['a grant type that there is not', 'grantTypes[0]', { grantTypes: ['refresh-token'] }],
    ['grant types that are no list', 'grantTypes', { grantTypes: 'refresh_token' }],
    ['a scope with a space', 'scopes[0]', { scopes: ['profile calendar'] }],
    ['a scope twice', 'scopes[1]', { scopes: ['profile', 'profile'] }],
    ['scopes that are no list', 'scopes', { scopes: 'profile' }],
    ['a text for firstParty', 'firstParty', { firstParty: 'false' }],
    ['another word for askConsent', 'askConsent', { askConsent: 'never' }],
    ['a secret', 'secret', { secret: 'hunter2' }],
  ])('with %s is reported by the name of %s', async (_, member, wrong) => {
    const error = await refusalOf({
      clients: [
        { ...client, clientId: 'other-app' },
        { ...client, ...wrong },
      ],
    })
    expect(error?.option).toBe(`tenant.clients[1].${member}`)
    expect(error?.message).not.toContain('hunter2')
  })

  it('with a wrong redirect URI is reported with what is wrong about it', async () => {
    const error = await refusalOf({ clients: [{ ...client, redirectUris: [`${redirectUri}#`] }] })
    expect(error?.message).toContain('redirectUris[0] must not have a fragment')
  })

  it('cannot have the id of another one', async () => {
    expect(await refusalOf({ clients: [client, { ...client, clientId: 'other-app' }, client] })).toMatchObject({
      option: 'tenant.clients[2].clientId',
    })
  })

  it.each([
    'https://app.example/callback?a=b',
    'https://APP.example:443/callback',
    'http://localhost:3000',
    'http://[::1]:1/callback',
    'com.example.app:/callback',
    'an-app-of-ours:callback',
  ])('may have any redirect URI of its own: %s', async (own) => {
    const clients: Client[] = [{ ...client, redirectUris: [own] }]
    expect(await refusalOf({ clients })).toBeUndefined()
  })
})
