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
const complete = { ...needed, baseUrl: 'https://assistant.example', keys: { signing: [signingKey] } }
const day = 86_400

/** The host's own store. No test here calls its methods. */
const databaseStore = Object.fromEntries(
  Object.getOwnPropertyNames(MemoryTokenStore.prototype).map((name) => [name, () => {}]),
)

/** Makes a server with options that no compiler has checked. */
function create(options: unknown) {
  return createCustomerSignIn(options as CustomerSignInOptions)
}

/** An option with its value, such as `{ lifetimes: { grant: 60 } }` at `lifetimes.grant`. */
function at(path: string, value: unknown): object {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
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
    const error = refusalOf({ ...complete, lifetimes: { accessToken: 3601 } })
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      option: 'lifetimes.accessToken',
      allowed: 'a whole number of seconds from 1 to 3600',
      message:
        'customer-sign-in: lifetimes.accessToken must be a whole number of seconds from 1 to 3600, but is 3601. ' +
        'See node_modules/customer-sign-in/docs/configuration.md#lifetimes',
      help: 'node_modules/customer-sign-in/docs/configuration.md#lifetimes',
    })
  })

  it('lists the options if it is given an unknown one', () => {
    const error = refusalOf({ ...complete, ttl: 60 })
    expect(error.option).toBe('ttl')
    for (const name of ['lifetimes', 'baseUrl', 'tenantStore', 'onEvent']) expect(error.message).toContain(name)
    expect(refusalOf({ ...complete, externalEndpoints: { token: 'https://a.example' } }).option).toBe(
      'externalEndpoints.token',
    )
  })

  it.each([
    ['lifetime', 'lifetimes'],
    ['accessTokenLifetime', 'lifetimes.accessToken'],
    ['refreshTokenTtl', 'lifetimes.refreshToken'],
    ['signingKey', 'keys.signing'],
    ['credentialSecrets', 'keys.credentialSecrets'],
    ['allowedClients', 'clients.allowed'],
    ['clientAuthentication', 'clients.authentication'],
    ['replaceGrants', 'grants.replace'],
    ['error_page', 'pages.error'],
    ['theme', 'pages.theme'],
    ['scope', 'scopes'],
    ['baseURL', 'baseUrl'],
    ['onevents', 'onEvent'],
  ])('asks of %s whether it was meant to be %s', (misspelt, meant) => {
    const { message } = refusalOf({ ...complete, [misspelt]: 1 })
    expect(message).toContain(
      `customer-sign-in: ${misspelt} is not an option. Did you mean ${meant}? The options are tenantStore, `,
    )
  })

  it.each([
    ['keys', 'signin', 'Did you mean signing? The members are signing and credentialSecrets'],
    ['lifetimes', 'code', 'The members are accessToken, refreshToken, authorizationCode and grant'],
    ['clients', 'regstration', 'Did you mean registration? The members are registration, documents, '],
    ['grants', 'max', 'The members are perClient and replace'],
    ['pages', 'Theme', 'Did you mean theme? The members are consent, error, '],
  ])('lists the members of %s if it is given the unknown one %s', (group, unknown, says) => {
    const error = refusalOf({ ...complete, [group]: { [unknown]: 1 } })
    expect(error.option).toBe(`${group}.${unknown}`)
    expect(error.message).toContain(`${group}.${unknown} is not a member of ${group}. ${says}`)
    expect(refusalOf({ ...complete, [group]: null }).message).toContain(`${group} must be an object, but is null. See `)
  })

  it('suggests nothing for a name that is similar to none', () => {
    expect(refusalOf({ ...complete, pkce: true }).message).toContain(
      'customer-sign-in: pkce is not an option. The options are tenantStore,',
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
      { scopes: { profile: { implies: ['mail'] } } },
      'scopes.profile.implies has "mail", which the option scopes does not have',
    ],
    [
      { scopes: { a: { implies: ['b'] }, b: { implies: ['a'] } } },
      'scopes.a.implies leads back to a, directly or by way of others',
    ],
    [{ clients: { appRedirects: 'cursor' } }, 'clients.appRedirects must be an array, but is a string of 6 characters'],
    [
      { keys: { credentialSecrets: [] } },
      'keys.credentialSecrets must be an array of 1 to 4 secrets, but is an array of 0 items',
    ],
    [{ clients: { registration: 'yes' } }, 'clients.registration must be true or false, but is "yes"'],
    [
      { clients: { documents: 'yes' } },
      `clients.documents must be true, false, 'with-loopback' or { ports }, but is "yes"`,
    ],
    [
      { clients: { allowed: { documentHosts: ['https://claude.ai'] } } },
      'clients.allowed.documentHosts[0] must be a host in lower case, such as claude.ai, without scheme, port and path; localhost for every loopback address, but is "https://claude.ai"',
    ],
    [
      { clients: { blocked: { hosts: ['claude.ai'] } } },
      'clients.blocked.hosts is not a member of clients.blocked. The members are clientIds, documentHosts and redirectHosts',
    ],
    [{ externalEndpoints: null }, 'externalEndpoints must be an object, but is null'],
    [
      { externalEndpoints: { token: 'https://a.example' } },
      'externalEndpoints.token is not a member of externalEndpoints. The members are authorization, registration and revocation',
    ],
    [
      { clients: { documents: { port: [443] } } },
      'clients.documents.port is not a member of clients.documents. Did you mean ports? The only member is ports',
    ],
    [
      { tokenStore: Object.assign(new MemoryTokenStore(), { findGrant: undefined, useOnce: 1 }) },
      'tokenStore must be an object with the methods createGrant, findGrant, swapCredential, reverseSwap, deleteGrant, listGrants, ' +
        'deleteGrants and useOnce, but has no findGrant and useOnce',
    ],
    [
      { clients: { authentication: [] } },
      'clients.authentication must be an array of at least one method, or omitted, but is an array of 0 items',
    ],
    [
      { clients: { authentication: ['client_secret_jwt'] } },
      'clients.authentication[0] must be none, private_key_jwt, client_secret_basic or client_secret_post, but is "client_secret_jwt"',
    ],
    [
      { clients: { authentication: ['none', 'none'] } },
      'clients.authentication[1] is "none", which the list has already',
    ],
    [
      { clients: { authentication: ['none', 'client_secret_post'] } },
      'keys.credentialSecrets is missing: it must be set, because clients that register get a secret for client_secret_post (clients.authentication), unless clients.registration is false',
    ],
    [{ hostTimeout: 'soon' }, 'hostTimeout must be a number of seconds from 0.1 to 60, but is "soon"'],
  ])('reads like English: %j', (wrong, message) => {
    expect(refusalOf({ ...complete, ...wrong }).message).toContain(`customer-sign-in: ${message}. See node_modules/`)
  })

  it.each([true, false, 'with-loopback', { ports: [443] }, { ports: [1, 65_535] }])(
    'takes %j for clients.documents',
    (documents) => {
      create({ ...complete, clients: { documents } })
    },
  )

  it.each([
    ['yes', 'clients.documents'],
    [null, 'clients.documents'],
    [[443], 'clients.documents'],
    [{}, 'clients.documents.ports'],
    [{ ports: [] }, 'clients.documents.ports'],
    [{ ports: 443 }, 'clients.documents.ports'],
    [{ ports: [0] }, 'clients.documents.ports'],
    [{ ports: [65_536] }, 'clients.documents.ports'],
    [{ ports: ['443'] }, 'clients.documents.ports'],
    [{ ports: [443.5] }, 'clients.documents.ports'],
    [{ ports: [443], loopback: true }, 'clients.documents.loopback'],
  ])('refuses %j for clients.documents', (documents, option) => {
    expect(refusalOf({ ...complete, clients: { documents } }).option).toBe(option)
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
    ['lifetimes.accessToken', 1, 3600],
    ['lifetimes.refreshToken', 1, 30 * day],
    ['lifetimes.grant', 1, 3650 * day],
    ['lifetimes.authorizationCode', 1, 600],
    ['refreshRetryWindow', 0, 3900],
    ['hostTimeout', 0.1, 60],
  ])('accepts %s from %d to %d seconds', (option, least, most) => {
    for (const within of [least, most]) create({ ...complete, ...at(option, within) })
    for (const beyond of [least - 1, least - 0.01, most + 1, Number.NaN, Number.POSITIVE_INFINITY, `${least}`, null]) {
      expect(refusalOf({ ...complete, ...at(option, beyond) }).option).toBe(option)
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
    ['a signing key that is not in a list', 'keys.signing', { keys: { signing: signingKey } }],
    ['no signing keys', 'keys.signing', { keys: { signing: [] } }],
    ['a secret that is not in a list', 'keys.credentialSecrets', { keys: { credentialSecrets: 'x'.repeat(32) } }],
    ['no secrets', 'keys.credentialSecrets', { keys: { credentialSecrets: [] } }],
    ['a secret that is neither', 'keys.credentialSecrets[0]', { keys: { credentialSecrets: [new Uint8Array(32)] } }],
    [
      'five secrets',
      'keys.credentialSecrets',
      { keys: { credentialSecrets: Array.from('12345', (text) => text + '0123456789'.repeat(4)) } },
    ],
    [
      'a secret of 31 bytes',
      'keys.credentialSecrets[1]',
      { keys: { credentialSecrets: ['0123456789'.repeat(4), 'x'.repeat(31)] } },
    ],
    [
      'a secret of 31 bytes in a Buffer',
      'keys.credentialSecrets[0]',
      { keys: { credentialSecrets: [Buffer.alloc(31)] } },
    ],
    ['scopes that are not a list', 'scopes', { scopes: 'profile' }],
    ['a scope with a space', 'scopes[0]', { scopes: ['a b'] }],
    ['a scope with a quote', 'scopes[0]', { scopes: ['a"b'] }],
    ['an empty scope', 'scopes[1]', { scopes: ['profile', ''] }],
    [
      'an implied scope that is not in a list',
      'scopes.profile.implies',
      { scopes: { profile: { implies: 'profile' } } },
    ],
    ['an implied scope with a space', 'scopes.profile.implies[0]', { scopes: { profile: { implies: ['a b'] } } }],
    ['a scope with a space that implies others', 'scopes', { scopes: { 'a b': { implies: [] } } }],
    ['an unknown implied scope', 'scopes.profile.implies', { scopes: { profile: { implies: ['toString'] } } }],
    ['a scope that implies itself', 'scopes.profile.implies', { scopes: { profile: { implies: ['profile'] } } }],
    [
      'scopes that imply each other',
      'scopes.a.implies',
      { scopes: { a: { implies: ['b'] }, b: { implies: ['c'] }, c: { implies: ['a'] } } },
    ],
    ['endpoints that are one address', 'externalEndpoints', { externalEndpoints: 'https://a.example' }],
    ['an endpoint that is a path', 'externalEndpoints.revocation', { externalEndpoints: { revocation: '/revoke' } }],
    [
      'an endpoint with a password',
      'externalEndpoints.registration',
      { externalEndpoints: { registration: 'https://a:b@c.example' } },
    ],
    ['clients without a list', 'clients.allowed', { clients: { allowed: ['claude.ai'] } }],
    [
      'one host in place of a list',
      'clients.allowed.redirectHosts',
      { clients: { allowed: { redirectHosts: 'claude.ai' } } },
    ],
    ['a client id that is none', 'clients.blocked.clientIds[0]', { clients: { blocked: { clientIds: ['é'] } } }],
    [
      'a host with a port',
      'clients.blocked.redirectHosts[0]',
      { clients: { blocked: { redirectHosts: ['claude.ai:443'] } } },
    ],
    [
      'a scheme as a document host',
      'clients.allowed.documentHosts[0]',
      { clients: { allowed: { documentHosts: ['cursor:'] } } },
    ],
    ['a whole scheme of an app', 'clients.appRedirects[0]', { clients: { appRedirects: ['cursor://'] } }],
    ['the name of a scheme', 'clients.appRedirects[1]', { clients: { appRedirects: ['cursor://x/', 'vscode'] } }],
    [
      'a web address of an app',
      'clients.appRedirects[0]',
      { clients: { appRedirects: ['https://assistant.example/'] } },
    ],
    ['an app’s address that is not in a list', 'clients.appRedirects', { clients: { appRedirects: 'cursor://x/' } }],
    ['claims instead of a function', 'accessTokenClaims', { accessTokenClaims: { plan: 'gold' } }],
    ['the name of a function', 'onEvent', { onEvent: 'console.log' }],
  ])('refuses %s, by the name %s', (_, name, wrong) => {
    expect(refusalOf({ ...complete, ...wrong }).option).toBe(name)
  })

  it('needs no credentialSecrets where clients register elsewhere', () => {
    const clients = { authentication: ['none', 'client_secret_post'] }
    create({ ...complete, clients, externalEndpoints: { registration: 'https://register.example' } })
  })

  it('accepts a refreshRetryWindow of up to 300 s more than an access token lives', () => {
    const options = { ...complete, lifetimes: { accessToken: 600 } }
    create({ ...options, refreshRetryWindow: 900 })
    expect(refusalOf({ ...options, refreshRetryWindow: 901 }).message).toContain(
      'refreshRetryWindow must be at most lifetimes.accessToken + 300, here 900, but is 901. See ',
    )
  })

  it.each(['https://assistant.example', 'http://localhost:3000', 'https://assistant.example/auth', 'https://[::1]/'])(
    'takes %s as baseUrl',
    (baseUrl) => {
      create({ ...complete, baseUrl })
    },
  )

  it('takes scopes that imply others, step by step and at once', () => {
    create({ ...complete, scopes: { a: { implies: ['b', 'c'] }, b: { implies: ['c'] }, c: 'See everything' } })
  })

  it('treats an option that is undefined as left out', () => {
    const optional = Object.fromEntries(
      ['lifetimes', 'externalEndpoints', 'scopes', 'onEvent', 'pages'].map((name) => [name, undefined]),
    )
    create({ ...complete, ...optional })
    create({ ...complete, ...at('lifetimes.grant', undefined), ...at('pages.consent', undefined) })
  })
})

describe('an error at start-up does not quote', () => {
  const pem = signingKey.export({ format: 'pem', type: 'pkcs8' }).toString()

  it.each<[string, Record<string, unknown>, string]>([
    ['a key that is not in a list', { keys: { signing: pem } }, pem.split('\n')[1] ?? ''],
    ['a key that is cut off', { keys: { signing: [pem.slice(0, -60)] } }, pem.split('\n')[1] ?? ''],
    ['a secret that is not in a list', { keys: { credentialSecrets: 'hunter2' } }, 'hunter2'],
    ['a secret that is too short', { keys: { credentialSecrets: ['hunter2'] } }, 'hunter2'],
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

  it.each(['baseUrl', 'keys.signing'])('%s is required', (option) => {
    const error = refusalOf({ ...complete, ...at(option, undefined) })
    expect(error.option).toBe(option)
    expect(error.message).toContain('production')
  })

  it('baseUrl must be https, except on loopback', () => {
    const error = refusalOf({ ...complete, baseUrl: 'http://assistant.example' })
    expect(error.option).toBe('baseUrl')
    expect(error.message).toContain(
      'baseUrl must be an https address in production (NODE_ENV), except on loopback, but is "http://assistant.example"',
    )
    expect(refusalOf({ ...complete, baseUrl: 'http://localhost.example' }).option).toBe('baseUrl')
    for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
      create({ ...complete, baseUrl })
    }
  })

  it('metadata documents are never fetched from the machine itself', () => {
    expect(refusalOf({ ...complete, clients: { documents: 'with-loopback' } }).message).toContain(
      'customer-sign-in: clients.documents must be true, false or { ports } in production (NODE_ENV), but is "with-loopback". See ',
    )
    for (const documents of [true, false, { ports: [443, 8443] }]) create({ ...complete, clients: { documents } })
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
        expect.stringContaining('keys.signing'),
        expect.objectContaining({ type: 'CustomerSignInWarning', code: 'CUSTOMER_SIGN_IN_SIGNING_KEYS' }),
      ],
    ])
  })

  it('a server that made nothing up does not warn', () => {
    create({ ...complete, baseUrl: 'http://assistant.example' })
    expect(warned).not.toHaveBeenCalled()
  })

  it('each server makes its own signing key', async () => {
    const [first, second] = [
      await started({ keys: { signing: undefined } }),
      await started({ keys: { signing: undefined } }),
    ]
    const { access_token } = await first.connected()
    await first.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    await expect(second.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})
