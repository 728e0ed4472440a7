// More than 300 lines: one table, from which the compiler makes types.

interface OAuthErrorDefinition {
  /** The HTTP status of the error, unless it says another one. */
  status: number
  /** What the error tells the client. */
  meaning: string
  /** Where the code is defined. */
  source: string
  /** Every description that this library gives with the code. What stands between asterisks differs from request to request. */
  descriptions?: readonly string[] | undefined
}

/** What a company says that lets nobody connect by hand. */
export const enterpriseOnly = 'The company connects its customers through its own identity provider alone'

/** The codes that this library answers with. */
export const answeredCodes = {
  invalid_request: {
    status: 400,
    meaning: 'The request is malformed: a parameter is missing, repeated or wrong.',
    source: 'RFC 6749 section 5.2',
    descriptions: [
      '*parameter* is missing',
      '*parameter* must be sent exactly once',
      '*parameter* must be sent once, as a string',
      '*parameter* must be a string',
      'Content-Type must be *type*',
      'charset must be UTF-8',
      'Content-Encoding must be gzip, deflate, br or none',
      'The body must be a JSON object',
      'The body must not be larger than *number* bytes',
      'The body cannot be read',
      'The user name in the Authorization header must be the client_id',
      'client_id is not the user name in the Authorization header',
      'client_id is not the sub of client_assertion',
      'client_assertion_type must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      'The client must authenticate in one way only',
      'client_id must be at most 2048 characters of printable ASCII',
      'response_mode must be query',
      'prompt must not combine none with another value',
      'code_challenge must be 43 base64url characters',
      'code_challenge_method must be S256',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
      'dpop_jkt must be 43 base64url characters',
    ],
  },
  invalid_client: {
    status: 401,
    meaning:
      'The server does not know the client, cannot use what the client says about itself, or has not authenticated the client.',
    source: 'RFC 6749 section 5.2',
    descriptions: [
      'There is no client with this client_id',
      'The metadata document of client_id cannot be used',
      'The metadata document of client_id cannot be used: *reason*',
      'The client must authenticate',
      'The client does not authenticate by *method*',
      'The client_secret is not valid',
      'client_assertion *problem*',
      'The keys of the client cannot be used: *reason*',
      'The option clients.authentication has no method of this client: *methods*',
    ],
  },
  invalid_grant: {
    status: 400,
    meaning: 'The code, refresh token or assertion does not redeem a grant.',
    source: 'RFC 6749 section 5.2',
    descriptions: [
      'The company does not allow this client',
      '*credential* is unknown',
      '*credential* is unknown or has expired',
      '*credential* has been used already',
      '*credential* was granted for a resource that this server no longer serves',
      '*credential* was issued to another client',
      '*credential* was requested with another redirect_uri',
      '*credential* was requested with a code_challenge that does not match the code_verifier',
      '*credential* was requested with another dpop_jkt',
      'The assertion *problem*',
      enterpriseOnly,
    ],
  },
  invalid_redirect_uri: {
    status: 400,
    meaning: 'The server accepts none of the redirect URIs that the client names for itself.',
    source: 'RFC 7591 section 3.2.2',
    descriptions: [
      'redirect_uris must be an array of 1 to *number*',
      'redirect_uris[*n*] *fault*',
      'redirect_uris must not be on the host of this server',
      'redirect_uris must lead where the company allows clients',
    ],
  },
  invalid_client_metadata: {
    status: 400,
    meaning: 'The server does not accept what the client says about itself.',
    source: 'RFC 7591 section 3.2.2',
    descriptions: [
      'client_name must be a string of at most *number* characters',
      'scope must be a string',
      'dpop_bound_access_tokens must be true or false',
      'The client_id carries redirect_uris, client_name, the host of client_uri, and jwks or jwks_uri in at most *number* characters: shorten *member*',
      'grant_types must include *grant types*',
      'response_types must include code',
      "client_id in the document does not match the document's URL",
      'the document must not have a client_secret, because everyone can read it',
      'token_endpoint_auth_method must be *methods*: see the option clients.authentication',
      'private_key_jwt needs either jwks or jwks_uri',
      'jwks_uri must be an https URL',
      'jwks *problem*',
      'the document must have a client_name',
      'the document must be JSON',
      'the Content-Type of the document must be application/json',
    ],
  },
  unauthorized_client: {
    status: 400,
    meaning: 'The client may not make this request.',
    source: 'RFC 6749 section 5.2',
    descriptions: [
      'The company does not allow this client',
      'The client may not use this grant_type',
      'The client may not use authorization codes',
      'redirect_uri is not registered for this client',
    ],
  },
  access_denied: {
    status: 400,
    meaning: 'The customer or the company refuses.',
    source: 'RFC 6749 section 4.1.2.1',
    descriptions: ['The customer has refused', 'Clients cannot register here', enterpriseOnly],
  },
  login_required: {
    status: 400,
    meaning: 'The customer is not signed in, and the request forbids a login page.',
    source: 'OpenID Connect Core section 3.1.2.6',
    descriptions: ['The customer is not signed in'],
  },
  consent_required: {
    status: 400,
    meaning: 'The customer has to be asked for consent, and the request forbids a page for that.',
    source: 'OpenID Connect Core section 3.1.2.6',
    descriptions: ['The customer must be asked for consent'],
  },
  interaction_required: {
    status: 400,
    meaning: 'The customer has to see a page, and the request forbids pages.',
    source: 'OpenID Connect Core section 3.1.2.6',
    descriptions: ['prompt must not be none: this client always needs the consent of the customer'],
  },
  unsupported_response_type: {
    status: 400,
    meaning: 'The authorization endpoint does not have this response type.',
    source: 'RFC 6749 section 4.1.2.1',
    descriptions: ['response_type must be code'],
  },
  unsupported_grant_type: {
    status: 400,
    meaning: 'The token endpoint does not have this grant type.',
    source: 'RFC 6749 section 5.2',
    descriptions: ['grant_type must be *grant types*'],
  },
  invalid_scope: {
    status: 400,
    meaning: 'The request asks for a scope that cannot be granted.',
    source: 'RFC 6749 section 5.2',
    descriptions: [
      'scope names no scope that can be granted',
      'scope names a scope that cannot be granted: *scope*',
      'scope is empty: leave it out to ask for all scopes of the client',
      'This tenant no longer offers any of the granted scopes',
      'This tenant offers none of the scopes of the client',
    ],
  },
  invalid_target: {
    status: 400,
    meaning: 'The request names a resource that no token can be for.',
    source: 'RFC 8707 section 2',
    descriptions: [
      'resource must be an absolute URL without a fragment',
      'resource must name only one resource',
      'This tenant does not have this resource',
      'resource is not the one that was granted',
      'resource is not one that the assertion is for',
    ],
  },
  invalid_token: {
    status: 401,
    meaning: 'The request has no access token that is valid here.',
    source: 'RFC 6750 section 3.1',
    descriptions: [
      'The access token is malformed',
      'This server did not issue the access token',
      'The access token has expired',
      'The access token is not for this tenant',
      'The access token is not for this resource',
      'The access token has been revoked',
      'The access token is bound to a key: it must come with a DPoP proof',
      'The access token is not bound to a key',
    ],
  },
  invalid_dpop_proof: {
    status: 400,
    meaning: 'The DPoP proof is missing or not valid.',
    source: 'RFC 9449 sections 5 and 7.1',
    descriptions: [
      'The DPoP proof *problem*',
      '*credential* is bound to a key: the request must have a DPoP proof',
      'The request must have a DPoP proof',
    ],
  },
  use_dpop_nonce: {
    status: 400,
    meaning: 'The DPoP proof must have the nonce of the response: its own time cannot be true.',
    source: 'RFC 9449 sections 8 and 9',
    descriptions: ['The DPoP proof must have a nonce of this server, because its iat is not the time here'],
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The access token lacks a scope that the API requires.',
    source: 'RFC 6750 section 3.1',
    descriptions: [
      'The access token must have the scope *scopes*',
      'This API accepts only access tokens for a *kinds*',
    ],
  },
  not_found: {
    status: 404,
    meaning: 'Nothing is served at this address.',
    source: 'this library',
    descriptions: ['There is no customer sign-in at this address', 'This tenant does not have this API'],
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The address is not for this HTTP method.',
    source: 'this library',
    descriptions: ['The method must be *methods*'],
  },
  server_error: {
    status: 500,
    meaning: 'The server is misconfigured or has failed unexpectedly.',
    source: 'RFC 6749 section 4.1.2.1',
    descriptions: [
      'Sign-in failed unexpectedly',
      'This API is misconfigured',
      'Customer sign-in is misconfigured at this address',
    ],
  },
  temporarily_unavailable: {
    status: 503,
    meaning: 'The server cannot answer now: the client keeps what it has and tries again.',
    source: 'RFC 6749 section 4.1.2.1',
    descriptions: [
      'Sign-in is temporarily unavailable, try again shortly',
      'The metadata document of client_id cannot be fetched at the moment',
      'Too many client metadata documents are being fetched',
      'Too many requests present unknown credentials',
      'Too many assertions of this company',
      'The customer has allowed too many requests in this minute',
      'The keys of the client cannot be fetched at the moment',
      'The keys of the issuer cannot be fetched at the moment',
    ],
  },
} as const satisfies Record<string, OAuthErrorDefinition>

const elsewhere = (source: string, meaning: string, status = 400): OAuthErrorDefinition => ({ status, meaning, source })
const openid = 'OpenID Connect Core section 3.1.2.6'

/** The other codes that a host can throw. */
export const hostCodes = {
  too_many_requests: elsewhere(
    'the MCP SDKs',
    'The client sends too many requests: it keeps what it has and tries again later.',
    429,
  ),
  account_selection_required: elsewhere(
    openid,
    'The customer has to choose an account, and the request forbids a page for that.',
  ),
  invalid_request_uri: elsewhere(openid, 'The request object cannot be fetched from its address.'),
  invalid_request_object: elsewhere(openid, 'The request object is not valid.'),
  request_not_supported: elsewhere(openid, 'The server does not have the parameter request.'),
  request_uri_not_supported: elsewhere(openid, 'The server does not have the parameter request_uri.'),
  registration_not_supported: elsewhere(openid, 'The server does not have the parameter registration.'),
  unsupported_token_type: elsewhere('RFC 7009 section 2.2.1', 'The server does not revoke this type of token.'),
  invalid_software_statement: elsewhere(
    'RFC 7591 section 3.2.2',
    'The software statement of a registration is not valid.',
  ),
  unapproved_software_statement: elsewhere(
    'RFC 7591 section 3.2.2',
    'The server does not approve of the software statement of a registration.',
  ),
  authorization_pending: elsewhere('RFC 8628 section 3.5', 'The customer has not yet answered on the other device.'),
  slow_down: elsewhere('RFC 8628 section 3.5', 'The device asks too often.'),
  expired_token: elsewhere('RFC 8628 section 3.5', 'The device code has expired.'),
  insufficient_user_authentication: elsewhere(
    'RFC 9470 section 3',
    'The customer has to sign in again, or in a stronger way.',
    401,
  ),
}

/** Every code that an {@link OAuthError} can have. */
export const oauthErrorCodes = { ...answeredCodes, ...hostCodes }

/**
 * The code of an {@link OAuthError}: what the client is told as `error` (RFC 6749 section 5.2). docs/errors.md explains each.
 *
 * @useDeclaredType
 */
export type OAuthErrorCode = keyof (typeof answeredCodes & typeof hostCodes)

/** A code that this library answers with. */
export type AnsweredCode = keyof typeof answeredCodes

/** A description that this library gives with a code. */
export type ErrorDescription<Code extends AnsweredCode> = Filled<(typeof answeredCodes)[Code]['descriptions'][number]>

/** The texts of a pattern. */
type Filled<Pattern extends string> = Pattern extends `${infer Before}*${string}*${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Pattern

/** Whether a value is the code of an OAuth error. */
export function isOAuthErrorCode(given: unknown): given is OAuthErrorCode {
  return typeof given === 'string' && Object.hasOwn(oauthErrorCodes, given)
}
