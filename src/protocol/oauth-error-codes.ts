interface OAuthErrorDefinition {
  /** The HTTP status of the error, unless it says another one. */
  status: number
  /** What the error tells the client. */
  meaning: string
  /** Where the code is defined. */
  source: string
}

/** The codes that this library answers with. */
export const answeredCodes = {
  invalid_request: {
    status: 400,
    meaning: 'The request is malformed: a parameter is missing, repeated or wrong.',
    source: 'RFC 6749 section 5.2',
  },
  invalid_client: {
    status: 401,
    meaning: 'The server does not know the client, or cannot use what the client says about itself.',
    source: 'RFC 6749 section 5.2',
  },
  invalid_grant: {
    status: 400,
    meaning: 'The code or refresh token does not redeem a grant.',
    source: 'RFC 6749 section 5.2',
  },
  invalid_redirect_uri: {
    status: 400,
    meaning: 'The server does not accept a redirect URI that the client names for itself.',
    source: 'RFC 7591 section 3.2.2',
  },
  invalid_client_metadata: {
    status: 400,
    meaning: 'The server does not accept what the client says about itself.',
    source: 'RFC 7591 section 3.2.2',
  },
  unauthorized_client: {
    status: 400,
    meaning: 'The client may not make this request.',
    source: 'RFC 6749 section 5.2',
  },
  access_denied: {
    status: 400,
    meaning: 'The customer or the company refuses.',
    source: 'RFC 6749 section 4.1.2.1',
  },
  login_required: {
    status: 400,
    meaning: 'The customer is not signed in, and the request forbids a login page.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  consent_required: {
    status: 400,
    meaning: 'The customer has to be asked for consent, and the request forbids a page for that.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  interaction_required: {
    status: 400,
    meaning: 'The customer has to see a page, and the request forbids pages.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  unsupported_response_type: {
    status: 400,
    meaning: 'The authorization endpoint does not have this response type.',
    source: 'RFC 6749 section 4.1.2.1',
  },
  unsupported_grant_type: {
    status: 400,
    meaning: 'The token endpoint does not have this grant type.',
    source: 'RFC 6749 section 5.2',
  },
  invalid_scope: {
    status: 400,
    meaning: 'The request asks for a scope that cannot be granted.',
    source: 'RFC 6749 section 5.2',
  },
  invalid_target: {
    status: 400,
    meaning: 'The request names a resource that no token can be for.',
    source: 'RFC 8707 section 2',
  },
  invalid_token: {
    status: 401,
    meaning: 'The request has no access token that is valid here.',
    source: 'RFC 6750 section 3.1',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The access token lacks a scope that the API requires.',
    source: 'RFC 6750 section 3.1',
  },
  not_found: {
    status: 404,
    meaning: 'Nothing is served at this address.',
    source: 'this library',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The address is not for this HTTP method.',
    source: 'this library',
  },
  server_error: {
    status: 500,
    meaning: 'The server is misconfigured or has failed unexpectedly.',
    source: 'RFC 6749 section 4.1.2.1',
  },
  temporarily_unavailable: {
    status: 503,
    meaning: 'The server cannot answer now: the client keeps what it has and tries again.',
    source: 'RFC 6749 section 4.1.2.1',
  },
} as const satisfies Record<string, OAuthErrorDefinition>

/** The other codes that a host can throw. */
export const hostCodes = {
  too_many_requests: {
    status: 429,
    meaning: 'The client sends too many requests: it keeps what it has and tries again later.',
    source: 'the MCP SDKs',
  },
  account_selection_required: {
    status: 400,
    meaning: 'The customer has to choose an account, and the request forbids a page for that.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  invalid_request_uri: {
    status: 400,
    meaning: 'The request object cannot be fetched from its address.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  invalid_request_object: {
    status: 400,
    meaning: 'The request object is not valid.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  request_not_supported: {
    status: 400,
    meaning: 'The server does not have the parameter request.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  request_uri_not_supported: {
    status: 400,
    meaning: 'The server does not have the parameter request_uri.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  registration_not_supported: {
    status: 400,
    meaning: 'The server does not have the parameter registration.',
    source: 'OpenID Connect Core section 3.1.2.6',
  },
  unsupported_token_type: {
    status: 400,
    meaning: 'The server does not revoke this type of token.',
    source: 'RFC 7009 section 2.2.1',
  },
  invalid_software_statement: {
    status: 400,
    meaning: 'The software statement of a registration is not valid.',
    source: 'RFC 7591 section 3.2.2',
  },
  unapproved_software_statement: {
    status: 400,
    meaning: 'The server does not approve of the software statement of a registration.',
    source: 'RFC 7591 section 3.2.2',
  },
  authorization_pending: {
    status: 400,
    meaning: 'The customer has not yet answered on the other device.',
    source: 'RFC 8628 section 3.5',
  },
  slow_down: {
    status: 400,
    meaning: 'The device asks too often.',
    source: 'RFC 8628 section 3.5',
  },
  expired_token: {
    status: 400,
    meaning: 'The device code has expired.',
    source: 'RFC 8628 section 3.5',
  },
  invalid_dpop_proof: {
    status: 400,
    meaning: 'The DPoP proof is missing or not valid.',
    source: 'RFC 9449 section 5',
  },
  use_dpop_nonce: {
    status: 400,
    meaning: 'The DPoP proof must have the nonce of the response.',
    source: 'RFC 9449 section 8',
  },
  insufficient_user_authentication: {
    status: 401,
    meaning: 'The customer has to sign in again, or in a stronger way.',
    source: 'RFC 9470 section 3',
  },
} as const satisfies Record<string, OAuthErrorDefinition>

/** Every code that an {@link OAuthError} can have. */
export const oauthErrorCodes = { ...answeredCodes, ...hostCodes }

/**
 * The code of an {@link OAuthError}: what the client is told as `error` (RFC 6749 section 5.2). docs/errors.md explains each.
 *
 * @useDeclaredType
 */
export type OAuthErrorCode = keyof typeof answeredCodes | keyof typeof hostCodes

/** Whether a value is the code of an OAuth error. */
export function isOAuthErrorCode(given: unknown): given is OAuthErrorCode {
  return typeof given === 'string' && Object.hasOwn(oauthErrorCodes, given)
}
