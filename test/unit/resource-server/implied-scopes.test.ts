import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { type CustomerSignInOptions, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import express, { type Request, type Response } from 'express'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { HostApp } from '../../support/host-app'
import { clientId, expectError, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const scopes = {
  profile: 'Know who you are',
  read: 'See your bookings',
  write: { words: 'Change your bookings', implies: ['read'] },
  pay: { words: 'Pay for you', implies: ['write'] },
}
/** The same scopes, of which none implies another. */
const apart = Object.keys(scopes)

const apps: HostApp[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.stop())))

function startedWith(options: Partial<CustomerSignInOptions> = {}, tenant: Partial<Tenant> = {}) {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const tenantStore = new MemoryTenantStore([{ key: 'acme', clients, ...tenant }])
  return started({ authenticate: asTheySay, scopes, tenantStore, ...options })
}

/** The scopes of `req.auth` behind guards that require `read`: the library's own, and that of the MCP SDK. */
async function apiOf({ signIn }: TestSignIn) {
  const verifier = signIn.verifier({ tenantKey: 'acme', invalidToken: (words) => new InvalidTokenError(words) })
  const answer = (req: Request, res: Response) => res.json(Object(req).auth.scopes)
  const app = express()
  app.get('/guard', signIn.requireAccessToken({ tenantKey: 'acme', scopes: 'read' }), answer)
  app.get('/sdk', requireBearerAuth({ verifier, requiredScopes: ['read'] }), answer)
  app.get('/route', signIn.requireAccessToken({ tenantKey: 'acme' }), (req, res) => {
    signIn.requireScopes(req, 'read')
    answer(req, res)
  })
  const host = await HostApp.start(() => app)
  apps.push(host)
  return (path: string, token: string) => request(host.origin).get(path).set('Authorization', `Bearer ${token}`)
}

describe('a scope that implies others', () => {
  it.each(['/guard', '/sdk', '/route'])(
    'opens what requires one of those, at %s, but not the other way round',
    async (path) => {
      const host = await startedWith()
      const call = await apiOf(host)
      for (const [granted, permitted] of [
        ['write', ['write', 'read']],
        ['pay', ['pay', 'write', 'read']],
        ['read', ['read']],
      ] as const) {
        const { access_token } = await host.connected({ scopes: granted })
        expect((await call(path, access_token).expect(200)).body).toEqual(permitted)
      }
      await call(path, (await host.connected({ scopes: 'profile' })).access_token).expect(403)
      const { access_token } = await host.connected({ scopes: 'read' })
      const required = { tenantKey: 'acme', scopes: 'write' }
      await expect(host.signIn.verifyAccessToken(access_token, required)).rejects.toMatchObject({ status: 403 })
    },
  )

  it('shows the customer everything that it implies', async () => {
    const host = await startedWith()
    const asked = jest.fn().mockReturnValue(true)
    const page = textOf((await new Authorization(host, { scope: 'pay' }).open()).text)
    for (const words of ['Pay for you', 'Change your bookings', 'See your bookings']) expect(page).toContain(words)
    expect(page).not.toContain('Know who you are')
    const other = await startedWith({ pages: { consent: (_req, _res, { scopes: shown }) => asked(shown) } })
    await new Authorization(other, { scope: 'write' }).open()
    expect(asked).toHaveBeenCalledWith(['write', 'read'])
  })

  it('is alone in the grant, the token and the response, which say what the customer has granted', async () => {
    const host = await startedWith()
    const tokens = expectTokens(await host.exchange(await new Authorization(host, { scope: 'write' }).allowed()))
    expect(tokens.scope).toBe('write')
    expect(decode(tokens.access_token)).toMatchObject({ scope: 'write' })
    const grants = (await host.signIn.grants.list({ tenantKey: 'acme', subject: 'customer-1' })).grants
    expect(grants).toMatchObject([{ scopes: ['write'] }])
    expect(await host.told('allowed')).toMatchObject([{ scopes: ['write'] }])
  })

  it('holds for tokens that were issued before, and no longer once the host has withdrawn it', async () => {
    const { tokenStore, signIn, url: baseUrl, ...host } = await startedWith({ scopes: apart })
    const before = await startedWith({ tokenStore, baseUrl, scopes: apart })
    const after = await startedWith({ tokenStore, baseUrl })
    const { access_token } = await before.connected({ scopes: 'write' })
    const required = { tenantKey: 'acme', scopes: 'read' }
    expect(host.events).toEqual([])
    await expect(signIn.verifyAccessToken(access_token, required)).rejects.toMatchObject({ status: 403 })
    expect((await after.signIn.verifyAccessToken(access_token, required)).scopes).toEqual(['write', 'read'])
  })

  it('can be narrowed at a refresh to one that it implies, and never widened to one that implies it', async () => {
    const host = await startedWith()
    const { refresh_token } = await host.connected({ scopes: 'write' })
    const narrow = expectTokens(await host.refresh(refresh_token, { scope: 'read' }))
    expect(narrow.scope).toBe('read')
    expect((await host.signIn.verifyAccessToken(narrow.access_token, { tenantKey: 'acme' })).scopes).toEqual(['read'])
    expectError(await host.refresh(narrow.refresh_token, { scope: 'pay' }), 400, 'invalid_scope')
    expect(expectTokens(await host.refresh(narrow.refresh_token)).scope).toBe('write')
  })

  it('is offered with those that it implies, by the company and to a client of its own', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], scopes: ['write'] }]
    const host = await startedWith({}, { scopes: ['profile', 'write'], clients })
    expect((await host.connected({ scopes: 'profile read' })).scope).toBe('read')
    const { body } = await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')
    expect(body.scopes_supported).toEqual(['profile', 'write', 'read', 'offline_access'])
    const call = await apiOf(host)
    await call('/guard', (await host.connected({ scopes: 'write' })).access_token).expect(200)
  })

  it('opens nothing any more once the company no longer offers it', async () => {
    const tenant: Tenant = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }], scopes: ['write'] }
    const host = await startedWith({ tenantStore: { findTenant: () => tenant } })
    const { access_token } = await host.connected({ scopes: 'write' })
    const call = await apiOf(host)
    await call('/sdk', access_token).expect(200)
    tenant.scopes = ['profile']
    for (const path of ['/guard', '/sdk', '/route']) await call(path, access_token).expect(403)
  })
})
