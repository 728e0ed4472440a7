import { MemoryTenantStore } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { codeChallengeOf } from '../../../src/protocol/pkce'
import { Authorization, asTheySay, expectRedirect } from '../../support/authorization'
import { register } from '../../support/registration'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const clients = [{ clientId, redirectUris: [redirectUri] }]
const resources = ['https://api.example/mcp']

/** A company with the id 42, and another one without an id that has chosen the key 42. */
async function twoCompanies(options: TestOptions = {}) {
  const tenantStore = new MemoryTenantStore([
    { key: 'acme', id: '42', clients, resources },
    { key: '42', clients, resources },
  ])
  return started({ tenantStore, authenticate: asTheySay, ...options })
}

describe('a tenant without an id, whose key is the id of another company', () => {
  it('has codes that are unknown at the other', async () => {
    const host = await twoCompanies()
    const signedIn = await host.asCustomer({ tenantKey: '42' })
    expectError(await host.exchange({ ...signedIn, tenantKey: 'acme' }), 400, 'invalid_grant')
    expectTokens(await host.exchange(signedIn))
  })

  it('has refresh tokens that are unknown at the other', async () => {
    const host = await twoCompanies()
    const { refresh_token } = await host.connected({ tenantKey: '42' })
    expectError(await host.refresh(refresh_token, {}, 'acme'), 400, 'invalid_grant')
    expectTokens(await host.refresh(refresh_token, {}, '42'))
  })

  it('has access tokens that the other’s API refuses, although the API is the same', async () => {
    const host = await twoCompanies()
    const { access_token } = await host.connected({ tenantKey: '42' })
    await host.signIn.verifyAccessToken(access_token, { tenantKey: '42' })
    await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
    expect(decode(access_token, { json: true })?.tenant_id).toBe('key:42')
  })

  it('has customers whom the other cannot list or end', async () => {
    const host = await twoCompanies()
    const customer = { tenantKey: '42', subject: 'customer-1' }
    await host.connected(customer)
    expect((await host.signIn.grants.list({ ...customer, tenantKey: 'acme' })).grants).toEqual([])
    expect(await host.signIn.grants.revokeAll({ ...customer, tenantKey: 'acme' })).toBe(0)
    expect((await host.signIn.grants.list(customer)).grants).toHaveLength(1)
  })

  it('gives the clients that register secrets that are wrong at the other', async () => {
    const host = await twoCompanies({ clients: { authentication: ['client_secret_post'] } })
    const { client_id, client_secret } = (await register(host, {}, '42')).body
    const fields = { client_id, client_secret, token: 'any' }
    await host.revoke(fields, '42').expect(200)
    expectError(await host.revoke(fields, 'acme'), 401, 'invalid_client')
  })

  it('has consent forms that have no effect at the other', async () => {
    const host = await twoCompanies()
    const same = { code_challenge: codeChallengeOf('x'.repeat(43)) }
    const [theirs, ours] = [new Authorization(host, same, '42'), new Authorization(host, same, 'acme')]
    const form = await theirs.form()
    const response = await ours.answer(form)
    expect(response.status).toBe(200)
    expect(response.headers.location).toBeUndefined()
    expectRedirect(await theirs.answer(form))
  })
})
