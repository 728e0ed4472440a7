import { randomBytes } from 'node:crypto'
import type { ClientOptions } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { assertionOf, basic, clientKey, withAssertion } from '../../support/confidential-clients'
import { register, registered } from '../../support/registration'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const key = clientKey()
const jwks = { keys: [key.jwk] }
const rsa = clientKey('RS256').jwk
const all = ['none', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'] as const

const startedWith = (authentication: ClientOptions['authentication']) =>
  started({ authenticate: asTheySay, clients: { documents: 'with-loopback', authentication } })

/** What the server answers about how the client authenticates. */
async function chosen(host: TestSignIn, metadata: object) {
  const { body } = await register(host, metadata).expect(201)
  const { token_endpoint_auth_method: method, client_secret, client_secret_expires_at: expires } = body
  return { method, hasSecret: client_secret !== undefined, expires }
}

describe('a registration', () => {
  const none = { method: 'none', hasSecret: false, expires: undefined }
  const secret = (method: string) => ({ method, hasSecret: true, expires: 0 })

  it.each<[string, ClientOptions['authentication'], object, object]>([
    ['asks for nothing', all, {}, none],
    ['asks for null', all, { token_endpoint_auth_method: null }, none],
    ['asks for none', all, { token_endpoint_auth_method: 'none', jwks }, none],
    [
      'asks for client_secret_basic',
      all,
      { token_endpoint_auth_method: 'client_secret_basic' },
      secret('client_secret_basic'),
    ],
    [
      'asks for client_secret_post',
      all,
      { token_endpoint_auth_method: 'client_secret_post' },
      secret('client_secret_post'),
    ],
    [
      'asks for client_secret_post while it is off',
      undefined,
      { token_endpoint_auth_method: 'client_secret_post' },
      none,
    ],
    [
      'asks for client_secret_post while only client_secret_basic is on',
      ['none', 'client_secret_basic'],
      { token_endpoint_auth_method: 'client_secret_post' },
      none,
    ],
    [
      'asks for client_secret_post while nothing else than client_secret_basic is on',
      ['client_secret_basic'],
      { token_endpoint_auth_method: 'client_secret_post' },
      secret('client_secret_basic'),
    ],
    [
      'asks for client_secret_basic while nothing else than client_secret_post is on',
      ['client_secret_post'],
      { token_endpoint_auth_method: 'client_secret_basic' },
      secret('client_secret_post'),
    ],
    ['asks for nothing while public clients are off', ['client_secret_basic'], {}, secret('client_secret_basic')],
    [
      'offers none too while private_key_jwt is off',
      undefined,
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
      },
      none,
    ],
    [
      'asks for private_key_jwt',
      all,
      { token_endpoint_auth_method: 'private_key_jwt', jwks },
      { ...none, method: 'private_key_jwt' },
    ],
    [
      'asks for private_key_jwt, and writes null for what it does not use',
      all,
      { token_endpoint_auth_method: 'private_key_jwt', jwks, jwks_uri: null },
      { ...none, method: 'private_key_jwt' },
    ],
  ])('that %s is answered with what it got', async (_, methods, metadata, answer) => {
    expect(await chosen(await startedWith(methods), metadata)).toEqual(answer)
  })

  it.each<[string, ClientOptions['authentication'], object]>([
    ['private_key_jwt', undefined, { jwks }],
    ['private_key_jwt', ['none', 'client_secret_basic'], { jwks }],
    ['tls_client_auth', all, {}],
    ['magic', all, {}],
    ['none', ['private_key_jwt'], {}],
    ['an object', all, { token_endpoint_auth_method: { toString: 1 } }],
    ['a list', all, { token_endpoint_auth_method: [{ toString: 1 }], token_endpoint_auth_methods_supported: [{}] }],
  ])(
    'that can only use %s is refused where that is off, and the error names the option',
    async (method, methods, more) => {
      const host = await startedWith(methods)
      const response = await register(host, { token_endpoint_auth_method: method, ...more })
      expect(expectError(response, 400, 'invalid_client_metadata')).toContain('option clients.authentication')
      expect(await host.told('denied')).toMatchObject([{ reason: 'method_off' }])
    },
  )

  it('that is refused is told with what it asked for, and what is on', async () => {
    const host = await startedWith(['none', 'client_secret_basic'])
    await register(host, { token_endpoint_auth_method: 'private_key_jwt', jwks }).expect(400)
    expect(await host.told('denied')).toMatchObject([
      { detail: { asked: ['private_key_jwt'], accepted: ['none', 'client_secret_basic'] } },
    ])
  })

  it.each<[string, object, RegExp]>([
    ['without keys', {}, /either jwks or jwks_uri/],
    ['with keys and an address', { jwks, jwks_uri: 'https://keys.example/jwks' }, /either jwks or jwks_uri/],
    ['with an address that is not https', { jwks_uri: 'http://keys.example/jwks' }, /jwks_uri must be an https URL/],
    ['with an address that is no URL', { jwks_uri: 7 }, /jwks_uri must be an https URL/],
    ['with a list of addresses', { jwks_uri: ['https://keys.example/jwks'] }, /jwks_uri must be an https URL/],
    ['with a private key', { jwks: { keys: [{ ...key.jwk, d: 'x' }] } }, /jwks must have no private/],
    ['with a text as keys', { jwks: JSON.stringify(jwks) }, /jwks must be a JSON Web Key Set/],
    [
      'with more keys than an id has room for',
      { jwks: { keys: Array.from({ length: 20 }, (_, number) => ({ ...rsa, kid: `key-${number}` })) } },
      /shorten jwks$/,
    ],
  ])('that asks for private_key_jwt %s is refused', async (_, more, says) => {
    const response = await register(await startedWith(all), { token_endpoint_auth_method: 'private_key_jwt', ...more })
    expect(expectError(response, 400, 'invalid_client_metadata')).toMatch(says)
  })

  it('shows its keys as they are registered, and its secret never again', async () => {
    const host = await startedWith(all)
    const asked = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ ...key.jwk, x5c: ['junk'] }] } }
    expect((await register(host, asked)).body.jwks).toEqual(jwks)
    const { body } = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    expect(body.client_secret).toMatch(/^csis_[\w-]{43}$/)
    expect(Buffer.from(body.client_id.slice(4), 'base64url').toString()).not.toContain(body.client_secret)
  })
})

describe('a registered client', () => {
  it.each(['client_secret_basic', 'client_secret_post'])(
    'signs a customer in with the secret that it got for %s',
    async (method) => {
      const host = await startedWith(all)
      const { body } = await register(host, { token_endpoint_auth_method: method })
      const { client_id, client_secret } = body
      const signedIn = await new Authorization(host, { client_id }).allowed()
      expectError(await host.exchange(signedIn, { client_id }), 401, 'invalid_client')
      const authorization = basic(client_id, client_secret)
      const inForm = { client_id, client_secret }
      const { refresh_token } = expectTokens(
        method === 'client_secret_post'
          ? await host.exchange(signedIn, inForm)
          : await host.exchange(signedIn, { client_id: undefined }).set('Authorization', authorization),
      )
      expectError(await host.refresh(refresh_token, { client_id }), 401, 'invalid_client')
      const { access_token: token } = expectTokens(await host.refresh(refresh_token, inForm))
      expectError(await host.revoke({ client_id, token }), 401, 'invalid_client')
    },
  )

  it('keeps its secret for as long as the one that it is derived from is in keys.credentialSecrets', async () => {
    const [old, latest] = [randomBytes(32), randomBytes(32)] as const
    const host = await started({ clients: { authentication: all }, keys: { credentialSecrets: [old] } })
    const { body } = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    const { client_id, client_secret } = body
    const fields = { client_id, client_secret }
    const signedIn = await host.asCustomer({ clientId: client_id })
    let { refresh_token } = expectTokens(await host.exchange(signedIn, fields))
    const refreshWith = async (...credentialSecrets: Buffer[]) => {
      await host.signIn.setKeys({ credentialSecrets })
      const response = await host.refresh(refresh_token, fields)
      refresh_token = response.body.refresh_token ?? refresh_token
      return response
    }
    for (const listed of [
      [old, latest],
      [latest, old],
    ])
      expectTokens(await refreshWith(...listed))
    expectError(await refreshWith(latest), 401, 'invalid_client')
    expectTokens(await refreshWith(latest, old))
    const other = (await register(host, { token_endpoint_auth_method: 'client_secret_post' })).body
    await host.signIn.setKeys({ credentialSecrets: [latest] })
    const asOther = { client_id: other.client_id, client_secret: other.client_secret }
    expectTokens(await host.exchange(await host.asCustomer({ clientId: other.client_id }), asOther))
  })

  it('signs a customer in with its key', async () => {
    const host = await startedWith(all)
    const { body } = await register(host, { token_endpoint_auth_method: 'private_key_jwt', jwks })
    const { client_id } = body
    const assertion = () => withAssertion(assertionOf(key, client_id, host.issuer()))
    const signedIn = await new Authorization(host, { client_id }).allowed()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, assertion()))
    expectTokens(await host.refresh(refresh_token, assertion()))
  })

  it.each(['none', 'client_secret_post'])(
    'by the method %s can revoke its tokens, also where metadata documents are off',
    async (method) => {
      const host = await started({ clients: { documents: false, authentication: all } })
      const { client_id, client_secret } = (await register(host, { token_endpoint_auth_method: method })).body
      const fields = { client_id, client_secret }
      const signedIn = await host.asCustomer({ clientId: client_id })
      const { refresh_token, access_token } = expectTokens(await host.exchange(signedIn, fields))
      await host.revoke({ ...fields, token: access_token }).expect(200)
      expectError(await host.refresh(refresh_token, fields), 400, 'invalid_grant')
    },
  )

  it('with a secret is not the client of the same id at another tenant', async () => {
    const host = await startedWith(all)
    const { body } = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    const { client_id, client_secret } = body
    expectError(await host.refresh('csir_', { client_id, client_secret }, 'globex'), 401, 'invalid_client')
  })
})

it('a registration whose keys cannot be used any more is gone, and the operator is told why', async () => {
  const authentication = ['none', 'private_key_jwt'] as const
  const before = await started({ clients: { authentication, documents: 'with-loopback' } })
  const jwks_uri = 'http://127.0.0.1:8080/keys'
  const client_id = await registered(before, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
  const host = await started({ authenticate: asTheySay, clients: { authentication } })
  expectErrorPage(await new Authorization(host, { client_id }).open())
  const why = expect.stringContaining('jwks_uri')
  expect(await host.told('denied')).toMatchObject([{ reason: 'client_gone', detail: { clientId: client_id, why } }])
})
