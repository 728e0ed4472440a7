// More than 300 lines: one list, each option with its words, its check and its default.

import { appRedirectsOfAssistants, knownAssistants } from './assistants/assistants'
import type { ClientAuthenticationMethod } from './client-authentication/method'
import { authenticationMethods, methodList } from './client-authentication/methods'
import {
  appRedirects,
  type Check,
  type Checked,
  duration,
  flag,
  func,
  group,
  httpUrl,
  isObject,
  listOf,
  must,
  objectWith,
  optional,
  publicAddress,
  record,
  text,
  wholeNumber,
} from './configuration/checks'
import { ConfigurationError } from './configuration/configuration-error'
import type { CustomerSignInEvent } from './contract/customer-sign-in-event'
import type { AskConsent, ClientRule, KnownAssistant, Links, TenantStore, Theme } from './contract/tenant-store'
import { type TokenStore, tokenStoreMethods } from './contract/token-store'
import { type DocumentSources, documentSources } from './documents/document-sources'
import type { FetchMetadataDocumentHook } from './documents/guarded-fetch'
import type { ConsentHook } from './endpoints/consents'
import type { AuthenticateHook } from './endpoints/customer-sessions'
import type { ErrorPageHook } from './endpoints/error-pages'
import { longestRetryWindow } from './grants/redemptions'
import { Languages, languageTag, replacedWords } from './pages/languages'
import type { ScopeWords } from './pages/scope-words'
import { links, theme } from './pages/theme'
import type { ReplacedWords } from './pages/words'
import { offeredScopes } from './tenants/offered-scopes'
import { accessTokenLifetime, askConsent, clientRule, refreshTokenLifetime } from './tenants/tenant-record'
import type { AccessTokenClaimsHook } from './tokens/access-tokens'
import { type KeyOptions, keyMembers } from './tokens/keyring'
import type { CustomerOfHook } from './trusted-issuers/asserted-customers'

/**
 * The options of {@link createCustomerSignIn}, in the order in which a host meets them. Lifetimes and times are seconds.
 *
 * They are read once, when the server starts, except for `lifetimes`, `clients.allowed` and `clients.blocked`: like the record of a tenant, which
 * can say the same, these are read at each request. A host that changes its own plain objects need not start again.
 */
export interface CustomerSignInOptions {
  /** The host's own data: tenants and their clients. */
  tenantStore: TenantStore
  /** What this library writes: grants, and the ids of what can be used once. */
  tokenStore: TokenStore
  /**
   * The public address of the app, such as `https://assistant.example`, with the path that the router is mounted at, if it has one. Required in
   * production (`NODE_ENV`), and if `tenantStore` has `findTenantByHost`. Default: the address of the requests, with a warning.
   */
  baseUrl?: string | undefined
  /**
   * Says who is logged in, and turns the authorization endpoint on. It returns the customer of the host's session; null if there is none and the
   * client wants no page (`prompt=none`); or nothing if it has answered the request, for example with a redirect to the login page, which sends the
   * browser to `request.url` after the login.
   */
  authenticate?: AuthenticateHook | undefined
  /**
   * For how long a used refresh token is answered with the refresh token that is live now, instead of refused. Default 0 (strictly single use),
   * at most `lifetimes.accessToken` and 300 more, also for a tenant whose own is shorter. Set 300 for MCP clients: they refresh in parallel, and
   * retry minutes later. This departs from OAuth 2.1, where a refresh token works once. Without the window, these clients lose their sign-in.
   */
  refreshRetryWindow?: number | undefined
  /** What access tokens are signed with, and what refresh tokens are derived from. */
  keys?: KeyOptions | undefined
  /** How long something is valid, in seconds. */
  lifetimes?: LifetimeOptions | undefined
  /**
   * What customers can grant: a list of scopes, or for each scope its words on the consent page, in one text or by language tag, and the scopes that
   * it implies: a token with it is accepted wherever those are required. Default: `profile`, with words in every language of this package.
   *
   * @example
   * {
   *   profile: 'Know who you are',
   *   'bookings:read': { words: { en: 'See your bookings', de: 'Ihre Buchungen sehen' } },
   *   'bookings:write': { words: 'Change your bookings', implies: ['bookings:read'] },
   * }
   */
  scopes?:
    | readonly string[]
    | Readonly<Record<string, string | { words?: ScopeWords | undefined; implies?: readonly string[] | undefined }>>
    | undefined
  /** Which clients there can be besides the tenants' own. */
  clients?: ClientOptions | undefined
  /** How many grants a customer can have. */
  grants?: GrantOptions | undefined
  /** What customers see. */
  pages?: PageOptions | undefined
  /**
   * Adds claims to each access token, or refuses it by throwing an `OAuthError`. If it throws anything else, the client gets 503, so that a
   * fault of the host signs nobody out. It runs before the credential is used up, and costs one more read of the store.
   */
  accessTokenClaims?: AccessTokenClaimsHook | undefined
  /**
   * Finds the customer that a company's identity provider vouches for, for trusted issuers whose `subject` is `customerOf`
   * (docs/identity-providers.md): returns your own id of the customer, or nothing if there is none.
   */
  customerOf?: CustomerOfHook | undefined
  /** The absolute URLs of endpoints that the host runs itself, for the metadata. The library then does not serve them. */
  externalEndpoints?: { [endpoint in 'authorization' | 'registration' | 'revocation']?: string | undefined } | undefined
  /** Receives every event (docs/events.md). The library never waits for it. By default errors become process warnings. */
  onEvent?: ((event: CustomerSignInEvent) => unknown) | undefined
  /** How long a store, a signer, or a hook that returns data may take, and the host's own page until it begins. Default 5, from 0.1 to 60. */
  hostTimeout?: number | undefined
}

/** The options `lifetimes`: how long something is valid, in seconds. */
export interface LifetimeOptions {
  /** How long an access token is valid. Default 3600, at most 3600. */
  accessToken?: number | undefined
  /** How long a refresh token is valid. Each refresh starts it again. Default 30 days (2,592,000), at most 30 days. */
  refreshToken?: number | undefined
  /** How long an authorization code is valid. Default 60, at most 600. */
  authorizationCode?: number | undefined
  /** How long a grant lives after the sign-in, however often it is refreshed. Default none. */
  grant?: number | undefined
}

/** The options `clients`: which clients there can be besides the tenants' own. */
export interface ClientOptions {
  /** Whether clients can register themselves (RFC 7591). Default true. */
  registration?: boolean | undefined
  /**
   * Whether a client can identify itself by the https URL of its metadata document (Client ID Metadata Document), and at which ports: 443 with `true`.
   * `with-loopback`, only for development, also allows documents on this machine, at any port. Default true.
   */
  documents?: DocumentSources | undefined
  /**
   * How clients authenticate at the token and revocation endpoints: `none` for public clients, `private_key_jwt` with a key of theirs
   * (RFC 7523), `client_secret_basic` and `client_secret_post` with a secret (RFC 6749 section 2.3.1). A client that has a key or a
   * secret must authenticate. Default `['none']`.
   */
  authentication?: readonly ClientAuthenticationMethod[] | undefined
  /**
   * The only clients that are allowed, for tenants whose record does not say. `{}` allows no others than the tenants' own. Default: all.
   *
   * @example
   * { documentHosts: ['claude.ai', 'chatgpt.com'], redirectHosts: ['claude.ai', 'chatgpt.com'] }
   */
  allowed?: ClientRule | undefined
  /** Clients that are allowed at no tenant, except as its own. Default none. */
  blocked?: ClientRule | undefined
  /**
   * Fetches metadata documents, and the keys at a `jwks_uri`, in the host's own way, for example through a proxy. The checks of
   * addresses, which keep strangers out of the host's own network, are then the host's. By default the library fetches them itself.
   */
  fetch?: FetchMetadataDocumentHook | undefined
  /**
   * Copies of metadata documents, for assistants whose own document cannot be fetched and was not fetched before. The consent page says of such an
   * assistant where it is: "This is “Claude”, at claude.ai". An empty list turns it off. Default: the {@link knownAssistants} of this package.
   */
  known?: readonly KnownAssistant[] | undefined
  /**
   * Redirect URIs of apps that are accepted although their scheme has no dot. An entry that ends in a slash accepts every URI that
   * begins with it. `false` accepts no app's own scheme, not even one with a dot: clients that describe themselves may use https and loopback alone, as
   * MCP asks. Default: those of known assistants.
   */
  appRedirects?: readonly string[] | false | undefined
  /**
   * Whether a company's own domain also has `/token`, `/register`, `/authorize` and `/.well-known/openid-configuration` at its root, where clients look
   * that know only the domain. Default false.
   */
  rootEndpoints?: boolean | undefined
}

/** The options `grants`: how many grants a customer can have. */
export interface GrantOptions {
  /**
   * How many grants one customer can have of one client. If there are more, the oldest end; first those whose code has not been redeemed
   * yet. Default 100.
   */
  perClient?: number | undefined
  /**
   * Whether a sign-in ends the customer's earlier grants of the same client for the same API, once its code is redeemed. A "Connected apps" page then
   * has one line for each client, and customers who use one client at two places are signed out at the first. Default false.
   */
  replace?: boolean | undefined
}

/** The options `pages`: what customers see. */
export interface PageOptions {
  /**
   * How customers are asked for consent: by default on the library's page, with a function in the host's own way. With `false` they are not asked
   * about the tenant's own clients; about one that registered itself or has a metadata document they always are, because anyone can be such a client.
   */
  consent?: ConsentHook | false | undefined
  /**
   * Shows an error in the host's own way to a customer who cannot be sent back to a client. By default it is on the library's page, as
   * it is if the function throws or sends nothing in time.
   */
  error?: ErrorPageHook | undefined
  /**
   * How often customers are asked for consent, for tenants and clients whose record does not say: at each sign-in, or with `once` only where no grant
   * of theirs covers the request. About a client that the company has not named, or that anyone can imitate, they always are. Default `always`.
   */
  askConsent?: AskConsent | undefined
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
  /**
   * Whether `authenticate` can sign another customer in. The consent page then has the button "Use another account", which calls it with
   * `switchAccount`. Default false.
   */
  switchAccount?: boolean | undefined
  /** How the pages look, for tenants whose record does not say. Colours that not everybody can read are refused. Default `{}`. */
  theme?: Theme | undefined
  /** Pages of the host's own, for tenants whose record does not have them: below the library's pages, and in the metadata. Default `{}`. */
  links?: Links | undefined
}

const day = 86_400

const lifetimes = group({
  accessToken: optional(accessTokenLifetime, 3600 * 1000),
  refreshToken: optional(refreshTokenLifetime, 30 * day * 1000),
  authorizationCode: optional(duration(1, 600), 60 * 1000),
  grant: optional(duration(1, 3650 * day)),
})

const rules = { allowed: optional(clientRule), blocked: optional(clientRule) }

const knownAssistant = record({
  document: must<KnownAssistant['document']>('a metadata document, as an object', isObject),
  source: optional(text),
  date: optional(text),
})

/** Each option, with its default. Times become milliseconds. */
const checks = {
  tenantStore,
  tokenStore: objectWith<TokenStore>(...tokenStoreMethods),
  baseUrl: inProduction(publicAddress),
  authenticate: optional(func<AuthenticateHook>()),
  refreshRetryWindow: optional(duration(0, longestRetryWindow(3600 * 1000) / 1000), 0),
  keys: group({ ...keyMembers, signing: inProduction(keyMembers.signing) }),
  lifetimes,
  scopes: offeredScopes,
  clients: group({
    registration: optional(flag, true),
    documents: optional(documentSources, true),
    authentication: optional(methodList, ['none']),
    ...rules,
    fetch: optional(func<FetchMetadataDocumentHook>()),
    known: optional(listOf<KnownAssistant>(knownAssistant), knownAssistants),
    appRedirects: optional(appRedirects, appRedirectsOfAssistants),
    rootEndpoints: optional(flag, false),
  }),
  grants: group({
    perClient: optional(wholeNumber(1), 100),
    replace: optional(flag, false),
  }),
  pages: group({
    consent: optional(
      must<ConsentHook | false>('a function, or false', (given) => given === false || typeof given === 'function'),
    ),
    error: optional(func<ErrorPageHook>()),
    askConsent: optional(askConsent, 'always'),
    switchAccount: optional(flag, false),
    locale: optional(languageTag, 'en'),
    words: optional(replacedWords, {}),
    theme: optional(theme, {}),
    links: optional(links, {}),
  }),
  accessTokenClaims: optional(func<AccessTokenClaimsHook>()),
  customerOf: optional(func<CustomerOfHook>()),
  externalEndpoints: group({
    authorization: optional(httpUrl),
    registration: optional(httpUrl),
    revocation: optional(httpUrl),
  }),
  onEvent: optional(func<NonNullable<CustomerSignInOptions['onEvent']>>()),
  hostTimeout: optional(duration(0.1, 60, 'number'), 5000),
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
  checkLocale(options)
  checkSecrets(options)
  return options
}

/** Checks the options again that a host may change at any time. @throws {ConfigurationError} at the first one that cannot be used. */
export function currentOptions({ lifetimes: given, clients }: CustomerSignInOptions) {
  return {
    lifetimes: lifetimes(given, 'lifetimes'),
    allowed: rules.allowed(clients?.allowed, 'clients.allowed'),
    blocked: rules.blocked(clients?.blocked, 'clients.blocked'),
  }
}

/** Checks that no request can say what the shared address is, if others say whose address is whose. */
function checkHosts({ tenantStore: { findTenantByHost }, baseUrl }: Options): void {
  if (findTenantByHost === undefined || baseUrl !== undefined) return
  throw new ConfigurationError('baseUrl', undefined, 'set, because tenantStore has findTenantByHost')
}

/** Checks that a used refresh token is not answered for longer than a client can need it. */
function checkRetryWindow({ refreshRetryWindow, lifetimes: { accessToken } }: Options): void {
  const longest = longestRetryWindow(accessToken)
  if (refreshRetryWindow <= longest) return
  const allowed = `at most lifetimes.accessToken + 300, here ${longest / 1000}`
  throw new ConfigurationError('refreshRetryWindow', refreshRetryWindow / 1000, allowed)
}

/** Checks that the secrets of registered clients do not end with a signing key: they are derived, and nobody can give a client another one. */
function checkSecrets({ clients, keys, externalEndpoints }: Options): void {
  const method = clients.authentication.find((name) => authenticationMethods[name].sharesSecret)
  const canRegister = clients.registration && externalEndpoints.registration === undefined
  if (method === undefined || !canRegister || keys.credentialSecrets !== undefined) return
  const why = `because clients that register get a secret for ${method} (clients.authentication)`
  throw new ConfigurationError('keys.credentialSecrets', undefined, `set, ${why}, unless clients.registration is false`)
}

/** Checks that there are words in the language that takes the place of all others. */
function checkLocale({ pages: { locale, words } }: Options): void {
  const languages = new Languages(words)
  if (languages.find(locale)) return
  const allowed = `a language of the pages: ${languages.tags.join(', ')}, or one that the option pages.words adds`
  throw new ConfigurationError('pages.locale', locale, allowed, { quotes: true })
}

function tenantStore(given: unknown, name: string): TenantStore {
  const store = objectWith<TenantStore>('findTenant')(given, name)
  optional(func())(store.findTenantByHost, `${name}.findTenantByHost`)
  return store
}

function inProduction<T>(check: Check<T>): Check<T | undefined> {
  return (given, name) => {
    if (given !== undefined) return check(given, name)
    if (process.env.NODE_ENV !== 'production') return undefined
    throw new ConfigurationError(name, given, 'set in production (NODE_ENV)')
  }
}
