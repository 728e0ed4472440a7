import { randomUUID } from 'node:crypto'
import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { recordOf, recordsOf } from '../../../support/records'
import { clientId, expectError, expectTokens, type FormFields, redirectUri } from '../../../support/sign-in'
import type { Start } from './start'

// As the tenant `globex` spells them.
const api = 'https://api.globex.example/mcp'
const files = 'https://files.globex.example/'

const audienceOf = (accessToken: string) => decode(accessToken, { json: true })?.aud

export function resources(start: Start): void {
  it("is the company's first, or its issuer if it has none", async () => {
    const host = await start()
    expect(audienceOf((await host.connected({ tenantKey: 'globex' })).access_token)).toBe(api)
    expect(audienceOf((await host.connected()).access_token)).toBe(host.issuer())
  })

  it.each([files, 'https://files.globex.example', 'HTTPS://Files.Globex.Example:443/'])(
    "becomes the audience in the company's own spelling when the authorization names it as %s",
    async (resource) => {
      const host = await start()
      const { access_token, refresh_token } = await host.connected({ tenantKey: 'globex', resource })
      expect(audienceOf(access_token)).toBe(files)
      const next = expectTokens(await host.refresh(refresh_token, {}, 'globex'))
      expect(audienceOf(next.access_token)).toBe(files)
      const check = { tenantKey: 'globex', resource }
      expect((await host.signIn.verifyAccessToken(next.access_token, check)).resource.href).toBe(files)
    },
  )

  it.each<[string, string | string[]]>([
    ['as it is', api],
    ['with a slash at its end', `${api}/`],
    ['with its host in capitals and the default port', 'https://API.globex.example:443/mcp'],
    ['twice', [api, api]],
    ['twice, once with a slash at its end', [`${api}/`, api]],
    ['with a query', `${api}?tools=all`],
    ['by its origin', 'https://api.globex.example/'],
    ['by an address below it', `${api}/messages`],
    ['twice, once by its origin', ['https://api.globex.example', api]],
  ])('can be named by the token request %s', async (_, resource) => {
    const host = await start()
    const signedIn = await host.asCustomer({ tenantKey: 'globex' })
    const first = expectTokens(await host.exchange(signedIn, { resource }))
    const second = expectTokens(await host.refresh(first.refresh_token, { resource }, 'globex'))
    for (const { access_token } of [first, second]) expect(audienceOf(access_token)).toBe(api)
  })

  it.each<[string, string | string[]]>([
    ['one of the company that was not granted', files],
    ['one that the company does not have', 'https://elsewhere.example/'],
    ['several that differ', [api, files]],
    ['the granted one and another', ['https://elsewhere.example/', api]],
    ['the granted one and something that is no URL', [api, 'mcp']],
    ['the path of the granted one in capitals', 'https://api.globex.example/MCP'],
    ['the granted one with two slashes at its end', `${api}//`],
    ['the origin of one that was not granted', 'https://files.globex.example?x'],
    ['the granted one with a fragment', `${api}#x`],
    ['the granted one with an empty fragment', `${api}#`],
    ['no absolute URL', '/mcp'],
  ])('cannot be %s: invalid_target, and nothing is used up', async (_, resource) => {
    const host = await start()
    const wrong: FormFields = { resource }
    const signedIn = await host.asCustomer({ tenantKey: 'globex' })
    expect(expectError(await host.exchange(signedIn, wrong), 400, 'invalid_target')).toMatch(/^resource /)
    const { refresh_token } = expectTokens(await host.exchange(signedIn))
    expectError(await host.refresh(refresh_token, wrong, 'globex'), 400, 'invalid_target')
    expectError(await host.refresh(refresh_token, { ...wrong, scope: 'profile' }, 'globex'), 400, 'invalid_target')
    expectTokens(await host.refresh(refresh_token, {}, 'globex'))
  })

  it('can be granted only if the company has that resource', async () => {
    const host = await start()
    for (const resource of ['https://elsewhere.example/', 'mcp', `${api}#x`, `${api}x`, `${files}/`]) {
      await expect(host.asCustomer({ tenantKey: 'globex', resource })).rejects.toMatchObject({ code: 'invalid_target' })
    }
  })

  it.each([
    ['its origin', (origin: string) => origin],
    ['a parent path', (origin: string) => `${origin}/v1/acme/`],
    ['its address with a query', (origin: string) => `${origin}/v1/acme/mcp?tools=all`],
  ])('is the API that the host announces, where a client names %s in every request', async (_, address) => {
    const host = await start()
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    const [mcp, resource] = [`${host.url}/v1/acme/mcp`, address(host.url)]
    const first = expectTokens(await host.exchange(await host.asCustomer({ resource }), { resource }))
    const second = expectTokens(await host.refresh(first.refresh_token, { resource }))
    for (const { access_token } of [first, second]) expect(audienceOf(access_token)).toBe(mcp)
    expect((await host.told('issued')).at(-1)).toMatchObject({ resource: mcp })
  })

  it.each(['/v1/globex', '/v1/globex/mcp', '/v1/globex/mcp?x', '/v1/globex/oauth', '/v1/ac', '/v1/acme/mcps'])(
    'is never the API of another company, nor one beside the API: %s',
    async (path) => {
      const host = await start()
      host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
      const asking = host.asCustomer({ resource: host.url + path })
      await expect(asking).rejects.toMatchObject({ code: 'invalid_target' })
      await expect(asking).rejects.toHaveProperty('detail.accepted', [`${host.url}/v1/acme/mcp`, host.issuer()])
    },
  )

  it('cannot be the origin of two APIs', async () => {
    const host = await start()
    for (const path of ['/v1/:tenantKey/mcp', '/v1/:tenantKey/files']) host.signIn.protectedResource({ path })
    await expect(host.asCustomer({ resource: host.url })).rejects.toMatchObject({ code: 'invalid_target' })
    const resource = `${host.url}/v1/acme/files`
    const signedIn = await host.asCustomer({ resource: `${resource}?x` })
    expectError(await host.exchange(signedIn, { resource: host.url }), 400, 'invalid_target')
    expect(audienceOf(expectTokens(await host.exchange(signedIn, { resource })).access_token)).toBe(resource)
  })

  it('has the spelling that comes first in the company’s list', async () => {
    for (const resources of [
      [files, 'https://files.globex.example'],
      ['https://files.globex.example', files],
    ]) {
      const tenant = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], resources }
      const host = await start({ tenantStore: { findTenant: () => tenant } })
      const { access_token } = await host.connected({ resource: files })
      expect(audienceOf(access_token)).toBe(resources[0])
    }
  })

  it.each<[string, string[] | undefined, Partial<CustomerSignInOptions>]>([
    ['its API', ['https://api.acme.example/v1/mcp'], { tenantStore: acmeWith(['https://api.acme.example/v2/mcp']) }],
    ['the host', undefined, { tenantStore: acmeWith(), baseUrl: 'https://moved.example' }],
  ])('ends its grant at the next refresh once %s has moved, and says so', async (_, resources, moved) => {
    const subject = randomUUID()
    const before = await start({ tenantStore: acmeWith(resources) })
    const { refresh_token } = await before.connected({ subject })
    const { grantId } = await recordOf(before.tokenStore, 'acme', subject)
    const host = await start({ tokenStore: before.tokenStore, ...moved })
    expect(expectError(await host.refresh(refresh_token), 400, 'invalid_grant')).toMatch(/resource/)
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await host.told('revoked')).toMatchObject([{ reason: 'resource_gone', grantId, subject }])
    expect((await host.told('denied'))[0]).toMatchObject({ reason: 'resource_gone', grantId, subject })
    expect(await recordsOf(host.tokenStore, 'acme', subject)).toEqual([])
  })

  it.each<[string, string | undefined]>([
    ['the old address, which leads to the new one', 'https://api.acme.example/mcp'],
    ['the new address', 'https://api.acme.example/mcp/v2'],
    ['the origin of both', 'https://api.acme.example/'],
  ])('ends its grant once it has moved, also if the client names %s', async (_, resource) => {
    const before = await start({ tenantStore: acmeWith(['https://api.acme.example/mcp']) })
    const { refresh_token } = await before.connected()
    const tenantStore = acmeWith(['https://api.acme.example/mcp/v2'])
    const host = await start({ tokenStore: before.tokenStore, tenantStore })
    expectError(await host.refresh(refresh_token, { resource }), 400, 'invalid_grant')
    expect(await host.told('revoked')).toMatchObject([{ reason: 'resource_gone' }])
  })
}

function acmeWith(resources?: string[]): MemoryTenantStore {
  return new MemoryTenantStore([
    { key: 'acme', id: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], resources },
  ])
}
