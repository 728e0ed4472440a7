// More than 300 lines: one list, each option with its words, its check and its default.

import { appRedirectsOfAssistants, knownAssistants } from './assistants/assistants'
import type { ClientAuthenticationMethod } from './client-authentication/method'
import { authenticationMethods, isClientAuthenticationMethod } from './client-authentication/methods'
import {
  appRedirect,
  type Check,
  type Checked,
  distinct,
  flag,
  func,
  httpUrl,
  isObject,
  listOf,
  must,
  objectWith,
  optional,
  record,
  scopeToken,
  seconds,
  text,
} from './configuration/checks'
import { ConfigurationError } from './configuration/configuration-error'
import type { CustomerSignInEvent } from './contract/customer-sign-in-event'
import type { AskConsent, ClientRule, KnownAssistant, Links, TenantStore, Theme } from './contract/tenant-store'
import { type TokenStore, tokenStoreMethods } from './contract/token-store'
import type { FetchMetadataDocumentHook } from './documents/guarded-fetch'
import type { ConsentHook } from './endpoints/consents'
import type { AuthenticateHook } from './endpoints/customer-sessions'
import type { ErrorPageHook } from './endpoints/error-pages'
import { longestRetryWindow } from './grants/redemptions'
import { Languages, languageTag, replacedWords } from './pages/languages'
import { links } from './pages/links'
import { type ScopeWords, scopesWithWords } from './pages/scope-words'
import { theme } from './pages/theme'
import type { ReplacedWords } from './pages/words'
import { isLoopbackHost } from './protocol/redirect-uri'
import { impliedScopesOf } from './protocol/scope'
import { accessTokenLifetime, askConsent, clientRule, refreshTokenLifetime } from './tenants/tenant-record'
import type { AccessTokenClaimsHook } from './tokens/access-tokens'
import { credentialSecrets, signingKeyList } from './tokens/keyring'
import type { SigningKeyInput } from './tokens/signing-keys'

/**
 * Where the library fetches metadata documents: nowhere (`false`), at port 443 of public addresses (`true`), there and on this machine
 * (`'with-loopback'`), or at other ports of public addresses.
 */
export type DocumentSources = boolean | 'with-loopback' | { ports: readonly number[] }

/** The options of {@link createCustomerSignIn}. Lifetimes and times are seconds. */
export interface CustomerSignInOptions {
  /** The host's own data: tenants and their clients. */
  tenantStore: TenantStore
  /** What this library writes: grants, and the ids of what can be used once. */
  tokenStore: TokenStore
  /**
   * The public address of the app, such as `https://assistant.example`, with the path that the router is mounted at, if it has one.
   * Required in production (`NODE_ENV`), and with a `tenantStore` that has `findTenantByHost`. Otherwise the library takes it from the
   * requests by default, and warns.
   */
  baseUrl?: string | undefined
  /**
   * The keys for access tokens: the first signs, all verify. Required in production. Outside production the library makes a key for the
   * process by default, and warns. A key whose private part this process does not have is `{ publicKey, sign }`.
   */
  signingKeys?: readonly SigningKeyInput[] | undefined
  /** How long an access token is valid. Default 3600, at most 3600. */
  accessTokenLifetime?: number | undefined
  /** How long a refresh token is valid. Each refresh starts it again. Default 30 days (2,592,000), at most 30 days. */
  refreshTokenLifetime?: number | undefined
  /** How long a grant lives after the sign-in, however often it is refreshed. Default none. */
  grantLifetime?: number | undefined
  /** How long an authorization code is valid. Default 60, at most 600. */
  authorizationCodeLifetime?: number | undefined
  /**
   * For how long a used refresh token that is presented again is answered with the refresh token that is live now, instead of refused.
   * Default 0 (strictly single use), at most `accessTokenLifetime` and 300 more, also for a tenant whose own is shorter. Set 300 for MCP
   * clients: they refresh in parallel, and retry minutes later.
   */
  refreshRetryWindow?: number | undefined
  /**
   * For how long a used code or refresh token that is presented again is refused without ending its grant. After that, or with 0, a replay
   * ends the grant (RFC 9700 section 4.14). Default 10, at most 60.
   */
  replayTolerance?: number | undefined
  /**
   * Secrets of at least 32 bytes, from which refresh tokens and consent tokens are derived: the first derives, all are recognised.
   * Default: the private parts of `signingKeys`. Required if one of these has its private part elsewhere, and if clients that register
   * themselves can have a secret, which is derived too.
   */
  credentialSecrets?: readonly (string | Buffer)[] | undefined
  /**
   * How many grants one customer can have of one client. If there are more, the oldest end; first those whose code has not been redeemed
   * yet. Default 100.
   */
  maxGrantsPerClient?: number | undefined
  /**
   * Whether a sign-in ends the customer's earlier grants of the same client for the same API, once its code has been redeemed. A "Connected
   * apps" page then has one line for each client. Customers who use one client at two places are signed out at the first. Default false.
   */
  replaceGrants?: boolean | undefined
  /**
   * What customers can grant: the scopes, with the words that the consent page shows for each, in one text or in one for each language tag.
   * Default: `profile`, with words in every language of this package.
   *
   * @example
   * { profile: 'Know who you are', bookings: { en: 'See your bookings', de: 'Ihre Buchungen sehen' } }
   */
  scopes?: readonly string[] | Readonly<Record<string, ScopeWords>> | undefined
  /**
   * Scopes that imply others: a token with one of them is accepted wherever the others are required. Both must be in `scopes`. Default none.
   *
   * @example
   * { 'bookings:write': ['bookings:read'] }
   */
  impliedScopes?: Readonly<Record<string, readonly string[]>> | undefined
  /**
   * Says who is logged in, and turns the authorization endpoint on. It returns the customer of the host's session. If there is none, it
   * answers the request, for example with a redirect to the login page, and returns nothing. After the login, the login page sends the
   * browser to `request.url`.
   */
  authenticate?: AuthenticateHook | undefined
  /**
   * How the customer is asked for consent: by default on the library's page, with a function in the host's own way. With `false`, customers
   * are not asked about the tenant's own clients. About a client that registered itself or has a metadata document they always are,
   * because anyone can be such a client.
   */
  consent?: ConsentHook | false | undefined
  /**
   * How often customers are asked for consent, for tenants and clients whose record does not say: at each sign-in, or with `once` only where
   * no grant of theirs covers the request. About a client that the company has not named, or that anyone can imitate, they are asked each
   * time. Default `always`.
   */
  askConsent?: AskConsent | undefined
  /**
   * Shows an error in the host's own way to a customer who cannot be sent back to a client. By default it is on the library's page, as it is
   * if the function throws or sends nothing in time.
   */
  errorPage?: ErrorPageHook | undefined
  /**
   * The language of the pages where no other is found: a tag, such as `de` (RFC 5646). The client, the tenant and the browser are asked
   * first. Default `en`.
   */
  locale?: string | undefined
  /**
   * Words of the pages that replace those of this package, or add a language, by language tag. They are plain text, in which names in
   * braces stand for the parts of a sentence. What is left out is the package's own, or else English.
   *
   * @example
   * { de: { consent: { allow: 'Zulassen' } }, sv: { consent: { allow: 'Tillåt', deny: 'Neka' } } }
   */
  words?: Readonly<Record<string, ReplacedWords>> | undefined
  /** How the pages look, for tenants whose record does not say. Colours that not everybody can read are refused. Default `{}`. */
  theme?: Theme | undefined
  /** Pages of the host's own, for tenants whose record does not have them: below the library's pages, and in the metadata. Default `{}`. */
  links?: Links | undefined
  /** Whether clients can register themselves (RFC 7591). Default true. */
  registration?: boolean | undefined
  /**
   * Whether a client can identify itself by the https URL of its metadata document (Client ID Metadata Document), and at which ports.
   * `true` means port 443. `with-loopback` also allows documents on this machine, at any port; it is only for development. Default true.
   */
  metadataDocuments?: DocumentSources | undefined
  /**
   * Fetches metadata documents, and the keys at a `jwks_uri`, in the host's own way, for example through a proxy. The checks of addresses, which keep strangers out of the
   * host's own network, are then the host's. By default the library fetches them itself.
   */
  fetchMetadataDocument?: FetchMetadataDocumentHook | undefined
  /**
   * The only clients that are allowed, besides the tenants' own, for tenants whose record does not say. `{}` allows no others. Default: all.
   *
   * @example
   * { documentHosts: ['claude.ai', 'chatgpt.com'], redirectHosts: ['claude.ai', 'chatgpt.com'] }
   */
  allowedClients?: ClientRule | undefined
  /** Clients that are allowed at no tenant, except as its own. Default none. */
  blockedClients?: ClientRule | undefined
  /**
   * Copies of metadata documents, for assistants whose own document cannot be fetched and was not fetched before. A list of the host's own
   * replaces the default, and an empty one turns it off. Default: the {@link knownAssistants} of this package.
   */
  knownAssistants?: readonly KnownAssistant[] | undefined
  /**
   * Redirect URIs of apps that are accepted although their scheme has no dot. An entry that ends in a slash accepts every URI that begins
   * with it. Default: those of known assistants.
   */
  appRedirects?: readonly string[] | undefined
  /**
   * How clients authenticate at the token and revocation endpoints: `none` for public clients, `private_key_jwt` with a key of theirs (RFC
   * 7523), `client_secret_basic` and `client_secret_post` with a secret (RFC 6749 section 2.3.1). A client that has a key or a secret must
   * authenticate. Default `['none']`.
   */
  clientAuthentication?: readonly ClientAuthenticationMethod[] | undefined
  /** The absolute URLs of endpoints that the host runs itself, for the metadata. The library then does not serve them. */
  externalEndpoints?: { [endpoint in 'authorization' | 'registration' | 'revocation']?: string | undefined } | undefined
  /**
   * Adds claims to each access token, or refuses it by throwing an `OAuthError`. If it throws anything else, the client gets 503, so that a
   * fault of the host signs nobody out. It runs before the credential is used up, and costs one more read of the store.
   */
  accessTokenClaims?: AccessTokenClaimsHook | undefined
  /** Receives every event (docs/events.md). The library never waits for it. By default errors become process warnings. */
  onEvent?: ((event: CustomerSignInEvent) => unknown) | undefined
  /** How long a store, a signer, or a hook that returns data may take, and the host's own page until it begins. Default 5, from 0.1 to 60. */
  hostTimeout?: number | undefined
}

const day = 86_400

const wholeFrom1 = must<number>('a whole number, 1 or more', (given) => Number.isInteger(given) && Number(given) > 0)

const knownAssistant: Check<KnownAssistant> = record({
  document: must<KnownAssistant['document']>('a metadata document, as an object', isObject),
  source: optional(text),
  date: optional(text),
})

const checks = {
  tenantStore,
  tokenStore: objectWith<TokenStore>(...tokenStoreMethods),
  baseUrl: inProduction(publicAddress),
  signingKeys: inProduction(signingKeyList),
  accessTokenLifetime: optional(accessTokenLifetime, 3600),
  refreshTokenLifetime: optional(refreshTokenLifetime, 30 * day),
  grantLifetime: optional(seconds(1, 3650 * day)),
  authorizationCodeLifetime: optional(seconds(1, 600), 60),
  refreshRetryWindow: optional(seconds(0, longestRetryWindow(3600)), 0),
  replayTolerance: optional(seconds(0, 60), 10),
  credentialSecrets: optional(credentialSecrets),
  maxGrantsPerClient: optional(wholeFrom1, 100),
  replaceGrants: optional(flag, false),
  scopes: scopesWithWords,
  impliedScopes: optional(scopeLists, {}),
  authenticate: optional(func<NonNullable<CustomerSignInOptions['authenticate']>>()),
  consent: optional(
    must<ConsentHook | false>('a function, or false', (given) => given === false || typeof given === 'function'),
  ),
  askConsent: optional(askConsent, 'always'),
  errorPage: optional(func<ErrorPageHook>()),
  locale: optional(languageTag, 'en'),
  words: optional(replacedWords, {}),
  theme: optional(theme, {}),
  links: optional(links, {}),
  registration: optional(flag, true),
  metadataDocuments: optional(documentSources, true),
  fetchMetadataDocument: optional(func<FetchMetadataDocumentHook>()),
  allowedClients: optional(clientRule),
  blockedClients: optional(clientRule),
  knownAssistants: optional(listOf(knownAssistant), knownAssistants),
  appRedirects: optional(listOf(appRedirect), appRedirectsOfAssistants),
  clientAuthentication: optional(methodList, ['none']),
  externalEndpoints: optional(
    record({ authorization: optional(httpUrl), registration: optional(httpUrl), revocation: optional(httpUrl) }),
    { authorization: undefined, registration: undefined, revocation: undefined },
  ),
  accessTokenClaims: optional(func<NonNullable<CustomerSignInOptions['accessTokenClaims']>>()),
  onEvent: optional(func<NonNullable<CustomerSignInOptions['onEvent']>>()),
  hostTimeout: optional(seconds(0.1, 60, { fractions: true }), 5),
} satisfies { [K in keyof Required<CustomerSignInOptions>]: Check<unknown> }

/** The options after their checks, with their defaults. */
export type Options = Checked<typeof checks>

/**
 * Checks the options and fills in their defaults.
 *
 * @throws {ConfigurationError} at the first one that is unknown, of the wrong type, out of range or missing.
 */
export function checkedOptions(given: CustomerSignInOptions): Options {
  const options = record(checks)(given, '')
  checkHosts(options)
  checkRetryWindow(options)
  checkImplied(options)
  checkLocale(options)
  checkSecrets(options)
  return options
}

/** Checks that no request can say what the shared address is, if others say whose address is whose. */
function checkHosts({ tenantStore: { findTenantByHost }, baseUrl }: Options): void {
  if (findTenantByHost === undefined || baseUrl !== undefined) return
  throw new ConfigurationError('baseUrl', undefined, 'set, because tenantStore has findTenantByHost')
}

/** Checks that a used refresh token is not answered for longer than a client can need it. */
function checkRetryWindow({ refreshRetryWindow, accessTokenLifetime }: Options): void {
  const longest = longestRetryWindow(accessTokenLifetime)
  if (refreshRetryWindow <= longest) return
  throw new ConfigurationError(
    'refreshRetryWindow',
    refreshRetryWindow,
    `at most accessTokenLifetime + 300, here ${longest}`,
  )
}

/** Checks that the secrets of registered clients do not end with a signing key: they are derived, and nobody can give a client another one. */
function checkSecrets({ clientAuthentication, credentialSecrets, registration, externalEndpoints }: Options): void {
  const method = clientAuthentication.find((name) => authenticationMethods[name].sharesSecret)
  const canRegister = registration && externalEndpoints.registration === undefined
  if (method === undefined || !canRegister || credentialSecrets !== undefined) return
  const why = `because clients that register get a secret for ${method} (clientAuthentication)`
  throw new ConfigurationError('credentialSecrets', undefined, `set, ${why}, unless registration is false`)
}

/** For each scope, a list of scopes. */
function scopeLists(given: unknown, name: string): Readonly<Record<string, readonly string[]>> {
  if (!isObject(given)) throw new ConfigurationError(name, given, 'an object', { quotes: true })
  const list = distinct(scopeToken)
  return Object.fromEntries(
    Object.entries(given).map(([scope, implied]) => [scopeToken(scope, name), list(implied, `${name}.${scope}`)]),
  )
}

/** Checks that the scopes which imply others exist, and that none implies itself. */
function checkImplied({ scopes, impliedScopes }: Options): void {
  const implied = impliedScopesOf(impliedScopes)
  for (const [scope, others] of Object.entries(impliedScopes)) {
    const name = `impliedScopes.${scope}`
    const unknown = [scope, ...others].find((one) => !Object.hasOwn(scopes, one))
    if (unknown !== undefined) {
      throw new ConfigurationError(name, unknown, 'made of scopes that the option scopes has', {
        says: `has ${JSON.stringify(unknown)}, which the option scopes does not have`,
      })
    }
    if (implied.get(scope)?.includes(scope)) {
      throw new ConfigurationError(name, others, 'scopes that do not imply it in turn', {
        says: 'implies itself, directly or by way of others',
      })
    }
  }
}

/** Checks that there are words in the language that takes the place of all others. */
function checkLocale({ locale, words }: Options): void {
  const languages = new Languages(words)
  if (languages.find(locale)) return
  const allowed = `a language of the pages: ${languages.tags.join(', ')}, or one that the option words adds`
  throw new ConfigurationError('locale', locale, allowed, { quotes: true })
}

function tenantStore(given: unknown, name: string): TenantStore {
  const store = objectWith<TenantStore>('findTenant')(given, name)
  optional(func())(store.findTenantByHost, `${name}.findTenantByHost`)
  return store
}

const portList = record({
  ports: must<readonly number[]>(
    'an array of ports, at least one, each a whole number from 1 to 65535',
    (given) => Array.isArray(given) && given.length > 0 && given.every(isPort),
  ),
})

function isPort(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) >= 1 && Number(given) <= 65_535
}

function documentSources(given: unknown, name: string): DocumentSources {
  if (isObject(given)) return portList(given, name)
  if (given === 'with-loopback' && process.env.NODE_ENV === 'production') {
    throw new ConfigurationError(name, given, 'true, false or { ports } in production (NODE_ENV)', { quotes: true })
  }
  return must<DocumentSources>(
    "true, false, 'with-loopback' or { ports }",
    (value) => [true, false, 'with-loopback'].includes(value as boolean),
    { quotes: true },
  )(given, name)
}

const clientAuthenticationMethod = must<ClientAuthenticationMethod>(
  Object.keys(authenticationMethods)
    .join(', ')
    .replace(/, (?=\w+$)/, ' or '),
  isClientAuthenticationMethod,
  { quotes: true },
)

function methodList(given: unknown, name: string): readonly ClientAuthenticationMethod[] {
  const methods = distinct(clientAuthenticationMethod)(given, name)
  if (methods.length > 0) return methods
  throw new ConfigurationError(name, given, 'an array of at least one method, or omitted')
}

function inProduction<T>(check: Check<T>): Check<T | undefined> {
  return (given, name) => {
    if (given !== undefined) return check(given, name)
    if (process.env.NODE_ENV !== 'production') return undefined
    throw new ConfigurationError(name, given, 'set in production (NODE_ENV)')
  }
}

function publicAddress(given: unknown, name: string): string {
  const url = httpUrl(given, name)
  const { origin, protocol, hostname, search } = new URL(url)
  if (search !== '') throw new ConfigurationError(name, given, 'an address without a query', { quotes: true })
  if (process.env.NODE_ENV === 'production' && protocol !== 'https:' && !isLoopbackHost(hostname)) {
    throw new ConfigurationError(name, given, 'an https address in production (NODE_ENV), except on loopback', {
      quotes: true,
    })
  }
  // In normal form, because hosts, issuers and the addresses in records are compared with it as text.
  return url.replace(/^[^:]+:\/\/[^/]*/, origin).replace(/\/+$/, '')
}
