// Where codes are defined.
const oauth = 'RFC 6749 section 5.2'
const authorization = 'RFC 6749 section 4.1.2.1'
const bearer = 'RFC 6750 section 3.1'
const registration = 'RFC 7591 section 3.2.2'
const device = 'RFC 8628 section 3.5'
const openid = 'OpenID Connect Core section 3.1.2.6'

/** What a company says that lets nobody connect by hand. */
export const enterpriseOnly = 'The company connects its customers through its own identity provider alone'

/**
 * A code of an error.
 *
 * @param status The HTTP status of the error, unless it says another one.
 * @param source Where the code is defined.
 * @param meaning What the error tells the client.
 * @param descriptions Every description that this library gives with the code. What stands between asterisks differs from request to request.
 */
function code<const Descriptions extends readonly string[] = readonly []>(
  status: number,
  source: string,
  meaning: string,
  descriptions: Descriptions = [] as never,
) {
  return { status, source, meaning, descriptions }
}

/** The codes that this library answers with. */
export const answeredCodes = {
  invalid_request: code(400, oauth, 'The request is malformed: a parameter is missing, repeated or wrong.', [
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
    'This API cannot be called from pages of this Origin',
  ]),
  invalid_client: code(
    401,
    oauth,
    'The server does not know the client, cannot use what the client says about itself, or has not authenticated the client.',
    [
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
  ),
  invalid_grant: code(400, oauth, 'The code, refresh token or assertion does not redeem a grant.', [
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
  ]),
  invalid_redirect_uri: code(
    400,
    registration,
    'The server accepts none of the redirect URIs that the client names for itself.',
    [
      'redirect_uris must be an array of 1 to *number*',
      'redirect_uris[*n*] *fault*',
      'redirect_uris must not be on the host of this server',
      'redirect_uris must lead where the company allows clients',
    ],
  ),
  invalid_client_metadata: code(400, registration, 'The server does not accept what the client says about itself.', [
    'client_name must be a string',
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
  ]),
  unauthorized_client: code(400, oauth, 'The client may not make this request.', [
    'The company does not allow this client',
    'The client may not use this grant_type',
    'The client may not use authorization codes',
    'redirect_uri is not registered for this client',
  ]),
  access_denied: code(400, authorization, 'The customer or the company refuses.', [
    'The customer has refused',
    'Clients cannot register here',
    enterpriseOnly,
  ]),
  login_required: code(400, openid, 'The customer is not signed in, and the request forbids a login page.', [
    'The customer is not signed in',
  ]),
  consent_required: code(
    400,
    openid,
    'The customer has to be asked for consent, and the request forbids a page for that.',
    ['The customer must be asked for consent'],
  ),
  interaction_required: code(400, openid, 'The customer has to see a page, and the request forbids pages.', [
    'prompt must not be none: this client always needs the consent of the customer',
  ]),
  unsupported_response_type: code(400, authorization, 'The authorization endpoint does not have this response type.', [
    'response_type must be code',
  ]),
  unsupported_grant_type: code(400, oauth, 'The token endpoint does not have this grant type.', [
    'grant_type must be *grant types*',
  ]),
  invalid_scope: code(400, oauth, 'The request asks for a scope that cannot be granted.', [
    'scope names no scope that can be granted',
    'scope names a scope that cannot be granted: *scope*',
    'scope is empty: leave it out to ask for all scopes of the client',
    'This tenant no longer offers any of the granted scopes',
    'This tenant offers none of the scopes of the client',
  ]),
  invalid_target: code(400, 'RFC 8707 section 2', 'The request names a resource that no token can be for.', [
    'resource must be an absolute URL without a fragment',
    'resource must name only one resource',
    'This tenant does not have this resource',
    'resource is not the one that was granted',
    'resource is not one that the assertion is for',
  ]),
  invalid_token: code(401, bearer, 'The request has no access token that is valid here.', [
    'The access token is malformed',
    'This server did not issue the access token',
    'The access token has expired',
    'The access token is not for this tenant',
    'The access token is not for this resource',
    'The access token has been revoked',
    'The access token is bound to a key: it must come with a DPoP proof',
    'The access token is not bound to a key',
  ]),
  invalid_dpop_proof: code(400, 'RFC 9449 sections 5 and 7.1', 'The DPoP proof is missing or not valid.', [
    'The DPoP proof *problem*',
    '*credential* is bound to a key: the request must have a DPoP proof',
    'The request must have a DPoP proof',
  ]),
  use_dpop_nonce: code(
    400,
    'RFC 9449 sections 8 and 9',
    'The DPoP proof must have the nonce of the response: its own time cannot be true.',
    ['The DPoP proof must have a nonce of this server, because its iat is not the time here'],
  ),
  insufficient_scope: code(403, bearer, 'The access token lacks a scope that the API requires.', [
    'The access token must have the scope *scopes*',
    'This API accepts only access tokens for a *kinds*',
  ]),
  not_found: code(404, 'this library', 'Nothing is served at this address.', [
    'There is no customer sign-in at this address',
    'This tenant does not have this API',
  ]),
  method_not_allowed: code(405, 'this library', 'The address is not for this HTTP method.', [
    'The method must be *methods*',
  ]),
  server_error: code(500, authorization, 'The server is misconfigured or has failed unexpectedly.', [
    'Sign-in failed unexpectedly',
    'This API is misconfigured',
    'Customer sign-in is misconfigured at this address',
  ]),
  temporarily_unavailable: code(
    503,
    authorization,
    'The server cannot answer now: the client keeps what it has and tries again.',
    [
      'Sign-in is temporarily unavailable, try again shortly',
      'The metadata document of client_id cannot be fetched at the moment',
      'Too many client metadata documents are being fetched',
      'Too many requests present unknown credentials',
      'Too many assertions of this company',
      'The customer has allowed too many requests in this minute',
      'The keys of the client cannot be fetched at the moment',
      'The keys of the issuer cannot be fetched at the moment',
    ],
  ),
}

/** The other codes that a host can throw. */
export const hostCodes = {
  too_many_requests: code(
    429,
    'the MCP SDKs',
    'The client sends too many requests: it keeps what it has and tries again later.',
  ),
  account_selection_required: code(
    400,
    openid,
    'The customer has to choose an account, and the request forbids a page for that.',
  ),
  invalid_request_uri: code(400, openid, 'The request object cannot be fetched from its address.'),
  invalid_request_object: code(400, openid, 'The request object is not valid.'),
  request_not_supported: code(400, openid, 'The server does not have the parameter request.'),
  request_uri_not_supported: code(400, openid, 'The server does not have the parameter request_uri.'),
  registration_not_supported: code(400, openid, 'The server does not have the parameter registration.'),
  unsupported_token_type: code(400, 'RFC 7009 section 2.2.1', 'The server does not revoke this type of token.'),
  invalid_software_statement: code(400, registration, 'The software statement of a registration is not valid.'),
  unapproved_software_statement: code(
    400,
    registration,
    'The server does not approve of the software statement of a registration.',
  ),
  authorization_pending: code(400, device, 'The customer has not yet answered on the other device.'),
  slow_down: code(400, device, 'The device asks too often.'),
  expired_token: code(400, device, 'The device code has expired.'),
  insufficient_user_authentication: code(
    401,
    'RFC 9470 section 3',
    'The customer has to sign in again, or in a stronger way.',
  ),
}

/** Every code that an {@link OAuthError} can have. */
export const oauthErrorCodes = { ...answeredCodes, ...hostCodes }

/** The code of an {@link OAuthError}: what the client is told as `error` (RFC 6749 section 5.2, docs/errors.md). @useDeclaredType */
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
