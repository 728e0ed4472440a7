import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express from 'express'
import request from 'supertest'
import { registrationIn } from '../../../src/protocol/registered-id'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { growthPerTurn } from '../../support/heap-used'
import { HostApp, testSignIn } from '../../support/host-app'
import { register, registered } from '../../support/registration'
import { expectError, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import { unregistrable } from '../../support/unregistrable-redirect-uris'
import { http1Client } from '../../support/wire-client'

describe('a registration', () => {
  it('gets a response with everything that was registered, as it was registered', async () => {
    const host = await started()
    const metadata = {
      client_name: 'Assistant',
      client_uri: 'https://assistant.example',
      redirect_uris: [redirectUri, 'http://127.0.0.1/callback'],
      scope: 'calendar profile',
    }
    const response = await register(host, metadata)
    expect({ status: response.status, ...response.headers }).toMatchObject({
      status: 201,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'access-control-allow-origin': '*',
    })
    expect(response.body).toEqual({
      ...metadata,
      client_id: expect.stringMatching(/^dcr_[\w-]{60,190}$/),
      client_id_issued_at: expect.any(Number),
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
    expect(Math.abs(response.body.client_id_issued_at - Date.now() / 1000)).toBeLessThan(60)
  })

  it('leaves out members that have no value', async () => {
    const { body } = await register(await started())
    expect(Object.keys(body).sort()).toEqual([
      ...['client_id', 'client_id_issued_at', 'grant_types', 'redirect_uris', 'response_types'],
      'token_endpoint_auth_method',
    ])
  })

  it.each([undefined, null, 'none', 'client_secret_basic', 'client_secret_post', 'client_secret_jwt'])(
    'never gives a secret while no client can have one, even for the method %j',
    async (method) => {
      const metadata = { token_endpoint_auth_method: method, client_secret: 'mine', client_secret_expires_at: 0 }
      const { body } = await register(await started(), metadata).expect(201)
      expect(body.token_endpoint_auth_method).toBe('none')
      expect(JSON.stringify(body)).not.toMatch(/secret|mine|registration_access_token/)
    },
  )

  it('ignores unknown members', async () => {
    const more = {
      logo_uri: 'https://evil.example',
      jwks: { keys: [] },
      software_id: 7,
      contacts: {},
      firstParty: true,
    }
    const { body } = await register(await started(), { ...more, client_uri: 'javascript:alert(1)' }).expect(201)
    for (const name of [...Object.keys(more), 'client_uri']) expect(body).not.toHaveProperty(name)
  })

  it.each([
    ['null', null],
    ['a list', ['https://assistant.example']],
    ['no URL', 'assistant.example'],
    ['a URL of another scheme', 'http://assistant.example'],
    ['longer than 512 characters', `https://assistant.example/${'x'.repeat(487)}`],
  ])('ignores a client_uri that is %s', async (_, client_uri) => {
    const { body } = await register(await started(), { client_uri }).expect(201)
    expect(body).not.toHaveProperty('client_uri')
  })

  it.each(Object.entries(unregistrable))(
    'is registered without those redirect URIs that have %s',
    async (_, refused) => {
      const host = await started()
      for (const each of refused) {
        const { body } = await register(host, { redirect_uris: [each, redirectUri, each] }).expect(201)
        expect(body.redirect_uris).toEqual([redirectUri])
        expect(registrationIn(body.client_id)?.redirectUris).toEqual([redirectUri])
      }
    },
  )

  it('tells the host which redirect URIs were left out', async () => {
    const host = await started()
    const leftOut = ['zed://oauth/callback', 'http://assistant.example/callback']
    await registered(host, { redirect_uris: [leftOut[0], redirectUri, leftOut[1], 7, { toString: 1, valueOf: 1 }] })
    await registered(host)
    expect(await host.told('registered')).toMatchObject([{ leftOut }, { leftOut: undefined }])
  })

  it('that asks for a redirect URI which was left out is refused without a redirect, and the host is told why', async () => {
    const host = await started({ authenticate: asTheySay })
    const redirect_uri = 'zed://oauth/callback'
    const client_id = await registered(host, { redirect_uris: [redirectUri, redirect_uri] })
    expectErrorPage(await new Authorization(host, { client_id, redirect_uri }).open())
    const fault = 'must be https, http on loopback, or an app address that is accepted here'
    expect((await host.told('denied')).at(-1)).toMatchObject({ reason: 'wrong_redirect_uri', detail: { fault } })
    expectErrorPage(await new Authorization(host, { client_id, redirect_uri: `${redirectUri}/other` }).open())
    expect((await host.told('denied')).at(-1)?.detail.fault).toBeUndefined()
    // Such an address is allowed for the company's own client, which does not have it either.
    expectErrorPage(await new Authorization(host, { redirect_uri }).open())
    expect((await host.told('denied')).at(-1)?.detail.fault).toBeUndefined()
  })

  it.each([
    'client_name',
    'client_uri',
    'scope',
    'grant_types',
    'response_types',
    'token_endpoint_auth_method',
    'jwks',
    'contacts',
  ])('may have null for %s, which is as if it were absent', async (member) => {
    const { body } = await register(await started(), { [member]: null }).expect(201)
    const { body: absent } = await register(await started()).expect(201)
    expect({ ...body, client_id: '', client_id_issued_at: 0 }).toEqual({
      ...absent,
      client_id: '',
      client_id_issued_at: 0,
    })
  })

  it.each(['grant_types', 'response_types'])(
    'may have an empty list of %s, which is as if it were absent',
    async (member) => {
      const { body } = await register(await started(), { [member]: [] }).expect(201)
      expect(body).toMatchObject({ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] })
    },
  )

  it('has both grant types, whichever of them it names', async () => {
    const host = await started()
    for (const grant_types of [['authorization_code'], ['refresh_token', 'authorization_code', 'implicit']]) {
      const { body } = await register(host, { grant_types }).expect(201)
      expect(body.grant_types).toEqual(['authorization_code', 'refresh_token'])
    }
  })

  it.each([[['code']], [['token', 'code']]])(
    'may name the response types %j, and has the one of codes',
    async (named) => {
      const { body } = await register(await started(), { response_types: named }).expect(201)
      expect(body.response_types).toEqual(['code'])
    },
  )

  it.each([
    ['what is offered of the scope', 'calendar openid', 'calendar'],
    ['no scope where nothing of it is offered', 'openid email', undefined],
    ['no scope for an empty one', ' ', undefined],
  ])('keeps %s', async (_, scope, kept) => {
    const { body } = await register(await started(), { scope }).expect(201)
    expect(body.scope).toBe(kept)
  })

  it('limits no later request: its client may ask for every scope that the tenant offers, and the page shows it', async () => {
    const host = await started({
      authenticate: asTheySay,
      scopes: { profile: 'Know who you are', calendar: 'See your appointments' },
    })
    const client_id = await registered(host, { scope: 'profile' })
    for (const [scope, granted] of [
      ['profile calendar', 'profile calendar'],
      ['calendar', 'calendar'],
      [undefined, 'profile calendar'],
    ] as const) {
      const authorization = new Authorization(host, { client_id, scope })
      expect((await authorization.open()).text).toContain('See your appointments')
      expect(expectTokens(await host.exchange(await authorization.allowed(), { client_id })).scope).toBe(granted)
    }
  })

  it('may ask for all scopes, if it named only scopes that the tenant does not offer', async () => {
    const host = await started({ authenticate: asTheySay })
    const client_id = await registered(host, { scope: 'openid email' })
    const signedIn = await new Authorization(host, { client_id }).allowed()
    expect(expectTokens(await host.exchange(signedIn, { client_id })).scope).toBe('profile calendar')
  })

  it.each(['', ' ', '\n\t', '\u200b\u2060', '\u202e', '\u3164'])(
    'has no name where it gives none that can be seen: %j',
    async (name) => {
      const host = await started({ authenticate: asTheySay })
      const client_id = await registered(host, { client_name: name })
      expect(textOf((await new Authorization(host, { client_id }).open()).text)).toContain(
        `Connect “${client_id.slice(0, 14)}…” to Acme?`,
      )
    },
  )

  it('gets a response with the name that customers will see', async () => {
    const host = await started()
    const named = async (client_name: string) => (await register(host, { client_name }).expect(201)).body.client_name
    expect(await named(` Assistant\u202e of${' all'.repeat(20)}`)).toBe(
      'Assistant of all all all all all all all all all all all al…',
    )
    expect(await named(`${'x'.repeat(58)} and more`)).toBe(`${'x'.repeat(58)}…`)
  })

  it('connects: from the code to the refresh', async () => {
    const host = await started({ authenticate: asTheySay })
    const client_id = await registered(host, { client_name: 'Assistant' })
    const authorization = new Authorization(host, { client_id })
    const text = textOf((await authorization.open()).text)
    expect(text).toContain('Connect “Assistant” to Acme?')
    expect(text).toContain('Acme has not checked this app')
    const tokens = expectTokens(await host.exchange(await authorization.allowed(), { client_id }))
    expectTokens(await host.refresh(tokens.refresh_token, { client_id }))
  })

  it('is one at every tenant that lets clients register, as there is nothing in it that only one of them knows', async () => {
    const host = await started({ authenticate: asTheySay })
    const client_id = await registered(host)
    for (const tenantKey of ['acme', 'globex']) {
      const signedIn = await new Authorization(host, { client_id }, tenantKey).allowed()
      expectTokens(await host.exchange(signedIn, { client_id }))
    }
  })

  it('leaves nothing in the store and takes no memory, however many clients register', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await started({ tokenStore })
    const client = http1Client(host.url)
    const registration = {
      method: 'POST',
      path: '/v1/acme/oauth/register',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirectUri] }),
    }
    // A generation of what is remembered of clients: after each turn it is equally full.
    const growth = await growthPerTurn(async () => {
      for (let index = 0; index < 500; index++) expect((await client.send(registration)).status).toBe(201)
      host.events.length = 0
    })
    await client.close()
    expect(tokenStore.contents()).toMatchObject({ grants: [], used: [] })
    // Less than 100 bytes for each.
    expect(growth).toBeLessThan(50_000)
  })

  it('gives every client an id of its own', async () => {
    const host = await started()
    const ids = await Promise.all(Array.from({ length: 50 }, () => registered(host)))
    expect(new Set(ids).size).toBe(50)
  })

  it('is reported to the host with its id and its tenant', async () => {
    const host = await started()
    const clientId = await registered(host)
    expect(await host.told('registered')).toEqual([
      { at: expect.any(Number), type: 'registered', tenantKey: 'acme', tenantId: 'acme', clientId },
    ])
  })

  it.each([
    ['before the router', express.json()],
    ['as text', express.text({ type: '*/*' })],
    ['as bytes', express.raw({ type: '*/*' })],
  ])('works if the host has read the body %s', async (_, parser) => {
    const app = await HostApp.start((baseUrl) => express().use(parser).use(testSignIn({ baseUrl })))
    const { status, body } = await register({ url: app.origin }, { client_name: 'Assistant' })
    await app.stop()
    expect({ status, name: body.client_name }).toEqual({ status: 201, name: 'Assistant' })
  })
})

describe('where clients cannot register', () => {
  it('at all, the path is left to the host and the metadata does not name it', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example', clients: { registration: false } })
    const app = await HostApp.start(() => (req, res) => signIn(req, res, () => res.end('the host’s own')))
    const { text } = await request(app.origin).post('/v1/acme/oauth/register')
    const { body } = await request(app.origin).get('/v1/acme/oauth/.well-known/oauth-authorization-server')
    await app.stop()
    expect(text).toBe('the host’s own')
    expect(body).not.toHaveProperty('registration_endpoint')
  })

  it('at one tenant, registration is refused there and nowhere else, and the metadata says so', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', registration: false }, { key: 'globex' }])
    const host = await started({ tenantStore })
    expectError(await register(host), 403, 'access_denied')
    expectError(await register(host, '{'), 403, 'access_denied')
    await register(host, {}, 'globex').expect(201)
    const endpoints = await Promise.all(
      ['acme', 'globex'].map(async (tenantKey) => {
        const { body } = await request(host.issuer(tenantKey)).get('/.well-known/oauth-authorization-server')
        return body.registration_endpoint
      }),
    )
    expect(endpoints).toEqual([undefined, `${host.issuer('globex')}/register`])
  })

  it('at any tenant, no tenant turns it on', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', registration: true }])
    const host = await started({ tenantStore, clients: { registration: false } })
    await register(host).expect(404)
  })

  it('because the host registers them elsewhere, the metadata names that address', async () => {
    const registration = 'https://host.example/register'
    const host = await started({ externalEndpoints: { registration } })
    await register(host).expect(404)
    const { body } = await request(host.issuer()).get('/.well-known/oauth-authorization-server')
    expect(body.registration_endpoint).toBe(registration)
  })
})
