import { asError } from './thrown'

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
  status?: number | undefined
  /** Response headers that the error needs, such as `WWW-Authenticate`. */
  headers?: Record<string, string> | undefined
  /** For the operator: reaches events, never a client. */
  detail?: Record<string, unknown> | undefined
  /** What went wrong underneath. Reaches events, never a client. */
  cause?: unknown | undefined
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

  /** @throws {TypeError} for a code, description or header that cannot be sent. */
  constructor(code: string, description: string, options: OAuthErrorOptions = {}) {
    checkCode(code)
    if (typeof description !== 'string') throw new TypeError('The description of an OAuthError must be a string')
    super(`${code}: ${description}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OAuthError'
    this.code = code
    this.description = printable(description)
    const { status = statusOf[code] ?? 400 } = options
    this.status = Number.isInteger(status) && status >= 400 && status <= 599 ? status : 400
    this.headers = sendable(options.headers ?? {})
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
    cause: asError(cause),
  })
}

/**
 * Whatever a store or a hook of the host's has thrown, as the error that the client is told. An `OAuthError` is copied, so that nothing of
 * the host's own is asked again; anything else is `temporarily_unavailable`.
 */
export function errorOfHost(thrown: unknown): OAuthError {
  try {
    return thrown instanceof OAuthError ? copyOf(thrown) : temporarilyUnavailable(thrown)
  } catch (unreadable) {
    return temporarilyUnavailable(unreadable)
  }
}

function copyOf(error: OAuthError): OAuthError {
  const { code, description, status, headers, detail, cause = asError(error) } = error
  return new OAuthError(code, description, { status, headers: { ...headers }, detail: { ...detail }, cause })
}

/** What an operator is to look at: the error underneath, where there is one. */
export function underlying(error: unknown): Error {
  return asError(error instanceof OAuthError ? (error.cause ?? error) : error)
}

/** RFC 6749 section 5.2. */
function checkCode(code: unknown): void {
  if (typeof code === 'string' && /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/.test(code)) return
  throw new TypeError('The code of an OAuthError must be printable ASCII without quotes and backslashes')
}

// They say how the body is sent, which is not the error's to say.
const framing = ['content-length', 'transfer-encoding', 'content-encoding', 'trailer', 'connection']

/** RFC 9110 section 5.5, with the bytes that Node can send. */
function sendable(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const isField = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !framing.includes(name.toLowerCase())
    if (isField && typeof value === 'string' && /^[\t\x20-\x7E\x80-\xFF]*$/.test(value)) continue
    throw new TypeError(`An OAuthError cannot have this header: ${JSON.stringify(name)}`)
  }
  return headers
}

function printable(text: string): string {
  return text
    .replaceAll('"', "'")
    .replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
    .slice(0, 400)
}
