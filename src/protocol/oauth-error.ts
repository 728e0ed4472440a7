import { blames, type DenialReason, type FaultReason, type PartOfHost } from './reasons'
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

/** Whom an error is about, as far as a credential or token that has been verified names them. */
export interface ErrorContext {
  /** The tenant that was asked. */
  tenantKey?: string | undefined
  /** The tenant whose customer it is. */
  tenantId?: string | undefined
  clientId?: string | undefined
  grantId?: string | undefined
  subject?: string | undefined
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
  /** For the operator's programs: reaches events, never a client. */
  reason?: DenialReason | FaultReason | undefined
  /** Whom it is about: reaches events, never a client. */
  context?: ErrorContext | undefined
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
  /** Why, in a stable word, where the code says too little. For the operator, as `detail` is. */
  readonly reason: DenialReason | FaultReason | undefined
  /** Whom it is about. For the operator, as `detail` is. */
  readonly context: Readonly<ErrorContext>

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
    this.reason = options.reason
    this.context = options.context ?? {}
  }

  toJSON(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.description }
  }
}

/** The error of a store or of a hook of the host's that failed: the client keeps what it has and tries again. */
export function temporarilyUnavailable(cause: unknown, reason: FaultReason = 'token_store_failed'): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Sign-in is unavailable for the moment, try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: asError(cause),
    reason,
  })
}

/**
 * Whatever a store or a hook of the host's has thrown, as the error that the client is told. An `OAuthError` is copied, so that nothing of
 * the host's own is asked again; anything else is `temporarily_unavailable`.
 */
export function errorOfHost(thrown: unknown, part: PartOfHost): OAuthError {
  const { refused, failed } = blames[part]
  try {
    if (!(thrown instanceof OAuthError)) return temporarilyUnavailable(thrown, failed)
    return copyOf(thrown, { cause: thrown.cause ?? asError(thrown), reason: thrown.status < 500 ? refused : failed })
  } catch (unreadable) {
    return temporarilyUnavailable(unreadable, failed)
  }
}

/** Whatever was thrown, as an error that also says whom it is about. What it says of itself already stays. */
export function withContext(thrown: unknown, context: ErrorContext): OAuthError {
  if (thrown instanceof OAuthError) return copyOf(thrown, { context: { ...context, ...thrown.context } })
  const reason = 'unexpected'
  return new OAuthError('server_error', 'Sign-in failed unexpectedly', { cause: asError(thrown), reason, context })
}

function copyOf(error: OAuthError, changes: OAuthErrorOptions): OAuthError {
  const { code, description, status, headers, detail, cause, reason, context } = error
  const options = { status, headers: { ...headers }, detail: { ...detail }, cause, reason, context }
  return new OAuthError(code, description, { ...options, ...changes })
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
