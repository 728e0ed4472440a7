// The options of a host, and the mistakes that the compiler finds.
import { createPrivateKey } from 'node:crypto'
import {
  type AccessTokenRequest,
  type ClientAuthenticationMethod,
  type ClientCredentials,
  type ClientSecret,
  type ConsentRequest,
  type CustomerSignInOptions,
  createCustomerSignIn,
  type JsonWebKeySet,
  type KnownAssistant,
  knownAssistants,
  MemoryTenantStore,
  MemoryTokenStore,
  newClientSecret,
  OAuthError,
  type ShownError,
  type SignInRequest,
  type SigningAlgorithm,
  type Tenant,
  type TenantStore,
} from 'customer-sign-in'
import type { Request, Response } from 'express'

const tenantStore = new MemoryTenantStore([])
const tokenStore = new MemoryTokenStore({ maxGrants: 1000 })
const least = { tenantStore, tokenStore }

createCustomerSignIn(least)

createCustomerSignIn({
  ...least,
  baseUrl: 'https://assistant.example',
  keys: {
    signing: ['PEM', Buffer.from('PEM'), { kty: 'EC', crv: 'P-256' }, createPrivateKey('PEM')],
    credentialSecrets: ['a'.repeat(32), Buffer.alloc(32)],
  },
  lifetimes: { accessToken: 600, refreshToken: 86_400, grant: 31_536_000, authorizationCode: 60 },
  refreshRetryWindow: 10,
  scopes: ['profile', 'calendar'],
  clients: { authentication: ['none', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'] },
  externalEndpoints: { authorization: 'https://login.example/authorize' },
  accessTokenClaims: ({ tenant, subject, grantType }: AccessTokenRequest) => {
    if (grantType === 'refresh_token' && subject === '') throw new OAuthError('invalid_grant', 'Deactivated')
    return { plan: tenant.name }
  },
  onEvent: () => {},
  hostTimeout: 2.5,
})

// The company's own backend authenticates with a secret, and its partner with a key.
const { secret, hash }: ClientSecret = newClientSecret()
const methods: readonly ClientAuthenticationMethod[] = ['private_key_jwt', 'client_secret_basic']
const keys: JsonWebKeySet = { keys: [{ kty: 'EC', crv: 'P-256', x: '', y: '', kid: secret }] }
const credentials: ClientCredentials = { secretHashes: [hash], jwks: keys }
createCustomerSignIn({
  ...least,
  clients: { authentication: methods },
  tenantStore: new MemoryTenantStore([
    {
      key: 'acme',
      clients: [
        { clientId: 'backend', redirectUris: [], ...credentials },
        { clientId: 'partner', redirectUris: [], jwksUri: 'https://partner.example/jwks', secretHashes: null },
      ],
    },
  ]),
})

// @ts-expect-error No client authenticates this way.
createCustomerSignIn({ ...least, clients: { authentication: ['client_secret_jwt'] } })

// A host writes its hooks against the types of its framework.
createCustomerSignIn({
  ...least,
  scopes: { profile: 'Know who you are', calendar: 'Read your calendar' },
  authenticate: ({ headers }: Request, res: Response, { url, prompt }: SignInRequest) => {
    if (headers.cookie && !prompt.includes('login')) return { subject: 'customer-1', name: 'Ada', claims: {} }
    res.redirect(`/login?next=${encodeURIComponent(url)}`)
    return undefined
  },
  pages: {
    consent: (_req, _res, { customer, client, scopes }: ConsentRequest) =>
      customer.subject === client.clientId && scopes.includes('profile'),
    askConsent: 'once',
    error: (_req, res: Response, { status, tenant, tryAgain }: ShownError) =>
      res.render('error', { status, company: tenant?.name, tryAgain }),
  },
  clients: {
    registration: false,
    documents: 'with-loopback',
    fetch: (url, signal) => fetch(url, { signal, redirect: 'manual' }),
    known: [
      ...knownAssistants,
      { document: { client_id: 'https://a.example/b', client_name: 'A', redirect_uris: ['https://a.example/c'] } },
    ],
    appRedirects: ['cursor://anysphere.cursor-mcp/oauth/'],
  },
})
createCustomerSignIn({
  ...least,
  authenticate: async () => null,
  pages: { consent: false },
  clients: { documents: false },
})
createCustomerSignIn({
  ...least,
  authenticate: (_req, res: Response) => res.redirect('/login'),
  pages: { consent: () => {} },
})
createCustomerSignIn({ ...least, clients: { documents: { ports: [443, 8443] } } })

// Read-only lists and asynchronous hooks are accepted too.
const frozen = { scopes: ['profile'], keys: { signing: ['PEM'], credentialSecrets: ['secret'] } } as const
createCustomerSignIn({
  ...least,
  ...frozen,
  accessTokenClaims: async () => ({ plan: 'gold' }),
  onEvent: async () => {},
})

const acme: Tenant = { key: 'acme' }
export const tenantStores: TenantStore[] = [
  { findTenant: () => acme },
  { findTenant: () => null },
  { findTenant: () => undefined },
  { findTenant: async (tenantKey: string) => (tenantKey === 'acme' ? acme : null) },
  { findTenant: () => acme, findTenantByHost: () => null },
  {
    findTenant: () => acme,
    findTenantByHost: async (host: string) => (host === 'assistant.acme.com' ? acme : undefined),
  },
  new (class extends MemoryTenantStore {})([acme]),
]

export const algorithms: SigningAlgorithm[] = ['ES256', 'ES384', 'RS256', 'PS256']

// @ts-expect-error Both stores are required.
createCustomerSignIn({})

// @ts-expect-error `tokenStore` is required.
createCustomerSignIn({ tenantStore })

// @ts-expect-error An unknown option is a mistake.
createCustomerSignIn({ ...least, accessTokenTtl: 600 })
// @ts-expect-error There is no such member of a group.
createCustomerSignIn({ ...least, lifetimes: { accessTokenTtl: 600 } })

// @ts-expect-error An unknown endpoint is a mistake.
createCustomerSignIn({ ...least, externalEndpoints: { token: 'https://login.example/token' } })

// @ts-expect-error Lifetimes are numbers of seconds.
createCustomerSignIn({ ...least, lifetimes: { accessToken: '1h' } })

// @ts-expect-error `signingKeys` is a list, for rotation.
createCustomerSignIn({ ...least, keys: { signing: 'PEM' } })

// @ts-expect-error `scopes` is a list, or an object with words.
createCustomerSignIn({ ...least, scopes: 'profile calendar' })

// @ts-expect-error `subject` is required.
createCustomerSignIn({ ...least, authenticate: () => ({ name: 'Ada' }) })

// @ts-expect-error `consent` is a function or `false`.
createCustomerSignIn({ ...least, pages: { consent: true } })

// @ts-expect-error Customers are asked always or once.
createCustomerSignIn({ ...least, pages: { askConsent: false } })

// @ts-expect-error The only text is 'with-loopback'.
createCustomerSignIn({ ...least, clients: { documents: 'yes' } })

// @ts-expect-error A document has a name.
const nameless: KnownAssistant = { document: { client_id: 'https://a.example/b', redirect_uris: [] } }
createCustomerSignIn({ ...least, clients: { known: [nameless] } })

// @ts-expect-error The hook returns a response, not a document.
createCustomerSignIn({ ...least, clients: { fetch: async () => ({ client_id: 'https://a.example/b' }) } })

// @ts-expect-error Claims are an object.
createCustomerSignIn({ ...least, accessTokenClaims: () => 'gold' })

// @ts-expect-error `findTenant` returns a tenant or nothing, and never a string.
createCustomerSignIn({ ...least, tenantStore: { findTenant: () => 'acme' } })

// @ts-expect-error `findTenantByHost` returns a tenant or nothing, and never its key.
createCustomerSignIn({ ...least, tenantStore: { findTenant: () => acme, findTenantByHost: () => 'acme' } })

// @ts-expect-error Members have camelCase names; snake_case is for the wire.
export const client: Tenant = { key: 'acme', clients: [{ client_id: 'app', redirect_uris: [] }] }

// @ts-expect-error No client has a secret.
export const confidential: Tenant = { key: 'acme', clients: [{ clientId: 'app', redirectUris: [], clientSecret: 's' }] }

// @ts-expect-error Unsigned and symmetrically signed tokens are not supported.
export const weak: SigningAlgorithm[] = ['none', 'HS256']

export const options: CustomerSignInOptions = least

// Rows of a database have null for absent values. An id must not be null: it would change when it is set.
declare const row: { key: string; name: string | null; scopes: string[] | null; clientName: string | null }
const tenantOfRow: Tenant = {
  ...row,
  baseUrl: null,
  formerBaseUrls: null,
  logoUri: null,
  registration: null,
  clients: [
    { clientId: 'app', redirectUris: ['https://app.example/callback'], clientName: row.clientName, scopes: null },
  ],
}
createCustomerSignIn({
  tenantStore: { findTenant: async () => tenantOfRow },
  tokenStore,
  authenticate: async () => ({ subject: '7', name: row.name, claims: null }),
})
createCustomerSignIn({
  // @ts-expect-error
  tenantStore: { findTenant: async () => ({ key: 'acme', id: null }) },
  tokenStore,
})
