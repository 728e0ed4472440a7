// More than 300 lines: the one place that builds all rooms, and the words of the public API.

import { connectedGrants } from './administration/connected-grants'
import { type CustomerGrants, customerGrants } from './administration/customer-grants'
import { type TenantData, tenantData } from './administration/tenant-data'
import { assistants } from './assistants/assistants'
import { type AuthorizationResponse, Authorizations } from './authorization/authorizations'
import { ConsentTokens } from './authorization/consent-tokens'
import { type IssueAuthorizationCodeRequest, issueAuthorizationCode } from './authorization/issue-authorization-code'
import { type RefuseAuthorizationRequest, refuseAuthorization } from './authorization/refuse-authorization'
import { Clients } from './clients/clients'
import { KeySets } from './clients/key-sets'
import { MetadataDocuments } from './clients/metadata-documents'
import { Registrations } from './clients/registrations'
import { warn } from './configuration/warnings'
import { type ConnectGuide, type ConnectRequest, connect } from './connect/connect'
import { logRequestsIfAsked } from './debug/request-log'
import { fetchGuard } from './documents/document-sources'
import { authorize } from './endpoints/authorize'
import { Consents } from './endpoints/consents'
import { customerSessions } from './endpoints/customer-sessions'
import { errorPages } from './endpoints/error-pages'
import { jwks } from './endpoints/jwks'
import { metadata } from './endpoints/metadata'
import { register } from './endpoints/register'
import { ClientAuthentication } from './endpoints/requesting-client'
import { revoke } from './endpoints/revoke'
import { token } from './endpoints/token'
import { authorizationCode } from './grant-types/authorization-code'
import { clientCredentials } from './grant-types/client-credentials'
import { jwtBearer } from './grant-types/jwt-bearer'
import { refreshToken } from './grant-types/refresh-token'
import { CredentialChain } from './grants/credential'
import { Grants } from './grants/grants'
import { Redemptions, replayTolerance as tolerance } from './grants/redemptions'
import { Revocations } from './grants/revocations'
import { type Health, HealthChecks, type HealthRequest } from './health/health-checks'
import { emitter, warnOfErrors } from './host/emitter'
import { GuardedStore } from './host/guarded-store'
import type { NodeRequest } from './http/node-messages'
import { BaseUrl } from './http/request-address'
import { type CustomerSignInOptions, checkedOptions, currentOptions, type Options } from './options'
import { Appearances } from './pages/appearance'
import { Languages } from './pages/languages'
import { ScopeTexts } from './pages/scope-words'
import { type AdministrationOptions, administration } from './pages-to-mount/administration'
import { type ConnectAssistantOptions, connectAssistant } from './pages-to-mount/connect-assistant'
import { type ConnectedAppsOptions, connectedApps } from './pages-to-mount/connected-apps'
import { impliedScopesOf } from './protocol/scope'
import {
  AccessTokenGuards,
  type Middleware,
  type ProtectedResourceOptions,
  type RequireAccessTokenOptions,
  type RouteRequest,
} from './resource-server/guards'
import { authOf, requireScopes, warnOfUnknownScopes } from './resource-server/require-scopes'
import { type AccessTokenVerifier, type VerifierOptions, verifier } from './resource-server/verifier'
import {
  type AccessTokenInfo,
  AccessTokenVerifications,
  type VerifyAccessTokenOptions,
} from './resource-server/verify-access-token'
import { type Endpoints, type Handler, Router } from './router'
import { MemoryTokenStore } from './stores/memory-token-store'
import { defaultScopes } from './tenants/offered-scopes'
import { ProtectedResources } from './tenants/protected-resources'
import type { TenantDefaults } from './tenants/resolved-tenant'
import { Tenants } from './tenants/tenants'
import { AccessTokens } from './tokens/access-tokens'
import { DpopProofs } from './tokens/dpop-proofs'
import { type KeyOptions, Keyring } from './tokens/keyring'
import { AssertedGrants } from './trusted-issuers/asserted-grants'
import { Assertions } from './trusted-issuers/assertions'
import { checkIssuer, type IssuerCheck, type IssuerReport } from './trusted-issuers/check-issuer'
import { IssuerKeys, type KnownKeys } from './trusted-issuers/issuer-keys'

/** The router, to mount as it is, with the rest of the API as its properties. */
export interface CustomerSignIn extends Handler {
  /**
   * Serves the metadata at the root of the host (RFC 8414 section 3, RFC 9728 section 3), for a `baseUrl` with a path. For
   * `https://assistant.example/auth`: `app.use(signIn.wellKnown)`, and then `app.use('/auth', signIn)`.
   */
  wellKnown: Handler

  /**
   * Stores a grant and returns its authorization code, for hosts with an authorize page of their own.
   *
   * @returns The code, valid for `lifetimes.authorizationCode` seconds and once, and the complete URL to send the browser to.
   * @throws {OAuthError} `invalid_request`, `invalid_scope`, `invalid_target`; `not_found` for an unknown tenant; `temporarily_unavailable` when a store
   * fails; `invalid_client` or `unauthorized_client` for a wrong client or redirect URI: do not send the browser there.
   * @throws {ConfigurationError} for a wrong value of the host's own, such as `subject` or `claims`.
   *
   * @example
   * const { redirectTo } = await signIn.issueAuthorizationCode({
   *   tenantKey: 'acme', clientId, redirectUri, codeChallenge, codeChallengeMethod: 'S256', subject: customer.id, state,
   * })
   * res.redirect(redirectTo)
   */
  issueAuthorizationCode(request: IssueAuthorizationCodeRequest): Promise<AuthorizationResponse>

  /**
   * Makes the answer to a request that you refuse, for hosts with an authorize page of their own: with `error`, `state`, and the `iss` that the
   * metadata promises (RFC 9207).
   *
   * @returns The complete URL to send the browser to.
   * @throws {OAuthError} `invalid_client` or `unauthorized_client` for a wrong client or redirect URI, and `invalid_request` for a parameter that was sent
   * twice: do not send the browser there; `not_found` for an unknown tenant; `temporarily_unavailable` when a store fails.
   * @throws {ConfigurationError} for a wrong value of the host's own.
   *
   * @example
   * const { redirectTo } = await signIn.refuseAuthorization({ tenantKey: 'acme', clientId, redirectUri, state })
   * res.redirect(303, redirectTo)
   */
  refuseAuthorization(request: RefuseAuthorizationRequest): Promise<{ redirectTo: string }>

  /**
   * Verifies an access token of one tenant and one resource (RFC 9068 section 4).
   *
   * @param token The access token, without `Bearer`.
   * @param check The tenant, resource and scopes that the token must have.
   * @returns What the token says.
   * @throws {OAuthError} `invalid_token` (401), `insufficient_scope` (403), `not_found` (unknown tenant), `temporarily_unavailable` (a store fails).
   * @throws {ConfigurationError} for a wrong check.
   *
   * @example
   * const { subject } = await signIn.verifyAccessToken(token, { tenantKey: 'acme', scopes: 'profile' })
   */
  verifyAccessToken(token: string, check: VerifyAccessTokenOptions): Promise<AccessTokenInfo>

  /**
   * Makes a verifier for the MCP SDK's `requireBearerAuth({ verifier })`.
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * const verifier = signIn.verifier({ tenantKey: 'acme', invalidToken: (description) => new InvalidTokenError(description) })
   * app.post('/v1/acme/mcp', requireBearerAuth({ verifier, requiredScopes: ['profile'] }), handler)
   */
  verifier(options: VerifierOptions): AccessTokenVerifier

  /**
   * Makes the middleware for an API of the host's own (RFC 6750). It sets `req.auth` and calls `next` if the access token is valid. Otherwise it
   * answers: 401 with a bare `Bearer` challenge if there is no token, 401 `invalid_token`, 403 `insufficient_scope`, 404 for an unknown tenant, and
   * 503 when a store fails.
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.get('/v1/:tenantKey/me', signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey }), handler)
   */
  requireAccessToken<R extends NodeRequest = RouteRequest>(required: RequireAccessTokenOptions<R>): Middleware

  /**
   * Announces an API that every tenant has, and returns the middleware that guards it. The challenges of the middleware lead clients to the
   * resource's metadata, and from there to the tenant's sign-in (RFC 9728).
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.post('/v1/:tenantKey/mcp', signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['profile'] }), handler)
   */
  protectedResource(options: ProtectedResourceOptions): Middleware

  /**
   * Gives what a guard has found: who is calling, through which client, and what the access token permits.
   *
   * @param of The request, which `protectedResource`, `requireAccessToken` or the MCP SDK's `requireBearerAuth` has let through. In a tool of
   * an MCP server, what the SDK calls the tool with: its `extra` (SDK 1) or `ctx` (SDK 2).
   * @throws {OAuthError} `server_error` (500) if no guard has let the request through.
   *
   * @example
   * app.get('/v1/:tenantKey/me', guard, (req, res) => res.json({ customer: signIn.auth(req).subject }))
   */
  auth(of: object): AccessTokenInfo

  /**
   * Requires more scopes of a request that a guard has let through, where they are needed: in a route, or in a tool of an MCP server.
   *
   * @param of The request, or what a tool is called with, as in {@link CustomerSignIn.auth}.
   * @param scopes A list, or a string with spaces between them.
   * @throws {OAuthError} `insufficient_scope` (403) if the token lacks one of them. Its `status` and `headers` are those of the response:
   * `WWW-Authenticate` names the resource's metadata and every scope to ask for, which is all that the token has and all that is needed.
   * Express's own error handler answers with them. `server_error` if no guard has let the request through.
   * @throws {ConfigurationError} for scopes that no token can have.
   *
   * @example
   * app.delete('/v1/:tenantKey/bookings/:id', guard, (req, res) => {
   *   signIn.requireScopes(req, 'bookings:write')
   *   …
   * })
   */
  requireScopes(of: object, scopes: string | readonly string[]): void

  /**
   * Gives what a "Connect an assistant" page shows to a company's customers: the address of the company's MCP server, and for each assistant that
   * the company lets in the steps, the link, command or configuration that adds it. One that connects from the internet needs an https address.
   *
   * @throws {OAuthError} `not_found` for an unknown tenant, `temporarily_unavailable` when a store fails, `server_error` if its record cannot be used.
   * @throws {ConfigurationError} for a wrong member; if the tenant has no API to connect to; without `baseUrl` and before any request.
   *
   * @example
   * const { address, assistants } = await signIn.connect({ tenantKey: 'acme' })
   */
  connect(to: ConnectRequest): Promise<ConnectGuide>

  /**
   * Says how this process is: whether the token store answers, how far its clock is away, which keys there are. It reports what fails, and
   * does not throw because of it. However many probes ask, the store is asked once at a time.
   *
   * @throws {ConfigurationError} for a wrong request.
   *
   * @example
   * app.get('/ready', async (_req, res) => {
   *   const health = await signIn.health()
   *   res.status(health.ready ? 200 : 503).json(health)
   * })
   */
  health(request?: HealthRequest): Promise<Health>

  /**
   * Replaces keys and secrets of this process without a restart. Everything is checked first: if anything is wrong, the former ones stay.
   * Requests that are being answered during the change succeed, unless the key is removed for which a signer is being asked: they get 503, and
   * the client keeps what it has. Call it in every process of the host (docs/operations.md#health).
   *
   * @param keys The new lists. What is left out stays as it is. Secrets that were not given as an option follow `signing`.
   * @throws {ConfigurationError} for wrong keys or secrets, and if a list has none of those in use.
   * @throws {OAuthError} `temporarily_unavailable` if the first key has a signer, and that does not sign.
   *
   * @example
   * await signIn.setKeys({ signing: [oldKey, newKey] })
   */
  setKeys(keys: KeyOptions): Promise<void>

  /**
   * Checks a trusted issuer of a company, for the form on which its record is edited: discovers it, compares it to the letter, and looks at its
   * keys, their algorithms, and its clock. It fetches everything now. What is wrong with the issuer is in the report, and throws nothing.
   *
   * @throws {OAuthError} `not_found` for an unknown tenant, `temporarily_unavailable` when a store fails, `server_error` if its record cannot be used.
   * @throws {ConfigurationError} for a member that is unknown, missing or wrong; without `baseUrl` and before any request.
   *
   * @example
   * const { usable, problems } = await signIn.checkIssuer({ tenantKey: 'acme', issuer: 'https://acme.okta.com' })
   */
  checkIssuer(check: IssuerCheck): Promise<IssuerReport>

  /** What customers have connected: to list it, to export it, and to end it. */
  grants: CustomerGrants

  /** What the store has about a tenant: to end its grants, and to erase it. */
  tenants: TenantData

  /** Pages for your own app, in the customer's language and the company's colours. */
  pages: MountablePages
}

/** Pages that a host mounts where it likes. */
export interface MountablePages {
  /**
   * Makes the page on which a customer sees what they have connected, and disconnects one app or all, after a question. It works without a script, and
   * needs no CSRF protection in front. It does what `signIn.grants` can do, so that a page of your own could do the same.
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.use('/account/apps', signIn.pages.connectedApps({
   *   who: (req: Request, res: Response) => req.session.customer ?? res.redirect('/login'),
   * }))
   */
  connectedApps(options: ConnectedAppsOptions): Middleware

  /**
   * Makes the page "Connect an assistant": the address to paste, and the steps for each assistant that the company lets in. Nothing on it is secret, so
   * it can be shown before the login. A script copies; the page works without it. It shows what `signIn.connect` gives.
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.use('/connect', signIn.pages.connectAssistant({ who: () => ({ tenantKey: 'acme' }) }))
   */
  connectAssistant(options: ConnectAssistantOptions): Middleware

  /**
   * Makes the page for the staff of a company: what its customers have connected, to end it for one app, one customer or all, and which apps may
   * connect. Each change is asked about first, and its events have the actor. It counts at most 10,000 grants, and for two seconds.
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.use('/admin/apps', signIn.pages.administration({
   *   who: (req: Request, res: Response) => staffOf(req) ?? res.redirect('/login'),
   *   saveRules: ({ tenantKey, before, allowedClients, blockedClients }) =>
   *     db.saveRules(tenantKey, before, { allowedClients, blockedClients }),
   * }))
   */
  administration(options: AdministrationOptions): Middleware
}

/**
 * Makes the host app an OAuth 2.0 authorization server for the customers of many companies (see the README).
 *
 * @throws {ConfigurationError} for an option that is unknown, wrong, or missing.
 *
 * @example
 * const signIn = createCustomerSignIn({ tenantStore, tokenStore })
 * app.use(signIn)
 */
export function createCustomerSignIn(options: CustomerSignInOptions): CustomerSignIn {
  return createCustomerSignInWith({}, options)
}

/** What is the same in every production, and a test may choose (testing/test-sign-in.ts). */
export interface Circumstances {
  /** The clock of what is issued and expires, in milliseconds since 1970. Not of how long a call may take, or something fetched is kept. */
  now?: (() => number) | undefined
  /** Milliseconds. */
  replayTolerance?: number | undefined
  /** Keys of trusted issuers that are known without a fetch. */
  keysOfIssuers?: KnownKeys | undefined
}

/** Does the same in other circumstances. Builds every room once, with what it needs. */
export function createCustomerSignInWith(circumstances: Circumstances, given: CustomerSignInOptions): CustomerSignIn {
  const { now = () => Date.now(), replayTolerance = tolerance } = circumstances
  const options = checkedOptions(given)
  warnOfDefaults(options)
  logRequestsIfAsked()
  const emit = emitter(options.onEvent ?? warnOfErrors, now)
  const { clients: clientOptions, pages, externalEndpoints, refreshRetryWindow, hostTimeout: timeout } = options
  const scopes = Object.keys(options.scopes)
  const keyring = new Keyring(options.keys, timeout)
  const { signingKeys, secrets } = keyring.inUse

  const baseUrl = new BaseUrl(options.baseUrl)
  const store = new GuardedStore(options.tokenStore, timeout)
  const chain = new CredentialChain(secrets)
  const resources = new ProtectedResources(options.tenantStore.findTenantByHost !== undefined)
  const defaults = tenantDefaults(options, given)
  const tenants = new Tenants(options.tenantStore, defaults, resources, timeout)
  const tokens = new AccessTokens(signingKeys, options.accessTokenClaims, timeout, now)
  const proofs = new DpopProofs(secrets, store, now)
  const consentTokens = new ConsentTokens(secrets, now)
  const pageTokens = new ConsentTokens(secrets, now, 'page')
  const fetching = fetchGuard(clientOptions.documents, clientOptions.fetch)
  const { appRedirects, authentication: methods } = clientOptions
  const registrationRules = { appRedirects, authentication: { methods, allowLoopback: fetching.allowLoopback } }
  const documents =
    clientOptions.documents === false
      ? undefined
      : new MetadataDocuments(fetching, registrationRules, clientOptions.known, emit)
  const registrations = new Registrations(registrationRules, secrets, now)
  const clients = new Clients(documents, registrations, registrationRules)
  const keySets = new KeySets(fetching)
  const issuerKeys = new IssuerKeys(fetching, circumstances.keysOfIssuers)
  const clientAuthentication = new ClientAuthentication(methods, { clients, keySets, proofs, store, now })
  const grants = new Grants(store, chain, options.grants, emit)
  const redemptions = new Redemptions(store, chain, { refreshRetryWindow, replayTolerance }, emit, now)
  const authorizations = new Authorizations(clients, grants, resources)
  const apiRooms = { tokens, tenants, resources, baseUrl }
  const verifications = new AccessTokenVerifications({ ...apiRooms, store, proofs, scopes })
  const warnOfScopes = warnOfUnknownScopes(options.scopes === defaultScopes ? undefined : scopes)
  const guards = new AccessTokenGuards({ ...apiRooms, verifications, timeout, warnOfScopes, emit })
  const languages = new Languages(pages.words, pages.locale)
  const appearances = new Appearances(languages, { theme: pages.theme, links: pages.links })
  const scopeTexts = new ScopeTexts(options.scopes, pages.locale)
  const rules = { ...registrationRules, fetchesDocuments: fetching.ports.includes(443) }
  const health = new HealthChecks(store, keyring, () => documents?.counts() ?? noDocuments, emit, now)
  const known = new Set(clientOptions.known.map(({ document }) => document.client_id))
  const { consent, switchAccount } = pages
  const consents = new Consents({
    consent,
    switchAccount,
    consentTokens,
    store,
    appearances,
    scopeTexts,
    known,
    timeout,
    emit,
  })
  const revocations = new Revocations(store, chain, grants, tokens)
  const findCustomer = options.authenticate && customerSessions(options.authenticate, timeout, emit)
  const hasRegister = clientOptions.registration && externalEndpoints.registration === undefined
  const grantTypes = {
    authorization_code: authorizationCode({ redemptions, tokens }, grants),
    refresh_token: refreshToken({ redemptions, tokens }),
    client_credentials: clientCredentials(methods, authorizations, grants, tokens),
    'urn:ietf:params:oauth:grant-type:jwt-bearer': jwtBearer({
      assertions: new Assertions(issuerKeys, options.customerOf !== undefined, now),
      customerOf: options.customerOf,
      timeout,
      asserted: new AssertedGrants(grants, store, now),
      authorizations,
      clients,
      clientAuthentication,
      tokens,
    }),
  }
  const endpoints: Endpoints = {
    metadata: metadata({ externalEndpoints, grantTypes, methods, languageTags: languages.tags }),
    jwks: jwks(tokens),
    token: token({ clients, clientAuthentication, grantTypes, emit }),
    authorize:
      findCustomer && externalEndpoints.authorization === undefined
        ? authorize({ appearances, authorizations, findCustomer, consents, emit })
        : undefined,
    register: hasRegister ? register(registrations, emit) : undefined,
    revoke: externalEndpoints.revocation ? undefined : revoke(revocations, clients, clientAuthentication),
  }
  const destinations = { appRedirects, baseUrl: options.baseUrl }
  const connected = connectedGrants(registrations, documents, destinations, scopeTexts, languages, pages.locale)
  const ofCustomers = customerGrants(tenants, grants, store, connected, registrations)
  const ofTenants = tenantData(tenants, grants, store)
  const publicAddress = () => baseUrl.current()
  const connectTo = (to: ConnectRequest) => connect(to, publicAddress, tenants, assistants, rules, languages)
  const errorPage = errorPages(pages.error, appearances, timeout, emit)
  const isLimited = () => defaults().clientRules.allowed !== undefined
  const pageRooms = { tenants, baseUrl, tokens: pageTokens, store, appearances, errorPage, timeout, emit, now }
  const routerRooms = { tenants, baseUrl, resources, errorPage, emit }
  const router = new Router(endpoints, routerRooms, clientOptions.rootEndpoints)
  return Object.assign<Handler, Pick<CustomerSignIn, keyof CustomerSignIn>>(router.handle, {
    wellKnown: router.handleWellKnown,
    issueAuthorizationCode: (request) => issueAuthorizationCode(request, publicAddress, tenants, authorizations),
    refuseAuthorization: (request) => refuseAuthorization(request, publicAddress, tenants, authorizations, emit),
    auth: (of) => authOf(of, 'auth', emit),
    requireScopes: (of, required) => requireScopes(of, required, resources, baseUrl, warnOfScopes, emit),
    verifyAccessToken: (token, of) => verifications.verify(token, of),
    verifier: (of) => verifier(of, verifications, timeout, emit),
    requireAccessToken: (of) => guards.requireAccessToken(of),
    protectedResource: (of) => guards.protectedResource(of),
    health: async (request = {}) => health.check(request),
    setKeys: (keys) =>
      keyring.change(keys, ({ signingKeys, secrets }) => {
        tokens.use(signingKeys)
        for (const room of [chain, proofs, consentTokens, pageTokens, registrations]) room.use(secrets)
      }),
    checkIssuer: (check) => checkIssuer(check, tenants, publicAddress, fetching, options.customerOf !== undefined, now),
    connect: connectTo,
    grants: ofCustomers,
    tenants: ofTenants,
    pages: {
      connectedApps: (of) => connectedApps(of, ofCustomers, pageRooms),
      connectAssistant: (of) => connectAssistant(of, connectTo, pageRooms),
      administration: (of) =>
        administration(of, { grants: ofCustomers, tenants: ofTenants, connected }, isLimited, pageRooms),
    },
  })
}

const noDocuments = { kept: 0, stale: 0, failing: 0 }

function warnOfDefaults({ baseUrl, keys, tokenStore }: Options): void {
  if (baseUrl === undefined) warn('BASE_URL', 'baseUrl is not set: the public address is taken from the requests')
  if (keys.signing === undefined) warn('SIGNING_KEYS', 'keys.signing is not set: access tokens end with this process')
  if (process.env.NODE_ENV === 'production' && tokenStore instanceof MemoryTokenStore) {
    warn(
      'MEMORY_STORE',
      'MemoryTokenStore in production: every sign-in ends with this process, and other processes do not know it',
    )
  }
}

/**
 * What a tenant has if its record does not say otherwise. It is made again whenever the host has changed its options, and throws a
 * `ConfigurationError` while they cannot be used.
 */
function tenantDefaults(options: Options, given: CustomerSignInOptions): () => TenantDefaults {
  const { clients, pages, externalEndpoints } = options
  const fixed = {
    scopes: Object.keys(options.scopes),
    implied: impliedScopesOf(options.scopes),
    registration: clients.registration,
    registeredClients: clients.registration && externalEndpoints.registration === undefined,
    metadataDocuments: clients.documents !== false,
    askConsent: pages.askConsent,
    theme: pages.theme,
    links: pages.links,
  }
  let last: { said: string; made: TenantDefaults } | undefined
  return () => {
    const { lifetimes: asked, clients } = given
    const said = JSON.stringify({ asked, allowed: clients?.allowed, blocked: clients?.blocked })
    if (said === last?.said) return last.made
    const { lifetimes, allowed, blocked } = currentOptions(given)
    const made = { ...fixed, lifetimes, clientRules: { allowed, blocked: blocked ? [blocked] : [] } }
    last = { said, made }
    return made
  }
}
