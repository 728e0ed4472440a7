import { type CustomerSignInOptions, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { assertionOf, clientKey, withAssertion } from '../../support/confidential-clients'
import { textOf } from '../../support/consent-form'
import { craftedId } from '../../support/crafted-id'
import { register } from '../../support/registration'
import { expectError, expectTokens, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import { unregistrable } from '../../support/unregistrable-redirect-uris'

const startedWith = (options: Partial<CustomerSignInOptions> = {}, record: Partial<Tenant> = {}) =>
  started({
    authenticate: asTheySay,
    tenantStore: new MemoryTenantStore([{ ...tenants[0], key: 'acme', ...record }]),
    ...options,
  })

const opens = async (options: Partial<CustomerSignInOptions>, client_id: string, redirect_uri = redirectUri) =>
  new Authorization(await startedWith(options), { client_id, redirect_uri }).open()

describe('an id that somebody has written by hand', () => {
  it('is a client, if it says what a client may register', async () => {
    const host = await startedWith()
    const client_id = craftedId({ text: `${redirectUri}\nAssistant` })
    const authorization = new Authorization(host, { client_id })
    expect(textOf((await authorization.open()).text)).toContain('Connect “Assistant” to Acme?')
    const { refresh_token } = expectTokens(await host.exchange(await authorization.allowed(), { client_id }))
    expectTokens(await host.refresh(refresh_token, { client_id }))
    expect(await host.told('registered')).toEqual([])
  })

  it.each(Object.entries(unregistrable))('cannot have a redirect URI that has %s', async (_, refused) => {
    const host = await startedWith()
    for (const redirect_uri of refused.filter((each) => typeof each === 'string' && each !== '')) {
      for (const text of [redirect_uri as string, `${redirectUri} ${redirect_uri}`]) {
        const client_id = craftedId({ text })
        expectErrorPage(await new Authorization(host, { client_id, redirect_uri: redirect_uri as string }).open())
      }
    }
  })

  it('is the id of nobody if it has no redirect URI that can be read', async () => {
    const host = await startedWith()
    const ask = (text: string) => host.refresh('csir_unknown', { client_id: craftedId({ text }) })
    expectError(await ask(`${redirectUri} relative`), 400, 'invalid_grant')
    expectError(await ask('relative'), 401, 'invalid_client')
  })

  it('has a name of up to 200 characters', async () => {
    const ask = (length: number) => opens({}, craftedId({ text: `${redirectUri}\n${'n'.repeat(length)}` }))
    expect(textOf((await ask(200)).text)).toContain(`“${'n'.repeat(50)}`)
    expectErrorPage(await ask(201))
  })

  it.each<[what: string, text: string]>([
    ['no redirect URI', '\nAssistant'],
    ['21 of them', Array.from({ length: 21 }, (_, n) => `${redirectUri}/${n}`).join(' ')],
    ['one twice', `${redirectUri} ${redirectUri}`],
    ['two spaces', `${redirectUri}  ${redirectUri}/2`],
    ['a name of 201 characters', `${redirectUri}\n${'x'.repeat(201)}`],
    ['an address in place of a host', `${redirectUri}\nAssistant\nevil.example/page`],
    ['a user at its host', `${redirectUri}\nAssistant\nuser@evil.example`],
    ['a fifth line', `${redirectUri}\nAssistant\nevil.example\n\nmore`],
    ['an empty line at its end', `${redirectUri}\n`],
    ['keys that are no key set', `${redirectUri}\n\n\n{"keys":7}`],
    ['keys in another spelling', `${redirectUri}\n\n\n{ "keys": [] }`],
    ['a private key', `${redirectUri}\n\n\n{"keys":[{"kty":"EC","d":"x"}]}`],
    ['a key for nothing', `${redirectUri}\n\n\n{"keys":[{"kty":"oct"}]}`],
    ['keys that anybody could change', `${redirectUri}\n\n\nhttp://keys.example/jwks`],
    ['what is no JSON', `${redirectUri}\n\n\n{`],
  ])('is no client with %s', async (_, text) => {
    const clientAuthentication = ['none', 'private_key_jwt'] as const
    for (const header of [0x10, 0x11]) {
      expectErrorPage(
        await opens({ clients: { authentication: clientAuthentication } }, craftedId({ text, header }), redirectUri),
      )
    }
  })

  it('has a name on the page only as a registered one has', async () => {
    const { text } = await opens({}, craftedId({ text: `${redirectUri}\nAcme\u202e “the real one”${' x'.repeat(60)}` }))
    expect(textOf(text)).toContain("Connect “Acme 'the real one' x x")
    expect(text).not.toContain('\u202e')
  })

  it.each<[what: string, options: Partial<CustomerSignInOptions>, record: Partial<Tenant>]>([
    ['by the option', { clients: { registration: false } }, {}],
    ['at the company', {}, { registration: false }],
    [
      'here, because the host has an endpoint of its own',
      { externalEndpoints: { registration: 'https://x.example' } },
      {},
    ],
    ['without a key', { clients: { authentication: ['private_key_jwt'] } }, {}],
  ])('is no client where none can register: %s', async (_, options, record) => {
    const host = await startedWith(options, record)
    const client_id = craftedId({ text: redirectUri })
    expectErrorPage(await new Authorization(host, { client_id }).open())
    await expect(host.asCustomer({ clientId: client_id })).rejects.toMatchObject({ code: 'invalid_client' })
  })

  it.each<[what: string, record: Partial<Tenant>]>([
    ['allows none', { allowedClients: {} }],
    ['allows another host', { allowedClients: { redirectHosts: ['claude.ai'] } }],
    ['blocks one of its hosts', { blockedClients: { redirectHosts: ['localhost'] } }],
    ['blocks it', { blockedClients: { clientIds: [craftedId({ text: `${redirectUri} http://localhost/` })] } }],
  ])('is refused by a company that %s', async (_, record) => {
    const host = await startedWith({}, record)
    const client_id = craftedId({ text: `${redirectUri} http://localhost/` })
    expectErrorPage(await new Authorization(host, { client_id }).open(), 403)
  })

  it('may name a company’s own id once the company has allowed it, and only then', async () => {
    const client_id = craftedId({ text: redirectUri })
    const host = await startedWith({}, { allowedClients: { clientIds: [client_id] } })
    await new Authorization(host, { client_id }).open().expect(200)
    const other = craftedId({ text: redirectUri, random: Buffer.alloc(6, 8) })
    expectErrorPage(await new Authorization(host, { client_id: other }).open(), 403)
  })

  it('cannot send customers to a host of this server', async () => {
    const host = await startedWith({ baseUrl: 'https://sign-in.example' })
    const redirect_uri = 'https://sign-in.example/callback'
    expectErrorPage(
      await new Authorization(host, { client_id: craftedId({ text: redirect_uri }), redirect_uri }).open(),
    )
  })

  it('sends no browser anywhere before the customer has logged in', async () => {
    const host = await startedWith({ authenticate: (_req, res) => void res.writeHead(200).end('Please log in') })
    const client_id = craftedId({ text: redirectUri })
    for (const wrong of [{ response_type: 'token' }, { scope: 'nothing' }, { code_challenge_method: 'plain' }]) {
      expectErrorPage(await new Authorization(host, { client_id, ...wrong }).open())
    }
  })

  it('has no secret, because only this server can make one', async () => {
    const host = await startedWith({ clients: { authentication: ['none', 'client_secret_post'] } })
    const { body } = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    const { client_id, client_secret } = body
    const bytes = Buffer.from(client_id.slice(4), 'base64url')
    const [random, text] = [bytes.subarray(1, 17), bytes.subarray(17)]
    expect(craftedId({ text, header: 0x12, random })).toBe(client_id)
    const similar = craftedId({ text, header: 0x12, random: Buffer.alloc(16) })
    const signedIn = await host.asCustomer({ clientId: similar })
    for (const given of [{}, { client_secret }]) {
      expectError(await host.exchange(signedIn, { client_id: similar, ...given }), 401, 'invalid_client')
    }
    // Without the flag it is a public client, and not the same one.
    const open = craftedId({ text, random: Buffer.alloc(6) })
    expectTokens(await host.exchange(await host.asCustomer({ clientId: open }), { client_id: open }))
  })
})

describe('an id with an address of keys', () => {
  const key = clientKey()
  const client_id = craftedId({ text: `${redirectUri}\n\n\nhttps://keys.example/jwks` })
  const asked: string[] = []
  const keyHost = () =>
    startedWith({
      clients: {
        authentication: ['none', 'private_key_jwt'],
        fetch: async (url) => {
          asked.push(String(url))
          return Response.json({ keys: [key.jwk] })
        },
      },
    })
  beforeEach(() => {
    asked.length = 0
  })

  it('makes this server fetch nothing for a code or token that this server has not issued to it', async () => {
    const host = await keyHost()
    const assertion = () => withAssertion(assertionOf(key, client_id, host.issuer()))
    const others = await host.connected()
    const signedIn = await host.asCustomer()
    const unknown = `csir_${'A'.repeat(84)}`
    for (const token of [unknown, others.refresh_token]) {
      expectError(await host.refresh(token, assertion()), 400, 'invalid_grant')
    }
    expectError(await host.exchange(signedIn, assertion()), 400, 'invalid_grant')
    for (const token of [unknown, 'any', others.refresh_token, others.access_token]) {
      expect((await host.revoke({ ...assertion(), token })).status).toBe(200)
    }
    expect(asked).toEqual([])
    expectTokens(await host.refresh(others.refresh_token))
    expectTokens(await host.exchange(signedIn))
  })

  it('has its keys fetched for what this server has issued to it', async () => {
    const host = await keyHost()
    const assertion = () => withAssertion(assertionOf(key, client_id, host.issuer()))
    const signedIn = await host.asCustomer({ clientId: client_id })
    const { refresh_token, access_token } = expectTokens(await host.exchange(signedIn, assertion()))
    expect(asked).toEqual(['https://keys.example/jwks'])
    expectTokens(await host.refresh(refresh_token, assertion()))
    expect((await host.revoke({ ...assertion(), token: access_token })).status).toBe(200)
    expectError(await host.refresh(refresh_token, assertion()), 400, 'invalid_grant')
    expect(await host.told('revoked')).toMatchObject([{ reason: 'client' }])
  })
})
