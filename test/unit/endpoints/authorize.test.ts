import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import express from 'express'
import { decode } from 'jsonwebtoken'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorRedirect, expectRedirect } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { HostApp, testSignIn } from '../../support/host-app'
import { clientId, expectTokens, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const startedWith = (options: Partial<CustomerSignInOptions> = {}) => started({ authenticate: asTheySay, ...options })

/** Acme, with a client that may ask for these scopes only. */
const withClientScopes = (scopes: string[]) =>
  new MemoryTenantStore([
    { key: 'acme', scopes: ['profile', 'calendar'], clients: [{ clientId, redirectUris: [redirectUri], scopes }] },
  ])

describe('an authorization request', () => {
  it('asks the customer, and sends the browser back with a code that can be redeemed', async () => {
    const host = await startedWith({ authenticate: () => ({ subject: 'ada', claims: { locale: 'de' } }) })
    const authorization = new Authorization(host)
    const tokens = expectTokens(await host.exchange(await authorization.allowed()))
    expect(decode(tokens.access_token)).toMatchObject({ sub: 'ada', client_id: clientId, locale: 'de' })
    expectTokens(await host.refresh(tokens.refresh_token))
  })

  it('gets the code, the state and the issuer, and nothing else', async () => {
    const host = await startedWith()
    const authorization = new Authorization(host)
    const { origin, pathname, searchParams } = expectRedirect(await authorization.answer(await authorization.form()))
    expect(`${origin}${pathname}`).toBe(redirectUri)
    expect(Object.fromEntries(searchParams)).toEqual({
      code: expect.stringMatching(/^csic_[\w-]{84}$/),
      state: 'a state',
      iss: host.issuer(),
    })
  })

  it('gets its state back unchanged', async () => {
    const host = await startedWith()
    for (const state of ['a b+c%20&d=e#f', 'ünï☃\u202e', '\r\nSet-Cookie: a=b', 'x'.repeat(4000)]) {
      const authorization = new Authorization(host, { state })
      const location = expectRedirect(await authorization.answer(await authorization.form()))
      expect(location.searchParams.get('state')).toBe(state)
    }
  })

  it('without a state gets a response without one', async () => {
    const host = await startedWith()
    const authorization = new Authorization(host, { state: undefined })
    const location = expectRedirect(await authorization.answer(await authorization.form()))
    expect([...location.searchParams.keys()]).toEqual(['code', 'iss'])
  })

  it('may have unknown parameters', async () => {
    const host = await startedWith()
    const more = { nonce: 'n', claims: '{}', ui_locales: 'de', request_uri: 'urn:x', iss: 'https://evil.example' }
    expectTokens(await host.exchange(await new Authorization(host, more).allowed()))
  })

  it('keeps the query of the redirect URI', async () => {
    const own = `${redirectUri}?flow=1`
    const clients = [{ clientId, redirectUris: [own] }]
    const host = await startedWith({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
    const authorization = new Authorization(host, { redirect_uri: own })
    const response = await authorization.answer(await authorization.form())
    expect(response.headers.location).toMatch(/^https:\/\/assistant\.example\/callback\?flow=1&code=csic_/)
    expectTokens(await host.exchange(authorization.signedIn(response), { redirect_uri: own }))
  })

  it('works the same below a base path, behind a body parser of the host', async () => {
    const urls: string[] = []
    const app = await HostApp.start((origin) => {
      const baseUrl = `${origin}/auth`
      const authenticate: CustomerSignInOptions['authenticate'] = (_req, _res, { url }) => {
        urls.push(url)
        return { subject: 'customer-1' }
      }
      return express()
        .use(express.urlencoded({ extended: true }))
        .use('/auth', testSignIn({ baseUrl, authenticate }))
    })
    const authorization = new Authorization({ url: `${app.origin}/auth` })
    const issuer = `${app.origin}/auth/v1/acme/oauth`
    const response = await authorization.answer(await authorization.form())
    await app.stop()
    expect(expectRedirect(response).searchParams.get('iss')).toBe(issuer)
    expect(urls[0]).toBe(`${issuer}/authorize?${authorization.query}`)
  })

  it('is left to the host if authenticate is not set', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example' })
    const host = await HostApp.start(() => (req, res) => signIn(req, res, () => res.end('the host’s own page')))
    const response = await request(host.origin).get('/v1/acme/oauth/authorize?client_id=nobody')
    expect(response.text).toBe('the host’s own page')
    await host.stop()
  })
})

describe('a requested scope', () => {
  it.each([
    ['nothing', undefined, 'profile calendar'],
    ['a part of what the tenant offers', 'calendar', 'calendar'],
    ['the same twice', 'calendar calendar', 'calendar'],
    ['offline_access too', 'calendar offline_access', 'calendar'],
    ['offline_access alone', 'offline_access', 'profile calendar'],
    ['scopes of OpenID Connect too', 'openid profile email offline_access', 'profile'],
    ['scopes of OpenID Connect alone, none of which is offered', 'openid email', 'profile calendar'],
    ['the same with offline_access, as Kiro asks', 'openid email offline_access', 'profile calendar'],
    ['some that the tenant does not offer', 'admin calendar PROFILE *', 'calendar'],
    ['spaces around and between', '  calendar  profile ', 'profile calendar'],
    ['nothing but spaces', '   ', 'profile calendar'],
  ])('of %s is granted as it is shown, in words', async (_, scope, granted) => {
    const scopes = { profile: 'Know who you are', calendar: 'See your appointments' }
    const host = await startedWith({ scopes })
    const authorization = new Authorization(host, { scope })
    const page = textOf((await authorization.open()).text)
    for (const [name, words] of Object.entries(scopes)) {
      expect([words, page.includes(words)]).toEqual([words, granted.split(' ').includes(name)])
    }
    const { scope: answered } = expectTokens(await host.exchange(await authorization.allowed()))
    expect(answered.split(' ').sort()).toEqual(granted.split(' ').sort())
  })

  it.each(['admin', 'openid admin', 'OPENID', 'PROFILE', '*'])(
    'of %j is invalid_scope where the tenant offers nothing of it',
    async (scope) => {
      const host = await startedWith()
      expectErrorRedirect(await new Authorization(host, { scope }).open(), 'invalid_scope', host.issuer())
      const detail = { asked: scope.split(' '), accepted: ['profile', 'calendar'] }
      expect(await host.told('denied')).toMatchObject([{ where: 'authorize', reason: 'scope_not_offered', detail }])
    },
  )

  it.each([
    ['a list', ['calendar', 'offline_access']],
    ["its company's record", undefined],
    ['words', { calendar: 'See your appointments', offline_access: 'Stay signed in for ever' }],
    ['what a scope implies', { calendar: { words: 'See your appointments', implies: ['offline_access'] } }],
  ])('never makes a permission of offline_access, although the host has it in %s', async (_, scopes) => {
    const listed = ['calendar', 'offline_access']
    const client = { clientId, redirectUris: [redirectUri], scopes: listed }
    const company = { key: 'acme', clients: [client], ...(!scopes && { scopes: listed }) }
    const host = await startedWith({ scopes, tenantStore: new MemoryTenantStore([company]) })
    for (const scope of [undefined, 'offline_access', 'calendar offline_access']) {
      const authorization = new Authorization(host, { scope })
      expect(textOf((await authorization.open()).text)).not.toMatch(/offline_access|Stay signed in/)
      expect(expectTokens(await host.exchange(await authorization.allowed())).scope).toBe('calendar')
    }
  })

  it('of OpenID Connect is refused where the company offers it, and not to this client', async () => {
    const host = await startedWith({ tenantStore: withClientScopes(['calendar']) })
    expectErrorRedirect(await new Authorization(host, { scope: 'profile' }).open(), 'invalid_scope', host.issuer())
    const signedIn = await new Authorization(host, { scope: 'openid email' }).allowed()
    expect(expectTokens(await host.exchange(signedIn)).scope).toBe('calendar')
  })

  it('is no more than the client may ask for', async () => {
    const host = await startedWith({ tenantStore: withClientScopes(['profile']) })
    expectErrorRedirect(await new Authorization(host, { scope: 'calendar' }).open(), 'invalid_scope', host.issuer())
    for (const scope of [undefined, 'profile calendar', 'offline_access']) {
      const signedIn = await new Authorization(host, { scope }).allowed()
      expect(expectTokens(await host.exchange(signedIn)).scope).toBe('profile')
    }
  })
})

describe('a request without a scope', () => {
  const scopes = { profile: 'Know who you are', calendar: 'See your appointments', mail: 'Read your mail' }
  const tenantStore = new MemoryTenantStore([{ key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }])
  const announcing = async () => {
    const host = await startedWith({ scopes, tenantStore })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['calendar'] })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['mail'] })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/files' })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/photos', scopes: ['photos'] })
    return host
  }

  it.each([
    ['that the host has announced first for the resource it names', '/v1/acme/mcp', 'calendar'],
    ['the same with a slash after that resource', '/v1/acme/mcp/', 'calendar'],
    ['of the tenant, if the host has announced none for that resource', '/v1/acme/files', 'profile calendar mail'],
    ['of the tenant, if it offers none of those announced', '/v1/acme/photos', 'profile calendar mail'],
    ['of the tenant, if it names the issuer', '/v1/acme/oauth', 'profile calendar mail'],
    ['of the tenant, if it names no resource', undefined, 'profile calendar mail'],
  ])('gets the scopes %s', async (_, path, granted) => {
    const host = await announcing()
    const authorization = new Authorization(host, { resource: path && host.url + path, scope: 'offline_access' })
    const page = textOf((await authorization.open()).text)
    for (const [name, words] of Object.entries(scopes)) {
      expect([words, page.includes(words)]).toEqual([words, granted.split(' ').includes(name)])
    }
    expect(expectTokens(await host.exchange(await authorization.allowed())).scope).toBe(granted)
  })

  it('may ask for others than those of the resource by naming them', async () => {
    const host = await announcing()
    const authorization = new Authorization(host, { resource: `${host.url}/v1/acme/mcp`, scope: 'profile mail' })
    expect(expectTokens(await host.exchange(await authorization.allowed())).scope).toBe('profile mail')
  })

  it('gets no scope of the resource that its own client may not ask for', async () => {
    const host = await startedWith({ tenantStore: withClientScopes(['profile']) })
    host.signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['profile', 'calendar'] })
    const authorization = new Authorization(host, { resource: `${host.url}/v1/acme/mcp` })
    expect(expectTokens(await host.exchange(await authorization.allowed())).scope).toBe('profile')
  })
})

describe('a requested resource', () => {
  const [, globex] = tenants
  const [first, second] = globex?.resources ?? []

  it.each([
    ['no resource is for the tenant’s first', undefined, first],
    ['one is for it', second, second],
    ['one, spelled without its last slash, is for it', second?.replace(/\/$/, ''), second],
    ['the same twice is for it', [second ?? '', second ?? ''], second],
    ['one with a query is for it', `${second}?tools=all`, second],
    ['its origin is for it', new URL(first ?? '').origin, first],
    ['it and its origin is for it', [new URL(first ?? '').origin, first ?? ''], first],
  ])('of %s', async (_, resource, audience) => {
    const host = await startedWith()
    const { access_token } = expectTokens(
      await host.exchange(await new Authorization(host, { resource }, 'globex').allowed()),
    )
    expect(decode(access_token)).toMatchObject({ aud: audience })
  })

  it.each([
    ['that is not the tenant’s', 'https://api.acme.example'],
    ['that is no absolute URL', '/mcp'],
    ['with a fragment', `${first}#part`],
    ['and another', [first ?? '', second ?? '']],
    ['that only begins like one', `${first}.evil.example`],
    ['beside one', `${first}x`],
  ])('%s is invalid_target', async (_, resource) => {
    const host = await startedWith()
    const response = await new Authorization(host, { resource }, 'globex').open()
    expectErrorRedirect(response, 'invalid_target', host.issuer('globex'))
  })
})
