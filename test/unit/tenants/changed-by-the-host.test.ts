import type { ClientOptions, LifetimeOptions, Tenant } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { Authorization, asTheySay } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { registered } from '../../support/registration'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

const opens = async (host: TestSignIn, client_id: string) =>
  (await new Authorization(host, { client_id }).open()).status

describe('a host that changes its own record between two requests is obeyed by the second:', () => {
  /** A host whose one record is the same object each time. */
  async function withRecord() {
    const record: Tenant = { ...(tenants[0] as Tenant), clients: [{ clientId, redirectUris: [redirectUri] }] }
    return { record, host: await started({ authenticate: asTheySay, tenantStore: { findTenant: () => record } }) }
  }

  it('allowedClients', async () => {
    const { record, host } = await withRecord()
    const client = await registered(host)
    const redirectHosts: string[] = []
    record.allowedClients = { redirectHosts }
    expect(await opens(host, client)).toBe(403)
    redirectHosts.push('assistant.example')
    expect(await opens(host, client)).toBe(200)
  })

  it('blockedClients', async () => {
    const { record, host } = await withRecord()
    const client = await registered(host)
    const clientIds: string[] = []
    record.blockedClients = { clientIds }
    expect(await opens(host, client)).toBe(200)
    clientIds.push(client)
    expect(await opens(host, client)).toBe(403)
  })

  it('clients', async () => {
    const { record, host } = await withRecord()
    expect(await opens(host, 'another')).not.toBe(200)
    record.clients?.push({ clientId: 'another', redirectUris: [redirectUri] })
    expect(await opens(host, 'another')).toBe(200)
    record.clients?.pop()
    expect(await opens(host, 'another')).not.toBe(200)
  })

  it('resources', async () => {
    const { record, host } = await withRecord()
    const resources = ['https://api.example/']
    record.resources = resources
    expect(decode((await host.connected()).access_token)).toMatchObject({ aud: 'https://api.example/' })
    resources.unshift('https://files.example/')
    expect(decode((await host.connected()).access_token)).toMatchObject({ aud: 'https://files.example/' })
  })

  it('lifetimes', async () => {
    const clock = stopClock()
    const { record, host } = await withRecord()
    expect((await host.connected()).expires_in).toBe(3600)
    Object.assign(record, { accessTokenLifetime: 60, refreshTokenLifetime: 600 })
    const { expires_in, refresh_token } = await host.connected()
    expect(expires_in).toBe(60)
    clock.advance(601)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  })
})

describe('a host that changes its own options between two requests is obeyed by the second:', () => {
  /** A host whose groups of options can be changed. */
  async function withOptions() {
    const clients: ClientOptions = {}
    const lifetimes: LifetimeOptions = {}
    return { clients, lifetimes, host: await started({ authenticate: asTheySay, clients, lifetimes }) }
  }

  it('clients.allowed', async () => {
    const { clients, host } = await withOptions()
    const client = await registered(host)
    expect(await opens(host, client)).toBe(200)
    clients.allowed = {}
    expect(await opens(host, client)).toBe(403)
    clients.allowed = { redirectHosts: ['assistant.example'] }
    expect(await opens(host, client)).toBe(200)
  })

  it('clients.blocked', async () => {
    const { clients, host } = await withOptions()
    const client = await registered(host)
    const clientIds: string[] = []
    clients.blocked = { clientIds }
    expect(await opens(host, client)).toBe(200)
    clientIds.push(client)
    expect(await opens(host, client)).toBe(403)
  })

  it('lifetimes.accessToken and lifetimes.refreshToken', async () => {
    const clock = stopClock()
    const { lifetimes, host } = await withOptions()
    const first = await host.connected()
    Object.assign(lifetimes, { accessToken: 60, refreshToken: 600 })
    const { expires_in, refresh_token } = expectTokens(await host.refresh(first.refresh_token))
    expect(expires_in).toBe(60)
    clock.advance(601)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
  })

  it('lifetimes.authorizationCode and lifetimes.grant', async () => {
    const clock = stopClock()
    const { lifetimes, host } = await withOptions()
    Object.assign(lifetimes, { authorizationCode: 10, grant: 600 })
    const late = await host.asCustomer()
    const { refresh_token } = await host.connected()
    clock.advance(11)
    expectError(await host.exchange(late), 400, 'invalid_grant')
    clock.advance(600)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await host.told('expired')).toMatchObject([
      { limit: 'lifetimes.authorizationCode' },
      { limit: 'lifetimes.grant' },
    ])
  })

  it('what cannot be used is told, and uses nothing up', async () => {
    const { lifetimes, clients, host } = await withOptions()
    const { refresh_token } = await host.connected()
    lifetimes.accessToken = 7200
    expectError(await host.refresh(refresh_token), 500, 'server_error')
    lifetimes.accessToken = 600
    clients.blocked = { documentHosts: ['https://claude.ai'] }
    expectError(await host.refresh(refresh_token), 500, 'server_error')
    clients.blocked = undefined
    expect(expectTokens(await host.refresh(refresh_token)).expires_in).toBe(600)
    expect((await host.told('error')).map(({ reason, error }) => [reason, Object(error).option])).toEqual([
      ['misconfigured', 'lifetimes.accessToken'],
      ['misconfigured', 'clients.blocked.documentHosts[0]'],
    ])
  })
})
