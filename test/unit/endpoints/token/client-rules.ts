import { type ClientRule, MemoryTenantStore } from 'customer-sign-in'
import { registered } from '../../../support/registration'
import { expectError, expectTokens, type TestSignIn, tenants } from '../../../support/sign-in'
import type { Start } from './start'

interface Rules {
  allowedClients?: ClientRule
  blockedClients?: ClientRule
}

const assistant = 'https://assistant.example/client.json'
const [acme] = tenants

/** What a company's rules about clients do to a client that is connected already. */
export function clientRules(start: Start): void {
  /** A host whose company changes its rules while it runs. */
  async function company(): Promise<{ host: TestSignIn; setRules(rules: Rules): void }> {
    let rules: Rules = {}
    const findTenant = (key: string) => {
      const tenant = new MemoryTenantStore(tenants).findTenant(key)
      return tenant && { ...tenant, ...rules }
    }
    const documents = async () => Response.json({ client_id: assistant, client_name: 'A', redirect_uris: [callback] })
    const host = await start({ tenantStore: { findTenant }, clients: { fetch: documents } })
    return {
      host,
      setRules: (changed) => {
        rules = changed
      },
    }
  }

  const callback = 'https://app.example/callback'

  /** Connects a client. @returns What refreshes its tokens, with the newest refresh token. */
  async function connected(host: TestSignIn, clientId: string) {
    const client = { client_id: clientId, redirect_uri: callback }
    const signedIn = await host.asCustomer({ clientId, redirectUri: callback })
    let { refresh_token: newest } = expectTokens(await host.exchange(signedIn, client))
    return async () => {
      const response = await host.refresh(newest, client)
      newest = response.body.refresh_token ?? newest
      return response
    }
  }

  const registers = (host: TestSignIn) => registered(host, { redirect_uris: [callback, 'http://localhost/callback'] })

  it.each<[what: string, rules: Rules]>([
    ['allows none', { allowedClients: {} }],
    ['allows other addresses', { allowedClients: { redirectHosts: ['app.example'], documentHosts: ['app.example'] } }],
    ['blocks one of its addresses', { blockedClients: { redirectHosts: ['localhost'] } }],
  ])('refuses a registered client where the company %s, and uses nothing up', async (_, rules) => {
    const { host, setRules } = await company()
    const clientId = await registers(host)
    const refresh = await connected(host, clientId)
    setRules(rules)
    expect(expectError(await refresh(), 400, 'invalid_grant')).toBe('The company does not allow this client')
    expect(await host.told('denied')).toMatchObject([
      { where: 'token', tenantId: acme?.id, reason: 'client_not_allowed', detail: { clientId } },
    ])
    setRules({})
    expectTokens(await refresh())
    expect(await host.told('revoked')).toEqual([])
  })

  it.each<[what: string, rules: Rules]>([
    ['allows all of its addresses', { allowedClients: { redirectHosts: ['app.example', 'localhost'] } }],
    ['blocks others', { blockedClients: { redirectHosts: ['evil.example'], documentHosts: ['app.example'] } }],
  ])('serves a registered client where the company %s', async (_, rules) => {
    const { host, setRules } = await company()
    const refresh = await connected(host, await registers(host))
    setRules(rules)
    expectTokens(await refresh())
    expectTokens(await refresh())
  })

  it('allows and blocks a registered client by its id', async () => {
    const { host, setRules } = await company()
    const clientId = await registers(host)
    const refresh = await connected(host, clientId)
    setRules({ allowedClients: { clientIds: [clientId], redirectHosts: ['other.example'] } })
    expectTokens(await refresh())
    setRules({ blockedClients: { clientIds: [clientId] } })
    expectError(await refresh(), 400, 'invalid_grant')
    expect(await host.told('denied')).toMatchObject([{ detail: { clientId, rule: 'blockedClients' } }])
  })

  it('refuses a code as well, and does not use it up', async () => {
    const { host, setRules } = await company()
    const client = { client_id: await registers(host), redirect_uri: callback }
    const signedIn = await host.asCustomer({ clientId: client.client_id, redirectUri: callback })
    setRules({ allowedClients: {} })
    expectError(await host.exchange(signedIn, client), 400, 'invalid_grant')
    setRules({})
    expectTokens(await host.exchange(signedIn, client))
  })

  it.each<[what: string, rules: Rules, isAllowed: boolean]>([
    ['allows its host', { allowedClients: { documentHosts: ['assistant.example'] } }, true],
    ['allows its address', { allowedClients: { clientIds: [assistant] } }, true],
    ['allows where its codes go', { allowedClients: { redirectHosts: ['app.example'] } }, false],
    ['allows another host', { allowedClients: { documentHosts: ['example'] } }, false],
    ['blocks its host', { blockedClients: { documentHosts: ['assistant.example'] } }, false],
    ['blocks its address', { blockedClients: { clientIds: [assistant] } }, false],
    [
      'blocks and allows it',
      { allowedClients: { clientIds: [assistant] }, blockedClients: { clientIds: [assistant] } },
      false,
    ],
  ])('judges a client with a metadata document where the company %s', async (_, rules, isAllowed) => {
    const { host, setRules } = await company()
    const refresh = await connected(host, assistant)
    setRules(rules)
    if (isAllowed) expectTokens(await refresh())
    else expectError(await refresh(), 400, 'invalid_grant')
  })

  it('serves the company’s own clients, whatever the rules say', async () => {
    const { host, setRules } = await company()
    const { refresh_token } = await host.connected()
    setRules({
      allowedClients: {},
      blockedClients: { redirectHosts: ['assistant.example'], clientIds: ['assistant-app'] },
    })
    expectTokens(await host.refresh(refresh_token))
  })
}
