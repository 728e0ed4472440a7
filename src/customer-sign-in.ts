import type { IncomingMessage } from 'node:http'
import { ConsentTokens } from './authorization/consent-tokens'
import {
  type IssueAuthorizationCodeRequest,
  type IssuedAuthorizationCode,
  issueAuthorizationCode,
} from './authorization/issue-authorization-code'
import { MetadataDocuments } from './clients/metadata-documents'
import { type RegisteredClients, registeredClients } from './clients/registered-clients'
import { emitter, warn } from './events/events'
import { CredentialChain } from './grants/credential-chain'
import { type CustomerGrants, customerGrants } from './grants/customer-grants'
import { Swaps, type SwapTimes } from './grants/swaps'
import { BaseUrl } from './http/base-url'
import type { FetchGuard } from './http/guarded-fetch'
import { lookUpByDns, lookUpBySystem } from './http/name-lookup'
import { PublicDocuments } from './http/public-documents'
import { type CustomerSignInOptions, checkedOptions, type DocumentSources, type Options } from './options'
import { type ProtectedResourceOptions, protectedResource } from './resource-server/protected-resource'
import {
  type Middleware,
  type RequireAccessTokenOptions,
  requireAccessToken,
  type TenantRequest,
} from './resource-server/require-access-token'
import { type AccessTokenVerifier, type VerifierOptions, verifier } from './resource-server/verifier'
import {
  type AccessTokenInfo,
  type TenantSelector,
  type VerifyAccessTokenOptions,
  verifyAccessToken,
} from './resource-server/verify-access-token'
import { createRouter, createWellKnown, type Handler } from './router'
import type { Service } from './service'
import { GuardedStore } from './stores/guarded-store'
import { loadSigningKeys, privateParts, temporarySigningKeys } from './tokens/signing-keys'

/** The router, to be mounted as it is, with the rest of the API as its properties. */
export interface CustomerSignIn extends Handler {
  /**
   * The handler of the metadata's place at the root of the host (RFC 8414 section 3), for a `baseUrl` with a path.
   *
   * @example
   * app.use(signIn.wellKnown)
   * app.use('/auth', signIn)   // baseUrl: 'https://assistant.example/auth'
   */
  wellKnown: Handler

  /**
   * Stores a grant and gives its authorization code, for hosts with an authorize page of their own.
   *
   * @returns The code, valid for `authorizationCodeLifetime` seconds and once, and the complete URL to send the browser to.
   * @throws {OAuthError} `not_found`, `invalid_client`, `invalid_request`, `invalid_scope`, `invalid_target`;
   * `unauthorized_client` when the redirect URI is not the client's: do not redirect to it then.
   *
   * @example
   * const { redirectTo } = await signIn.issueAuthorizationCode({
   *   tenantKey: 'acme', clientId, redirectUri, codeChallenge, codeChallengeMethod: 'S256', subject: customer.id, state,
   * })
   * res.redirect(redirectTo)
   */
  issueAuthorizationCode(request: IssueAuthorizationCodeRequest): Promise<IssuedAuthorizationCode>

  /**
   * Verifies an access token of one tenant and one resource (RFC 9068 section 4).
   *
   * @throws {OAuthError} `invalid_token` (401), `insufficient_scope` (403), `not_found` for an unknown tenant,
   * `temporarily_unavailable` when a store fails.
   *
   * @example
   * const { subject } = await signIn.verifyAccessToken(token, { tenantKey: 'acme', scopes: 'profile' })
   */
  verifyAccessToken(token: string, check: VerifyAccessTokenOptions & TenantSelector): Promise<AccessTokenInfo>

  /** A verifier for the MCP SDK's `requireBearerAuth({ verifier })`. */
  verifier(options: VerifierOptions): AccessTokenVerifier

  /**
   * The middleware of the host's own API (RFC 6750): lets a request with a good access token through, with `req.auth` set.
   *
   * It answers 401 with a bare `Bearer` challenge without a token, 401 `invalid_token`, 403 `insufficient_scope`, 404 for an unknown
   * tenant and 503 when a store fails.
   *
   * @example
   * app.get('/v1/:tenantKey/me', signIn.requireAccessToken({ tenantKey: (req) => req.params.tenantKey }), handler)
   */
  requireAccessToken<R extends IncomingMessage = TenantRequest>(
    required: RequireAccessTokenOptions<R> & { tenantKey: (req: R) => string },
  ): Middleware<R>
  requireAccessToken<R extends IncomingMessage = IncomingMessage>(
    required: RequireAccessTokenOptions<R> & { tenantKey: string },
  ): Middleware<R>

  /**
   * Announces an API that every tenant has, and gives the middleware that guards it: its challenges lead clients to the resource's
   * metadata, and from there to the tenant's sign-in (RFC 9728).
   *
   * @throws {ConfigurationError} for a wrong option.
   *
   * @example
   * app.post('/v1/:tenantKey/mcp', signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: ['profile'] }), handler)
   */
  protectedResource(options: ProtectedResourceOptions): Middleware<IncomingMessage>

  /** The clients that customers have connected. */
  grants: CustomerGrants

  /** The clients that registered themselves. */
  clients: RegisteredClients
}

/**
 * Makes the host app an OAuth 2.0 authorization server for the customers of many companies (docs at the README).
 *
 * @throws {ConfigurationError} for an option that is unknown, wrong, or missing.
 *
 * @example
 * const signIn = createCustomerSignIn({ tenantStore, tokenStore })
 * app.use(signIn)
 */
export function createCustomerSignIn(options: CustomerSignInOptions): CustomerSignIn {
  const service = createService(checkedOptions(options))
  return Object.assign(createRouter(service), {
    wellKnown: createWellKnown(service),
    issueAuthorizationCode: (request: IssueAuthorizationCodeRequest) => issueAuthorizationCode(request, service),
    verifyAccessToken: (token: string, check: VerifyAccessTokenOptions & TenantSelector) =>
      verifyAccessToken(token, check, service),
    verifier: (of: VerifierOptions) => verifier(of, service),
    requireAccessToken: <R extends IncomingMessage>(required: RequireAccessTokenOptions<R>) =>
      requireAccessToken(required, service),
    protectedResource: (of: ProtectedResourceOptions) => protectedResource(of, service),
    grants: customerGrants(service),
    clients: registeredClients(service),
  })
}

function createService(options: Options): Service {
  const { baseUrl, signingKeys: given } = options
  if (baseUrl === undefined) warn('BASE_URL', 'baseUrl is not set: the public address is taken from the requests')
  if (given === undefined) warn('SIGNING_KEYS', 'signingKeys is not set: access tokens end with this process')
  const { metadataDocuments, appRedirects } = options
  const signingKeys = given ? loadSigningKeys(given) : temporarySigningKeys()
  const secrets = options.credentialSecrets ?? privateParts(signingKeys)
  const tokenStore = new GuardedStore(options.tokenStore, options.hostTimeout * 1000)
  return {
    options,
    baseUrl: new BaseUrl(baseUrl),
    tokenStore,
    signingKeys,
    chain: new CredentialChain(secrets),
    swaps: new Swaps(tokenStore, swapTimes(options)),
    consentTokens: new ConsentTokens(secrets),
    publicDocuments: new PublicDocuments(),
    metadataDocuments: metadataDocuments
      ? new MetadataDocuments(fetchGuard(metadataDocuments), appRedirects)
      : undefined,
    protectedResources: [],
    emit: emitter(options.onEvent),
  }
}

function fetchGuard(sources: Exclude<DocumentSources, false>): FetchGuard {
  const ports = typeof sources === 'object' ? sources.ports : [443]
  // What is on this machine may be in its hosts file alone.
  return sources === 'with-loopback'
    ? { allowLoopback: true, ports, lookUp: lookUpBySystem }
    : { allowLoopback: false, ports, lookUp: lookUpByDns() }
}

// Parallel requests of one client refresh within some seconds, and the last to save its tokens need not have the newest.
const maxBurst = 10

function swapTimes({ refreshRetryWindow, replayTolerance }: Options): SwapTimes {
  return {
    remember: Math.max(refreshRetryWindow, replayTolerance) * 1000,
    rest: Math.min(refreshRetryWindow, maxBurst) * 1000,
  }
}
