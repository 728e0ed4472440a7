const statusOf: Record<string, number> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  server_error: 500,
  temporarily_unavailable: 503,
}

/** What an {@link OAuthError} carries besides its code and description. */
export interface OAuthErrorOptions {
  /** HTTP status; by default the one that belongs to the code, else 400. */
  status?: number
  /** Response headers that the error needs, such as `WWW-Authenticate`. */
  headers?: Record<string, string>
  /** For the operator: reaches events, never a client. */
  detail?: Record<string, unknown>
  /** What went wrong underneath. Reaches events, never a client. */
  cause?: unknown
}

/**
 * An error that is answered to an OAuth client as `{"error", "error_description"}` (RFC 6749 section 5.2).
 *
 * Every function of this library that refuses something rejects with it. A host may throw one from `accessTokenClaims` to
 * refuse tokens.
 *
 * @example
 * throw new OAuthError('invalid_grant', 'The customer has been deactivated')
 */
export class OAuthError extends Error {
  /** The OAuth error code, such as `invalid_grant`. */
  readonly code: string
  /** For the client's developer, in the ASCII that RFC 6749 section 5.2 allows. */
  readonly description: string
  /** The HTTP status that it is answered with. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** For the operator: reaches events, never a client. */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(code: string, description: string, options: OAuthErrorOptions = {}) {
    super(`${code}: ${description}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OAuthError'
    this.code = code
    this.description = printable(description)
    const { status = statusOf[code] ?? 400 } = options
    this.status = Number.isInteger(status) && status >= 400 && status <= 599 ? status : 400
    this.headers = options.headers ?? {}
    this.detail = options.detail ?? {}
  }

  toJSON(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.description }
  }
}

/** The error of a store or of a hook of the host's that failed: the client keeps what it has and tries again. */
export function temporarilyUnavailable(cause: unknown): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Sign-in is unavailable for the moment, try again shortly', {
    headers: { 'Retry-After': '1' },
    cause,
  })
}

/** What an operator is to look at: the error underneath, where there is one. */
export function underlying(error: unknown): Error {
  const cause = error instanceof OAuthError ? (error.cause ?? error) : error
  return cause instanceof Error ? cause : new Error(String(cause))
}

function printable(text: string): string {
  return text
    .replaceAll('"', "'")
    .replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
    .slice(0, 400)
}
