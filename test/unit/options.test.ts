import {
  ConfigurationError,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
} from 'customer-sign-in'
import { signingKey } from '../support/sign-in'
import { started } from '../support/started'

const needed = { tenantStore: new MemoryTenantStore([]), tokenStore: new MemoryTokenStore() }
const complete = { ...needed, baseUrl: 'https://assistant.example', signingKeys: [signingKey] }
const day = 86_400

/** The host's own store. No test here calls its methods. */
const databaseStore = Object.fromEntries(
  Object.getOwnPropertyNames(MemoryTokenStore.prototype).map((name) => [name, () => {}]),
)

/** Makes a server with options that no compiler has checked. */
function create(options: unknown) {
  return createCustomerSignIn(options as CustomerSignInOptions)
}

/** The error with which the server refuses these options at start-up. */
function refusalOf(options: unknown): ConfigurationError {
  try {
    create(options)
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
  throw new Error('The options were accepted')
}

const nodeEnv = process.env.NODE_ENV
let warned: jest.SpyInstance
beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation()
})
afterEach(() => {
  process.env.NODE_ENV = nodeEnv
  jest.restoreAllMocks()
})

describe('a tenantStore that finds tenants by their host', () => {
  const tenantStore = { findTenant: () => null, findTenantByHost: () => null }

  it('needs a baseUrl, which must not come from the requests then', () => {
    const error = refusalOf({ ...needed, tenantStore })
    expect(error).toMatchObject({ option: 'baseUrl', allowed: 'set, because tenantStore has findTenantByHost' })
    expect(() => create({ ...complete, tenantStore })).not.toThrow()
  })

  it('must do so by a function', () => {
    const error = refusalOf({ ...complete, tenantStore: { ...tenantStore, findTenantByHost: {} } })
    expect(error).toMatchObject({ option: 'tenantStore.findTenantByHost', allowed: 'a function' })
  })
})

describe('createCustomerSignIn', () => {
  it('says which option is wrong, what was given and what is allowed', () => {
    const error = refusalOf({ ...complete, accessTokenLifetime: 3601 })
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      option: 'accessTokenLifetime',
      allowed: 'a whole number of seconds from 1 to 3600',
      message:
        'customer-sign-in: accessTokenLifetime must be a whole number of seconds from 1 to 3600, but is 3601. ' +
        'See node_modules/customer-sign-in/docs/configuration.md#lifetimes',
      help: 'node_modules/customer-sign-in/docs/configuration.md#lifetimes',
    })
  })

  it('lists the options if it is given an unknown one', () => {
    const error = refusalOf({ ...complete, accessTokenTtl: 60 })
    expect(error.option).toBe('accessTokenTtl')
    for (const name of ['accessTokenLifetime', 'baseUrl', 'tenantStore', 'onEvent'])
      expect(error.message).toContain(name)
    expect(refusalOf({ ...complete, externalEndpoints: { token: 'https://a.example' } }).option).toBe(
      'externalEndpoints.token',
    )
  })

  it.each([
    ['accessTokenLiftime', 'accessTokenLifetime'],
    ['signingKey', 'signingKeys'],
    ['scope', 'scopes'],
    ['baseURL', 'baseUrl'],
    ['onevents', 'onEvent'],
  ])('asks of %s whether it was meant to be %s', (misspelt, meant) => {
    const { message } = refusalOf({ ...complete, [misspelt]: 1 })
    expect(message).toContain(
      `customer-sign-in: ${misspelt} is not an option. Did you mean ${meant}? The options are tenantStore, `,
    )
  })

  it('suggests nothing for a name that is similar to none', () => {
    expect(refusalOf({ ...complete, accessTokenTtl: 60 }).message).toContain(
      'customer-sign-in: accessTokenTtl is not an option. The options are tenantStore,',
    )
    expect(refusalOf({ ...complete, ['x'.repeat(100_000)]: 60 }).message).toContain('is not an option. The options are')
  })

  it.each([
    [
      { baseUrl: 'assistant.example' },
      'baseUrl must be an absolute http or https URL without credentials or fragment, but is "assistant.example"',
    ],
    [{ tenantStore: undefined }, 'tenantStore is missing: it must be an object with the method findTenant'],
    [
      { scopes: ['a b'] },
      'scopes[0] must be a scope token: printable ASCII without spaces, quotes and backslashes, but is "a b"',
    ],
    [
      { impliedScopes: { profile: ['mail'] } },
      'impliedScopes.profile has "mail", which the option scopes does not have',
    ],
    [
      { scopes: ['a', 'b'], impliedScopes: { a: ['b'], b: ['a'] } },
      'impliedScopes.a implies itself, directly or by way of others',
    ],
    [{ appRedirects: 'cursor' }, 'appRedirects must be an array, but is a string of 6 characters'],
    [{ credentialSecrets: [] }, 'credentialSecrets must be an array of 1 to 4 secrets, but is an array of 0 items'],
    [{ registration: 'yes' }, 'registration must be true or false, but is "yes"'],
    [
      { allowedClients: { documentHosts: ['https://claude.ai'] } },
      'allowedClients.documentHosts[0] must be a host in lower case, such as claude.ai, without scheme, port and path; localhost for every loopback address, but is "https://claude.ai"',
    ],
    [
      { blockedClients: { hosts: ['claude.ai'] } },
      'blockedClients.hosts is not a member of blockedClients. The members are clientIds, documentHosts and redirectHosts',
    ],
    [{ externalEndpoints: null }, 'externalEndpoints must be an object, but is null'],
    [
      { externalEndpoints: { token: 'https://a.example' } },
      'externalEndpoints.token is not a member of externalEndpoints. The members are authorization, registration and revocation',
    ],
    [
      { metadataDocuments: { port: [443] } },
      'metadataDocuments.port is not a member of metadataDocuments. Did you mean ports? The only member is ports',
    ],
    [
      { tokenStore: Object.assign(new MemoryTokenStore(), { findGrant: undefined, useOnce: 1 }) },
      'tokenStore must be an object with the methods createGrant, findGrant, swapCredential, reverseSwap, deleteGrant, listGrants, ' +
        'deleteGrants and useOnce, but has no findGrant and useOnce',
    ],
    [
      { clientAuthentication: [] },
      'clientAuthentication must be an array of at least one method, or omitted, but is an array of 0 items',
    ],
    [
      { clientAuthentication: ['client_secret_jwt'] },
      'clientAuthentication[0] must be none, private_key_jwt, client_secret_basic or client_secret_post, but is "client_secret_jwt"',
    ],
    [{ clientAuthentication: ['none', 'none'] }, 'clientAuthentication[1] is "none", which the list has already'],
    [
      { clientAuthentication: ['none', 'client_secret_post'] },
      'credentialSecrets is missing: it must be set, because clients that register get a secret for client_secret_post (clientAuthentication), unless registration is false',
    ],
    [{ hostTimeout: 'soon' }, 'hostTimeout must be a number of seconds from 0.1 to 60, but is "soon"'],
  ])('reads like English: %j', (wrong, message) => {
    expect(refusalOf({ ...complete, ...wrong }).message).toContain(`customer-sign-in: ${message}. See node_modules/`)
  })

  it.each([true, false, 'with-loopback', { ports: [443] }, { ports: [1, 65_535] }])(
    'takes %j for metadataDocuments',
    (metadataDocuments) => {
      create({ ...complete, metadataDocuments })
    },
  )

  it.each([
    ['yes', 'metadataDocuments'],
    [null, 'metadataDocuments'],
    [[443], 'metadataDocuments'],
    [{}, 'metadataDocuments.ports'],
    [{ ports: [] }, 'metadataDocuments.ports'],
    [{ ports: 443 }, 'metadataDocuments.ports'],
    [{ ports: [0] }, 'metadataDocuments.ports'],
    [{ ports: [65_536] }, 'metadataDocuments.ports'],
    [{ ports: ['443'] }, 'metadataDocuments.ports'],
    [{ ports: [443.5] }, 'metadataDocuments.ports'],
    [{ ports: [443], loopback: true }, 'metadataDocuments.loopback'],
  ])('refuses %j for metadataDocuments', (metadataDocuments, option) => {
    expect(refusalOf({ ...complete, metadataDocuments }).option).toBe(option)
  })

  it.each(['tenantStore', 'tokenStore'])('requires %s', (option) => {
    const error = refusalOf({ ...complete, [option]: undefined })
    expect(error.option).toBe(option)
    expect(error.message).toContain('missing')
  })

  it.each([undefined, null, 'options', 7])('requires an object as its options, not %j', (options) => {
    const { message } = refusalOf(options)
    expect(message).toMatch(
      /^customer-sign-in: options (must be an object, but is .+|is missing: it must be an object)\. See /,
    )
  })

  it.each<[string, number, number]>([
    ['accessTokenLifetime', 1, 3600],
    ['refreshTokenLifetime', 1, 30 * day],
    ['grantLifetime', 1, 3650 * day],
    ['authorizationCodeLifetime', 1, 600],
    ['refreshRetryWindow', 0, 3900],
    ['replayTolerance', 0, 60],
    ['hostTimeout', 0.1, 60],
  ])('accepts %s from %d to %d seconds', (option, least, most) => {
    for (const within of [least, most]) create({ ...complete, [option]: within })
    for (const beyond of [least - 1, least - 0.01, most + 1, Number.NaN, Number.POSITIVE_INFINITY, `${least}`, null]) {
      expect(refusalOf({ ...complete, [option]: beyond }).option).toBe(option)
    }
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['a tenant store without its method', 'tenantStore', { tenantStore: {} }],
    ['null for a tenant store', 'tenantStore', { tenantStore: null }],
    ['a token store without some of its methods', 'tokenStore', { tokenStore: { findGrant: () => undefined } }],
    ['a baseUrl without a scheme', 'baseUrl', { baseUrl: 'assistant.example' }],
    ['a baseUrl that is a path', 'baseUrl', { baseUrl: '/auth' }],
    ['a baseUrl of another scheme', 'baseUrl', { baseUrl: 'ftp://assistant.example' }],
    ['a baseUrl with a query', 'baseUrl', { baseUrl: 'https://assistant.example/?a=b' }],
    ['a baseUrl with a fragment', 'baseUrl', { baseUrl: 'https://assistant.example/#a' }],
    ['a baseUrl behind a space', 'baseUrl', { baseUrl: ' https://assistant.example' }],
    ['a baseUrl with the end of its line', 'baseUrl', { baseUrl: 'https://assistant.example\n' }],
    ['a baseUrl without slashes', 'baseUrl', { baseUrl: 'https:assistant.example' }],
    ['a baseUrl that is no text', 'baseUrl', { baseUrl: new URL('https://assistant.example') }],
    ['a signing key that is not in a list', 'signingKeys', { signingKeys: signingKey }],
    ['no signing keys', 'signingKeys', { signingKeys: [] }],
    ['a secret that is not in a list', 'credentialSecrets', { credentialSecrets: 'x'.repeat(32) }],
    ['no secrets', 'credentialSecrets', { credentialSecrets: [] }],
    ['a secret that is neither', 'credentialSecrets[0]', { credentialSecrets: [new Uint8Array(32)] }],
    ['five secrets', 'credentialSecrets', { credentialSecrets: Array.from('12345', (text) => text.repeat(32)) }],
    ['a secret of 31 bytes', 'credentialSecrets[1]', { credentialSecrets: ['x'.repeat(32), 'x'.repeat(31)] }],
    ['a secret of 31 bytes in a Buffer', 'credentialSecrets[0]', { credentialSecrets: [Buffer.alloc(31)] }],
    ['scopes that are not a list', 'scopes', { scopes: 'profile' }],
    ['a scope with a space', 'scopes[0]', { scopes: ['a b'] }],
    ['a scope with a quote', 'scopes[0]', { scopes: ['a"b'] }],
    ['an empty scope', 'scopes[1]', { scopes: ['profile', ''] }],
    ['implied scopes in a list', 'impliedScopes', { impliedScopes: ['profile'] }],
    ['an implied scope that is not in a list', 'impliedScopes.profile', { impliedScopes: { profile: 'profile' } }],
    ['an implied scope with a space', 'impliedScopes.profile[0]', { impliedScopes: { profile: ['a b'] } }],
    ['a scope with a space that implies others', 'impliedScopes', { impliedScopes: { 'a b': ['profile'] } }],
    ['an unknown scope that implies others', 'impliedScopes.admin', { impliedScopes: { admin: ['profile'] } }],
    ['an unknown implied scope', 'impliedScopes.profile', { impliedScopes: { profile: ['toString'] } }],
    ['a scope that implies itself', 'impliedScopes.profile', { impliedScopes: { profile: ['profile'] } }],
    [
      'scopes that imply each other',
      'impliedScopes.a',
      { scopes: ['a', 'b', 'c'], impliedScopes: { a: ['b'], b: ['c'], c: ['a'] } },
    ],
    ['endpoints that are one address', 'externalEndpoints', { externalEndpoints: 'https://a.example' }],
    ['an endpoint that is a path', 'externalEndpoints.revocation', { externalEndpoints: { revocation: '/revoke' } }],
    [
      'an endpoint with a password',
      'externalEndpoints.registration',
      { externalEndpoints: { registration: 'https://a:b@c.example' } },
    ],
    ['clients without a list', 'allowedClients', { allowedClients: ['claude.ai'] }],
    ['one host in place of a list', 'allowedClients.redirectHosts', { allowedClients: { redirectHosts: 'claude.ai' } }],
    ['a client id that is none', 'blockedClients.clientIds[0]', { blockedClients: { clientIds: ['é'] } }],
    ['a host with a port', 'blockedClients.redirectHosts[0]', { blockedClients: { redirectHosts: ['claude.ai:443'] } }],
    [
      'a scheme as a document host',
      'allowedClients.documentHosts[0]',
      { allowedClients: { documentHosts: ['cursor:'] } },
    ],
    ['a whole scheme of an app', 'appRedirects[0]', { appRedirects: ['cursor://'] }],
    ['the name of a scheme', 'appRedirects[1]', { appRedirects: ['cursor://x/', 'vscode'] }],
    ['a web address of an app', 'appRedirects[0]', { appRedirects: ['https://assistant.example/'] }],
    ['an app’s address that is not in a list', 'appRedirects', { appRedirects: 'cursor://x/' }],
    ['claims instead of a function', 'accessTokenClaims', { accessTokenClaims: { plan: 'gold' } }],
    ['the name of a function', 'onEvent', { onEvent: 'console.log' }],
  ])('refuses %s, by the name %s', (_, name, wrong) => {
    expect(refusalOf({ ...complete, ...wrong }).option).toBe(name)
  })

  it('accepts a refreshRetryWindow of up to 300 s more than an access token lives', () => {
    const options = { ...complete, accessTokenLifetime: 600 }
    create({ ...options, refreshRetryWindow: 900 })
    expect(refusalOf({ ...options, refreshRetryWindow: 901 }).message).toContain(
      'refreshRetryWindow must be at most accessTokenLifetime + 300, here 900, but is 901. See ',
    )
  })

  it.each(['https://assistant.example', 'http://localhost:3000', 'https://assistant.example/auth', 'https://[::1]/'])(
    'takes %s as baseUrl',
    (baseUrl) => {
      create({ ...complete, baseUrl })
    },
  )

  it('takes scopes that imply others, step by step and at once', () => {
    create({ ...complete, scopes: ['a', 'b', 'c'], impliedScopes: { a: ['b', 'c'], b: ['c'], c: [] } })
  })

  it('treats an option that is undefined as left out', () => {
    const optional = Object.fromEntries(
      ['grantLifetime', 'externalEndpoints', 'scopes', 'onEvent', 'credentialSecrets'].map((name) => [name, undefined]),
    )
    create({ ...complete, ...optional })
  })
})

describe('an error at start-up does not quote', () => {
  const pem = signingKey.export({ format: 'pem', type: 'pkcs8' }).toString()

  it.each<[string, Record<string, unknown>, string]>([
    ['a key that is not in a list', { signingKeys: pem }, pem.split('\n')[1] ?? ''],
    ['a key that is cut off', { signingKeys: [pem.slice(0, -60)] }, pem.split('\n')[1] ?? ''],
    ['a secret that is not in a list', { credentialSecrets: 'hunter2' }, 'hunter2'],
    ['a secret that is too short', { credentialSecrets: ['hunter2'] }, 'hunter2'],
    ['a number under a misspelt name', { credentialPin: 48151623 }, '48151623'],
    ['a key under a misspelt name', { signingKey: pem }, pem.split('\n')[1] ?? ''],
    ['a secret under a misspelt name', { credentialSecret: 'hunter2' }, 'hunter2'],
    ['a secret under a name that there is not', { clientSecret: 'hunter2' }, 'hunter2'],
    ['the address of a store in its place', { tokenStore: 'redis://default:hunter2@redis:6379' }, 'hunter2'],
    ['a public address with a password', { baseUrl: 'https://user:hunter2@assistant.example' }, 'hunter2'],
  ])('%s', (_, options, secret) => {
    const { message, stack, option, allowed, cause } = refusalOf({ ...complete, ...options })
    expect(JSON.stringify({ message, stack, option, allowed, cause })).not.toContain(secret)
  })
})

describe('in production', () => {
  beforeEach(() => {
    process.env.NODE_ENV = 'production'
  })

  it.each(['baseUrl', 'signingKeys'])('%s is required', (option) => {
    const error = refusalOf({ ...complete, [option]: undefined })
    expect(error.option).toBe(option)
    expect(error.message).toContain('production')
  })

  it('baseUrl must be https, except on loopback', () => {
    expect(refusalOf({ ...complete, baseUrl: 'http://assistant.example' }).option).toBe('baseUrl')
    expect(refusalOf({ ...complete, baseUrl: 'http://localhost.example' }).option).toBe('baseUrl')
    for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
      create({ ...complete, baseUrl })
    }
  })

  it('metadata documents are never fetched from the machine itself', () => {
    expect(refusalOf({ ...complete, metadataDocuments: 'with-loopback' }).message).toContain(
      'customer-sign-in: metadataDocuments must be true, false or { ports } in production (NODE_ENV), but is "with-loopback". See ',
    )
    for (const metadataDocuments of [true, false, { ports: [443, 8443] }]) create({ ...complete, metadataDocuments })
  })

  it('nothing else is required, and there is no warning', () => {
    create({ ...complete, tokenStore: databaseStore })
    expect(warned).not.toHaveBeenCalled()
  })

  it('a store in memory causes a warning, because every sign-in ends with the process', () => {
    create(complete)
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('MemoryTokenStore'), expect.objectContaining({ code: 'CUSTOMER_SIGN_IN_MEMORY_STORE' })],
    ])
  })
})

describe('outside production', () => {
  it('a server starts with only its stores, and warns about the values that it made up', () => {
    create(needed)
    expect(warned.mock.calls).toEqual([
      [
        expect.stringContaining('baseUrl'),
        expect.objectContaining({ type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_BASE_URL' }),
      ],
      [
        expect.stringContaining('signingKeys'),
        expect.objectContaining({ type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_SIGNING_KEYS' }),
      ],
    ])
  })

  it('a server that made nothing up does not warn', () => {
    create({ ...complete, baseUrl: 'http://assistant.example' })
    expect(warned).not.toHaveBeenCalled()
  })

  it('each server makes its own signing key', async () => {
    const [first, second] = [await started({ signingKeys: undefined }), await started({ signingKeys: undefined })]
    const { access_token } = await first.connected()
    await first.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    await expect(second.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})
