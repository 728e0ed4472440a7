import type { CustomerSignIn } from 'customer-sign-in'
import express, { type Request } from 'express'
import request from 'supertest'
import { clientId, expectError, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

type Guard = Parameters<CustomerSignIn['requireAccessToken']>[0]

/** Calls an API behind a guard with a valid token. */
async function asked(guard: object, options: object = {}) {
  const host = await started(options)
  const { access_token } = await host.connected()
  const app = express()
  app.use(host.signIn.requireAccessToken({ tenantKey: 'acme', ...guard } as Guard), (req: Request, res) => {
    res.json(host.signIn.auth(req).scopes)
  })
  const response = await request(app).get('/').set('Authorization', `Bearer ${access_token}`)
  const [event] = await host.told('error')
  return { response, host, error: event?.error as (Error & { option: string }) | undefined }
}

describe('a guard whose function gives', () => {
  it.each([
    ['nothing', () => undefined, 'undefined'],
    ['null', () => null, 'null'],
    ['a number', () => 42, '42'],
    ['a list', () => ['acme'], 'an array of 1 item'],
  ])('%s in place of the tenant’s key lets nobody through, and tells the operator', async (_, tenantKey, shown) => {
    const { response, error } = await asked({ tenantKey })
    expectError(response, 500, 'server_error')
    expect(error?.message).toContain(
      `customer-sign-in: requireAccessToken.tenantKey must return the key of a tenant, but returned ${shown}.`,
    )
  })

  it.each([
    ['nothing', () => undefined],
    ['null', () => null],
    ['an object', () => new URL('https://api.example')],
  ])('%s in place of the resource lets nobody through, and tells the operator', async (_, resource) => {
    const { response, error } = await asked({ resource })
    expectError(response, 500, 'server_error')
    expect(error?.option).toBe('requireAccessToken.resource')
  })
})

describe('a guard that requires a scope', () => {
  it('that no company has refuses, and names the scope to the operator', async () => {
    const { response, error } = await asked({ scopes: ['profile', 'bookngs'] })
    expectError(response, 500, 'server_error')
    expect(error).toMatchObject({
      option: 'requireAccessToken.scopes',
      message: expect.stringContaining(
        'customer-sign-in: requireAccessToken.scopes has "bookngs", which neither the option scopes nor the tenant "acme" has.',
      ),
    })
  })

  it('that only other companies have refuses like a token without the scope', async () => {
    const { response, host, error } = await asked(
      { scopes: 'bookings' },
      { scopes: ['profile', 'calendar', 'bookings'] },
    )
    expectError(response, 403, 'insufficient_scope')
    expect(error).toBeUndefined()
    expect(await host.told('denied')).toMatchObject([{ detail: { notOffered: ['bookings'] } }])
  })

  it('refuses a token that got the scope when the company still offered it', async () => {
    const [acme] = tenants
    const tenant = { ...acme, key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }
    const host = await started({ tenantStore: { findTenant: () => tenant }, scopes: ['profile', 'calendar'] })
    const { access_token } = await host.connected()
    const required = { tenantKey: 'acme', scopes: 'calendar' }
    await host.signIn.verifyAccessToken(access_token, required)
    tenant.scopes = ['profile']
    await expect(host.signIn.verifyAccessToken(access_token, required)).rejects.toMatchObject({
      code: 'insufficient_scope',
    })
  })

  it('accepts a list or a text', async () => {
    for (const scopes of ['profile calendar', ['profile', 'calendar']]) {
      expect((await asked({ scopes })).response.body).toEqual(['profile', 'calendar'])
    }
  })
})
