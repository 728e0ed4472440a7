import { type Client, MemoryTenantStore, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorRedirect, expectRedirect } from '../../support/authorization'
import { consentForm } from '../../support/consent-form'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import {
  clientId,
  expectTokens,
  type FormFields,
  redirectUri,
  type TestSignIn,
  type Tokens,
} from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'
import { wrapStore } from '../../support/wrap-store'

const second = 'https://assistant.example/second'
const apis = ['https://api.acme.example/mcp', 'https://files.acme.example/mcp']
const document = 'https://assistant.example/client.json'
const named = { documentHosts: ['assistant.example'] }

/** Acme, whose customers can grant three scopes for two APIs. */
function acme(client: Partial<Client> = {}, tenant: Partial<Tenant> = {}): Tenant {
  const clients = [{ clientId, redirectUris: [redirectUri, second], ...client }]
  return { key: 'acme', id: 'acme', clients, scopes: ['profile', 'calendar', 'bookings'], resources: apis, ...tenant }
}

/** A host that remembers consent, unless its records say otherwise. */
function remembering({ client, tenant, ...options }: TestOptions & Members = {}): Promise<TestSignIn> {
  const tenantStore = new MemoryTenantStore([acme(client, tenant), { ...acme(), key: 'globex', id: 'globex' }])
  const given: TestOptions = {
    authenticate: asTheySay,
    pages: { askConsent: 'once' },
    scopes: ['profile', 'calendar', 'bookings'],
    tenantStore,
    clients: { fetch: async () => Response.json(documentOf(document)) },
  }
  return started(given, options)
}

interface Members {
  client?: Partial<Client>
  tenant?: Partial<Tenant>
}

function documentOf(client_id: string) {
  const redirect_uris = [redirectUri, 'http://127.0.0.1/callback', 'com.example.app:/callback']
  return { client_id, client_name: 'Assistant', redirect_uris }
}

/** A customer allows a request, and the client redeems its code. */
async function connected(host: TestSignIn, parameters: FormFields = {}, customer?: string): Promise<Tokens> {
  const authorization = new Authorization(host, { scope: 'profile calendar', ...parameters })
  return redeemed(
    host,
    authorization,
    await authorization.answer(await authorization.form(customer), 'allow', customer),
  )
}

/** The tokens for the code of a response. */
async function redeemed(
  host: TestSignIn,
  authorization: Authorization,
  response: Parameters<Authorization['signedIn']>[0],
) {
  const { client_id, redirect_uri } = Object.fromEntries(new URLSearchParams(authorization.query))
  return expectTokens(await host.exchange(authorization.signedIn(response), { client_id, redirect_uri }))
}

const isAsked = async (host: TestSignIn, parameters: FormFields = {}, customer?: string) =>
  (await new Authorization(host, { scope: 'profile calendar', ...parameters }).open(customer)).status === 200

describe('a customer who has connected a client', () => {
  it('is remembered by eight characters, which name no address', async () => {
    const host = await remembering()
    await connected(host)
    expect(await recordsOf(host.tokenStore)).toMatchObject([{ consentTo: expect.stringMatching(/^[\w-]{8}$/) }])
  })

  it('gets back to it without a question, with a code that can be redeemed', async () => {
    const host = await remembering()
    await connected(host)
    const authorization = new Authorization(host, { scope: 'profile calendar' })
    const tokens = await redeemed(host, authorization, await authorization.open())
    expect(tokens.scope).toBe('profile calendar')
    const about = { scopes: ['profile', 'calendar'], resource: apis[0], clientId, subject: 'customer-1' }
    const told = await host.told('allowed')
    expect(told).toMatchObject([
      { remembered: false, ...about },
      { remembered: true, tenantKey: 'acme', tenantId: 'acme', ...about },
    ])
  })

  it('is not asked for less than they have granted, and for what that implies', async () => {
    const host = await remembering({ scopes: { profile: {}, calendar: {}, bookings: { implies: ['calendar'] } } })
    await connected(host, { scope: 'profile bookings' })
    for (const scope of ['profile', 'bookings', 'calendar', 'calendar profile']) {
      expect([scope, await isAsked(host, { scope })]).toEqual([scope, false])
    }
  })

  it('is not asked again and again: what was remembered is remembered in turn', async () => {
    const host = await remembering()
    const { refresh_token } = await connected(host)
    const authorization = new Authorization(host, { scope: 'profile calendar' })
    await redeemed(host, authorization, await authorization.open())
    await host.revoke({ token: refresh_token })
    expect(await isAsked(host)).toBe(false)
  })

  it('is not asked by any process with the same store, or by the host’s own page', async () => {
    const tokenStore = new MemoryTokenStore()
    await connected(await remembering({ tokenStore }))
    const consent = jest.fn(() => false)
    expect(await isAsked(await remembering({ tokenStore, pages: { consent } }))).toBe(false)
    expect(consent).not.toHaveBeenCalled()
  })

  it.each<[string, Parameters<typeof remembering>[0]]>([
    ['the company names by its host', { tenant: { allowedClients: { documentHosts: ['assistant.example'] } } }],
    ['the company names by its address', { tenant: { allowedClients: { clientIds: [document] } } }],
    ['the option names', { clients: { allowed: named } }],
  ])('of a metadata document that %s is not asked', async (_, options) => {
    const host = await remembering(options)
    await connected(host, { client_id: document })
    expect(await isAsked(host, { client_id: document })).toBe(false)
  })

  it.each<[string, boolean, Parameters<typeof remembering>[0]]>([
    ['no record says anything and the option is once', false, {}],
    ['nobody says anything', true, { pages: { askConsent: undefined } }],
    ['the company says always', true, { tenant: { askConsent: 'always' } }],
    ['the company says once', false, { pages: { askConsent: 'always' }, tenant: { askConsent: 'once' } }],
    ['the client’s record says always', true, { tenant: { askConsent: 'once' }, client: { askConsent: 'always' } }],
    ['the client’s record says once', false, { tenant: { askConsent: 'always' }, client: { askConsent: 'once' } }],
  ])('is asked as the closest record says: %s', async (_, asked, options) => {
    const host = await remembering(options)
    await connected(host)
    expect(await isAsked(host)).toBe(asked)
  })

  it('gets a code with prompt=none, and consent_required where nothing is remembered', async () => {
    const host = await remembering()
    const authorization = new Authorization(host, { prompt: 'none', scope: 'profile' })
    expectErrorRedirect(await authorization.open(), 'consent_required', host.issuer())
    await connected(host)
    await redeemed(host, authorization, await authorization.open())
    const more = new Authorization(host, { prompt: 'none', scope: 'bookings' })
    expectErrorRedirect(await more.open(), 'consent_required', host.issuer())
  })
})

describe('a customer is asked again, although consent is remembered,', () => {
  it.each<[string, FormFields]>([
    ['for a scope more', { scope: 'profile calendar bookings' }],
    ['for another scope', { scope: 'bookings' }],
    ['for another API', { resource: apis[1] }],
    ['at another redirect URI of the client', { redirect_uri: second }],
    ['at the same redirect URI in other words', { redirect_uri: `${redirectUri}?` }],
    ['by another client', { client_id: document }],
    ['if the client wants it', { prompt: 'consent' }],
  ])('%s', async (_, parameters) => {
    const client = { redirectUris: [redirectUri, second, `${redirectUri}?`] }
    const host = await remembering({ client, clients: { allowed: named } })
    await connected(host)
    expect(await isAsked(host)).toBe(false)
    expect(await isAsked(host, parameters)).toBe(true)
  })

  it('if two grants have the scopes only together', async () => {
    const host = await remembering()
    await connected(host, { scope: 'profile' })
    await connected(host, { scope: 'calendar' })
    expect(await isAsked(host)).toBe(true)
  })

  it('as another customer, and at another company', async () => {
    const host = await remembering()
    await connected(host)
    expect(await isAsked(host, {}, 'customer-2')).toBe(true)
    await new Authorization(host, { scope: 'profile calendar' }, 'globex').open().expect(200)
  })

  it('until the client has redeemed its code', async () => {
    const host = await remembering()
    const authorization = new Authorization(host, { scope: 'profile calendar' })
    const response = await authorization.answer(await authorization.form())
    expect(await isAsked(host)).toBe(true)
    await redeemed(host, authorization, response)
    expect(await isAsked(host)).toBe(false)
  })

  it.each<[string, (host: TestSignIn, tokens: Tokens) => Promise<unknown>]>([
    [
      'the customer has disconnected the client',
      (host) => host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' }),
    ],
    [
      'the client has revoked its grant',
      (host, { refresh_token }) => host.revoke({ token: refresh_token }).expect(200),
    ],
  ])('once %s', async (_, end) => {
    const host = await remembering()
    const tokens = await connected(host)
    await end(host, tokens)
    expect(await isAsked(host)).toBe(true)
  })

  it('if they connected the client before consent was remembered', async () => {
    const tokenStore = new MemoryTokenStore()
    await connected(await remembering({ tokenStore, pages: { askConsent: 'always' } }))
    const host = await remembering({ tokenStore })
    expect(await isAsked(host)).toBe(true)
  })

  it('if nobody had asked them then', async () => {
    const tokenStore = new MemoryTokenStore()
    const quiet = await remembering({ tokenStore, pages: { consent: false } })
    const authorization = new Authorization(quiet, { scope: 'profile calendar' })
    await redeemed(quiet, authorization, await authorization.open())
    expect(await isAsked(await remembering({ tokenStore }))).toBe(true)
  })

  it('with what they press counting more than what is remembered', async () => {
    const host = await remembering()
    const authorization = new Authorization(host, { scope: 'profile calendar' })
    const form = await authorization.form()
    await connected(host)
    expectErrorRedirect(await authorization.answer(form, 'deny'), 'access_denied', host.issuer())
  })
})

describe('consent is never remembered', () => {
  it.each<[string, string]>([
    ['for a redirect URI on loopback', 'http://127.0.0.1/callback'],
    ['for one on loopback over https', 'https://localhost/callback'],
    ['for one with an app’s own scheme', 'com.example.app:/callback'],
  ])('%s', async (_, redirect_uri) => {
    const host = await remembering({ client: { redirectUris: [redirectUri, redirect_uri], askConsent: 'once' } })
    await connected(host, { redirect_uri })
    expect(await isAsked(host, { redirect_uri })).toBe(true)
    expect(await isAsked(host)).toBe(true)
    expect(await recordsOf(host.tokenStore)).toMatchObject([{ consentTo: undefined }])
  })

  it.each(['http://127.0.0.1/callback', 'com.example.app:/callback'])(
    'for a client with a metadata document at %s',
    async (redirect_uri) => {
      const host = await remembering({ clients: { appRedirects: [], allowed: named } })
      await connected(host, { client_id: document, redirect_uri })
      expect(await isAsked(host, { client_id: document, redirect_uri })).toBe(true)
    },
  )

  it('for a client with a metadata document that the company has not named', async () => {
    const host = await remembering()
    await connected(host, { client_id: document })
    expect(await isAsked(host, { client_id: document })).toBe(true)
    expect(await recordsOf(host.tokenStore)).toMatchObject([{ consentTo: undefined }])
  })

  it('once the company no longer names the client', async () => {
    const tokenStore = new MemoryTokenStore()
    await connected(await remembering({ tokenStore, clients: { allowed: named } }), { client_id: document })
    expect(await isAsked(await remembering({ tokenStore }), { client_id: document })).toBe(true)
  })

  it('for a client that registered itself, whatever it says of itself, even if the company names it', async () => {
    const tokenStore = new MemoryTokenStore()
    const client_id = await registered(await remembering({ tokenStore }), { askConsent: 'once', ask_consent: 'once' })
    const host = await remembering({ tokenStore, clients: { allowed: { clientIds: [client_id] } } })
    await connected(host, { client_id })
    expect(await isAsked(host, { client_id })).toBe(true)
  })
})

describe('a link of another site', () => {
  it('leads to nothing but a code for the client that the customer has connected', async () => {
    const host = await remembering()
    await connected(host)
    const { origin, pathname } = expectRedirect(await new Authorization(host, { scope: 'profile' }).open())
    expect(origin + pathname).toBe(redirectUri)
    // The client that a stranger has made is another one.
    const client_id = await registered(host, { redirect_uris: ['https://stranger.example/'] })
    expect(await isAsked(host, { client_id, redirect_uri: 'https://stranger.example/' })).toBe(true)
  })

  it('gets no code by a form', async () => {
    const host = await remembering()
    await connected(host)
    const { path } = new Authorization(host, { scope: 'profile' })
    const page = await request(host.url).post(path).type('form').send('decision=allow').expect(200)
    expect(consentForm(page).token).not.toBe('')
  })
})

describe('a store that cannot say what a customer has connected', () => {
  /** A host whose store has lost the power to list grants. */
  async function unlisted() {
    let isDown = false
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      if (isDown && method === 'listGrants') throw new Error('The store is down')
      return apply()
    })
    const host = await remembering({ tokenStore })
    await connected(host)
    isDown = true
    return host
  }

  it('makes the library ask, and tell the operator', async () => {
    const host = await unlisted()
    expect(await isAsked(host)).toBe(true)
    const about = { tenantKey: 'acme', tenantId: 'acme', clientId, subject: 'customer-1' }
    expect(await host.told('error')).toMatchObject([{ where: 'listGrants', reason: 'token_store_failed', ...about }])
  })

  it('makes a client that allows no page try again', async () => {
    const host = await unlisted()
    const response = await new Authorization(host, { prompt: 'none', scope: 'profile' }).open()
    expectErrorRedirect(response, 'temporarily_unavailable', host.issuer())
  })

  it('is not asked about a client for which no consent is remembered', async () => {
    const asked: string[] = []
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
      asked.push(method)
      return apply()
    })
    const host = await remembering({ tokenStore, pages: { askConsent: 'always' } })
    await new Authorization(host).open().expect(200)
    expect(asked).toEqual([])
  })
})
