// This package's own package.json, next to `src` and `dist`.
const { homepage }: { homepage: string } = require('../../package.json')

/** The page and heading that explain each option, and each argument of the API, by the name that its errors begin with. */
export const helpPages: Readonly<Record<string, string>> = {
  options: 'README.md#options',
  tenantStore: 'docs/configuration.md#tenants',
  tokenStore: 'README.md#token-stores',
  baseUrl: 'docs/configuration.md#base-url',
  signingKeys: 'docs/configuration.md#keys-and-secrets',
  accessTokenLifetime: 'docs/configuration.md#lifetimes',
  refreshTokenLifetime: 'docs/configuration.md#lifetimes',
  grantLifetime: 'docs/configuration.md#lifetimes',
  authorizationCodeLifetime: 'docs/configuration.md#lifetimes',
  refreshRetryWindow: 'docs/credential-chain.md#choosing-refreshretrywindow',
  replayTolerance: 'docs/credential-chain.md#replays-and-retries',
  credentialSecrets: 'docs/configuration.md#keys-and-secrets',
  maxGrantsPerClient: 'docs/configuration.md#revoking-grants',
  scopes: 'docs/configuration.md#scopes',
  impliedScopes: 'docs/configuration.md#scopes-that-imply-others',
  authenticate: 'docs/configuration.md#login-authenticate',
  consent: 'docs/configuration.md#consent',
  askConsent: 'docs/configuration.md#remembered-consent',
  errorPage: 'docs/configuration.md#your-own-error-page',
  locale: 'docs/pages.md#languages',
  words: 'docs/pages.md#words',
  theme: 'docs/pages.md#theme',
  links: 'docs/pages.md#links',
  registration: 'docs/configuration.md#dynamic-registration',
  registrationLifetime: 'docs/configuration.md#dynamic-registration',
  maxRegistrationsPerTenant: 'docs/configuration.md#dynamic-registration',
  maxRegistrations: 'docs/configuration.md#dynamic-registration',
  metadataDocuments: 'docs/configuration.md#metadata-documents',
  fetchMetadataDocument: 'docs/configuration.md#a-fetch-of-your-own',
  knownAssistants: 'docs/configuration.md#documents-that-cannot-be-fetched',
  appRedirects: 'docs/configuration.md#redirect-uris',
  clientAuthentication: 'docs/configuration.md#clients-that-authenticate',
  externalEndpoints: 'docs/configuration.md#your-own-authorize-page',
  accessTokenClaims: 'docs/configuration.md#access-token-claims',
  onEvent: 'docs/configuration.md#events',
  hostTimeout: 'docs/errors.md#temporarily_unavailable-503',
  tenant: 'docs/configuration.md#tenants',
  customer: 'docs/configuration.md#login-authenticate',
  tenantKey: 'docs/configuration.md#protected-apis',
  verifyAccessToken: 'docs/configuration.md#protected-apis',
  requireAccessToken: 'docs/configuration.md#protected-apis',
  protectedResource: 'docs/configuration.md#protected-apis',
  requireScopes: 'docs/configuration.md#step-up',
  verifier: 'README.md#with-the-mcp-sdk',
  issueAuthorizationCode: 'docs/configuration.md#your-own-authorize-page',
  connect: 'docs/connect-an-assistant.md#what-the-call-gives',
  grants: 'docs/configuration.md#revoking-grants',
  clients: 'README.md#api',
  customers: 'docs/erasing-and-exporting.md#erasing-a-customer',
  tenants: 'docs/erasing-and-exporting.md#erasing-a-company',
  RedisTokenStore: 'docs/operations-redis.md#connecting-to-redis',
  PostgresTokenStore: 'docs/operations-postgres.md#connecting-to-postgresql',
  MovingTokenStore: 'docs/operations-postgres.md#moving-from-another-store',
  postgresSchema: 'docs/operations-postgres.md#installing-the-tables',
}

/** The address of the documentation of an option, such as `scopes[1]` or `requireAccessToken.tenantKey`. */
export function helpFor(option: string): string {
  const name = option.replace(/[.[].*/s, '')
  const page = (Object.hasOwn(helpPages, name) && helpPages[name]) || 'docs/errors.md#configuration-errors'
  return `${homepage.replace(/#.*/, '')}/blob/main/${page}`
}
