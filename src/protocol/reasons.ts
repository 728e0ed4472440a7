import { isOAuthErrorCode, type OAuthErrorCode } from './oauth-error-codes'

/** Words for why a request was denied that say more than the OAuth error code. docs/events.md has what is said of each here. */
export const denialReasons = [
  // This library did not make the code or refresh token, or the client sent one in place of the other.
  'malformed_credential',
  // It has the right form, but this server did not issue it to this client of this tenant.
  'unknown_credential',
  // It had expired: see the event `expired`.
  'expired',
  // Its grant is gone before its time. An earlier `revoked` or `replayed` with this `grantId` says who ended it. If there is none, your
  // store has lost the grant.
  'ended_or_lost',
  // It has already been used: see the event `replayed`. Or an assertion was sent a second time: that of a client, with the error
  // `invalid_client`, or that of a trusted issuer, with `invalid_grant`; there is no event `replayed` then.
  'replayed',
  // Another client presented a live credential, or an assertion that names another client; `detail.presentedBy` names that client. The event
  // names the client that the credential was issued to.
  'wrong_client',
  // A live code came with another redirect URI, or an authorization request has a redirect URI that the client has not registered. If the
  // client cannot register it, `detail.fault` says why.
  'wrong_redirect_uri',
  // A live code came with a verifier that does not match its challenge.
  'wrong_code_verifier',
  // The request proves another key than that of the code or refresh token (DPoP): whoever sends it has stolen that. Nothing has ended.
  'wrong_key',
  // The code or refresh token, the client or the company requires a DPoP proof, and the request has none.
  'no_proof',
  // The access token is bound to a key, and came as a bearer token, or to a verifier that does not see the request.
  'bound_token',
  // The access token is not bound to a key, and came with the scheme `DPoP`, or the company has `requireDpop`.
  'unbound_token',
  // The grant or access token is for another API.
  'wrong_resource',
  // The client asks for an API that the tenant does not have: `detail.asked` leads to none of `detail.accepted`, or to more than one.
  'unknown_resource',
  // You no longer serve the API of the grant: its address has changed.
  'resource_gone',
  // The tenant no longer offers any scope of the grant.
  'scopes_gone',
  // The request asks for scopes (`detail.asked`), and none of them is in `detail.accepted`. In a refresh: none of them was granted.
  'scope_not_offered',
  // The client does not use PKCE, or not with `S256`.
  'no_code_challenge',
  // None of the redirect URIs of a registration or metadata document is accepted: `detail.faults` says what is wrong with each of
  // `detail.asked`, or `detail.why` with those in a `client_id`.
  'redirect_uris_refused',
  // A client tried to register, or a customer to connect one that did, and `clients.registration` or the company's `registration` is off,
  // or the clients that are allowed have no `redirectHosts`.
  'registration_off',
  // The `client_id` is an https address, and `clients.documents` or the company's `metadataDocuments` is off.
  'documents_off',
  // A rule of the company keeps the client out: `detail.rule` is `allowedClients`, `blockedClients` or, for an assertion,
  // `trustedIssuers.clients`. `detail.clientId` is the client; of a registration, `detail.asked` has its redirect URIs.
  'client_not_allowed',
  // There is no client with this id, or there no longer is one. If the id carries a registration that is not accepted now, `detail.why`
  // says what is wrong with it.
  'client_gone',
  // The assertion is of an issuer that the company's `trustedIssuers` does not have: `detail.asked` is none of `detail.accepted`.
  'issuer_not_trusted',
  // The issuer serves many companies, or vouches for workloads, and the company's record does not say by its `claims` which assertions are
  // about this company. `detail.pinned` has the claims that it does pin.
  'issuer_not_pinned',
  // Something is wrong with the assertion of a trusted issuer: the description says what. `detail.issuer` is the issuer.
  'assertion_refused',
  // The assertion of a trusted issuer does not have the claim `detail.claim` with a value of `detail.accepted`, as the company's record requires.
  'wrong_claim',
  // The assertion of a trusted issuer is about nobody who is a customer: it does not have the claim `detail.claim`, or your `customerOf`
  // returned nothing.
  'no_customer',
  // The assertion of a trusted issuer was issued before its customer, its client or its company was ended.
  'asserted_before_end',
  // The metadata or the keys of a trusted issuer cannot be fetched now: `detail.reason` says why.
  'issuer_unavailable',
  // The metadata or the keys of a trusted issuer have been fetched, and cannot be used: `detail.reason` says why.
  'issuer_unusable',
  // The company has `enterpriseOnly`: a customer tried to connect by hand, or a client to refresh what was connected by hand. Nothing has ended.
  'enterprise_only',
  // The client must authenticate, and the request presents nothing that counts.
  'not_authenticated',
  // The client's secret or assertion is not valid, or its keys cannot be used; `detail.clientId` names the client. An assertion that was
  // used before has the reason `replayed`.
  'authentication_failed',
  // The client can authenticate only by methods that `clients.authentication` does not have.
  'method_off',
  // The metadata document of the client cannot be fetched now, and there is no copy to use. `detail.reason` says why.
  'document_unavailable',
  // The metadata document of the client has been fetched, and is not valid; or its server says that it is not there; or its address is an
  // IP address or a port that is not allowed. `detail.reason` says why.
  'document_unusable',
  // `findTenant` found no tenant for this key, or gave a record with another `key`: the company is switched off, or never existed. Or it
  // has a domain of its own, and the request came to an address that it does not have. With `detail.host`, the path has a key and that host
  // is the own domain of a company.
  'tenant_gone',
  // Your `accessTokenClaims` threw an `OAuthError`.
  'claims_refused',
  // Your `authenticate` threw an `OAuthError`.
  'login_refused',
  // Your `customerOf` threw an `OAuthError`.
  'customer_refused',
  // Your `pages.consent` threw an `OAuthError`.
  'consent_refused',
  // A store threw an `OAuthError`.
  'store_refused',
  // A function that you gave to a guard threw an `OAuthError`.
  'guard_refused',
  // The `sign` function of a key in a KMS or HSM threw an `OAuthError`.
  'signer_refused',
  // The customer refused the request: see the event `declined`, which the library's own page tells.
  'declined',
  // The `Authorization` header contains no bearer token.
  'malformed_token',
  // The access token was not signed with one of `keys.signing`.
  'unknown_token',
  // The access token has expired: the client should have refreshed it.
  'token_expired',
  // The access token belongs to another company; `tenantId` says which.
  'wrong_tenant',
  // The access token belongs to this company, but was issued under another address: `baseUrl` has changed.
  'wrong_issuer',
  // The access token is for a client without a customer, or for a workload, and the guard does not accept those; or the other way round.
  'subject_not_accepted',
  // The request comes from a page, `detail.asked`, that is not one of the `allowedOrigins` of the API.
  'origin_not_allowed',
] as const

/** Why a request was denied: a stable word that says more than the OAuth error code, or else that code (docs/events.md). @useDeclaredType */
export type DenialReason = [...typeof denialReasons, OAuthErrorCode][number]

/** Whether a word is a reason of denials. */
export function isDenialReason(word: string | undefined): word is DenialReason {
  return denialReasons.some((known) => known === word) || isOAuthErrorCode(word)
}

/** Words of `error` events for what has failed. docs/events.md has what is said of each here. */
export const faultReasons = [
  // A call of the token store rejected, or took longer than `hostTimeout`.
  'token_store_failed',
  // `findTenant` or `findTenantByHost` rejected, or took longer than `hostTimeout`.
  'tenant_store_failed',
  // `authenticate`, `customerOf`, `pages.consent`, `pages.error`, `accessTokenClaims` or `verifier.invalidToken` threw an error or returned a wrong
  // value; or a function of a guard threw an error.
  'hook_failed',
  // `authenticate` found no customer three times for one sign-in in ten minutes. Mostly the browser does not send the cookie of your session: it is
  // `Secure` behind a proxy without `trust proxy`, or `SameSite=Strict`, or has another domain or path. Told at most once a minute.
  'login_loop',
  // The `sign` function of a key in a KMS or HSM threw an error, took longer than `hostTimeout`, or returned a signature that its public
  // key does not verify.
  'signer_failed',
  // The tenant's record breaks a rule, or a function of a guard returns no text, or a guard requires a scope that does not exist, or `auth`
  // or `requireScopes` was called without a guard in front, or something in front of sign-in has read the body of the request.
  'misconfigured',
  // A fault of this library: please report it with the event's `error`.
  'unexpected',
] as const

/** What has failed, as an `error` event says it, in a stable word for programs (docs/events.md). @useDeclaredType */
export type FaultReason = (typeof faultReasons)[number]

/** The parts of a host's code that can refuse or fail, with the reason of the event for each. */
export const blames = {
  tokenStore: { refused: 'store_refused', failed: 'token_store_failed' },
  tenantStore: { refused: 'store_refused', failed: 'tenant_store_failed' },
  accessTokenClaims: { refused: 'claims_refused', failed: 'hook_failed' },
  authenticate: { refused: 'login_refused', failed: 'hook_failed' },
  customerOf: { refused: 'customer_refused', failed: 'hook_failed' },
  pages: { refused: 'consent_refused', failed: 'hook_failed' },
  keys: { refused: 'signer_refused', failed: 'signer_failed' },
  guard: { refused: 'guard_refused', failed: 'hook_failed' },
} as const satisfies Record<string, { refused: DenialReason; failed: FaultReason }>

/** A part of a host's code that can refuse or fail. */
export type PartOfHost = keyof typeof blames
