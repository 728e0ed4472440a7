import {
  type AnsweredCode,
  type ErrorDescription,
  isOAuthErrorCode,
  type OAuthErrorCode,
  oauthErrorCodes,
} from './oauth-error-codes'
import { blames, type DenialReason, type FaultReason, type PartOfHost } from './reasons'
import { asError } from './thrown'
import { maxTold, startOf, withoutCredentials } from './without-credentials'

/** Whom an error is about, as far as a verified code, refresh token or access token names them. */
export interface ErrorContext {
  /** The key of the tenant that the request was for. */
  tenantKey?: string | undefined
  /** The id of the tenant whose customer it is. */
  tenantId?: string | undefined
  /** The client that the grant belongs to. */
  clientId?: string | undefined
  /** The customer's grant. */
  grantId?: string | undefined
  /** The customer inside the tenant. */
  subject?: string | undefined
}

/** What an {@link OAuthError} can have in addition to its code and description. */
export interface OAuthErrorOptions {
  /** The HTTP status of the response, 400 to 599. By default the status of the code. */
  status?: number | undefined
  /** Headers of the response, such as `WWW-Authenticate`. */
  headers?: Record<string, string> | undefined
  /** More for the operator. Events have it; clients never see it. */
  detail?: Record<string, unknown> | undefined
  /** The error that caused this one. Events have it; clients never see it. */
  cause?: unknown | undefined
  /** A stable word for the operator's programs. Events have it; clients never see it. */
  reason?: DenialReason | FaultReason | undefined
  /** Whom the error is about. Events have it; clients never see it. */
  context?: ErrorContext | undefined
}

/**
 * An error that an OAuth client receives as `{"error", "error_description"}` (RFC 6749 section 5.2).
 *
 * Every function of this library that refuses something rejects with one. A host's hooks, such as `accessTokenClaims`, throw one to refuse
 * a request.
 *
 * @example
 * throw new OAuthError('invalid_grant', 'The customer has been deactivated')
 */
export class OAuthError extends Error {
  /** The OAuth error code, such as `invalid_grant`. */
  readonly code: OAuthErrorCode
  /** A sentence for the client's developer, of at most 400 characters of the ASCII that RFC 6749 section 5.2 allows. */
  readonly description: string
  /** The HTTP status of the response. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** More for the operator. Events have it; clients never see it. */
  readonly detail: Readonly<Record<string, unknown>>
  /** A stable word for the operator's programs, if the code says too little. Events have it; clients never see it. */
  readonly reason: DenialReason | FaultReason | undefined
  /** Whom the error is about. Events have it; clients never see it. */
  readonly context: Readonly<ErrorContext>

  /**
   * @param code What the client is told as `error`. It decides what the client does next: after a code that they do not know, MCP clients ask
   * the customer to sign in again.
   * @param description What the client is told as `error_description`. Characters that RFC 6749 section 5.2 does not allow become `?`.
   * @throws {TypeError} for a code that is not an {@link OAuthErrorCode}, and for a description or header that cannot be sent. The message
   * lists the codes.
   */
  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    checkCode(code)
    if (typeof description !== 'string') throw new TypeError('The description of an OAuthError must be a string')
    const told = withoutCredentials(description)
    super(`${code}: ${told}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OAuthError'
    this.code = code
    this.description = printable(told)
    const { status = 0 } = options
    this.status = Number.isInteger(status) && status >= 400 && status <= 599 ? status : oauthErrorCodes[code].status
    this.headers = sendable(options.headers ?? {})
    this.detail = withoutCredentials(options.detail ?? {}, maxTold)
    this.reason = options.reason
    this.context = options.context ?? {}
  }

  /** @returns The body that it is answered with. */
  toJSON(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.description }
  }
}

/** An error of this library's own, whose description the compiler finds in {@link answeredCodes}. Hosts choose their own descriptions. */
export function oauthError<Code extends AnsweredCode>(
  code: Code,
  description: ErrorDescription<Code>,
  options?: OAuthErrorOptions,
): OAuthError {
  return new OAuthError(code, description, options)
}

/** The error for what only the host can put right, as the cause says. */
export function misconfigured(description: ErrorDescription<'server_error'>, cause: unknown): OAuthError {
  return oauthError('server_error', description, { cause, reason: 'misconfigured' })
}

/** The error for a request that cannot be answered because a store or hook of the host failed: the client keeps its tokens and tries again. */
export function temporarilyUnavailable(cause: unknown, reason: FaultReason = 'token_store_failed'): OAuthError {
  return oauthError('temporarily_unavailable', 'Sign-in is temporarily unavailable, try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: asError(cause),
    reason,
  })
}

/**
 * Turns whatever a store or hook of the host has thrown into the error that the client is told: an `OAuthError` into a copy of it, so that no
 * getter of the host's runs later, and anything else into `temporarily_unavailable`.
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

/** Adds whom an error is about. What the error already says about that wins. An unexpected error becomes `server_error`. */
export function withContext(thrown: unknown, context: ErrorContext): OAuthError {
  if (thrown instanceof OAuthError) return copyOf(thrown, { context: { ...context, ...thrown.context } })
  const reason = 'unexpected'
  return oauthError('server_error', 'Sign-in failed unexpectedly', { cause: asError(thrown), reason, context })
}

function copyOf(error: OAuthError, changes: OAuthErrorOptions): OAuthError {
  const { code, description, status, headers, detail, cause, reason, context } = error
  const options = { status, headers: { ...headers }, detail: { ...detail }, cause, reason, context }
  return new OAuthError(code, description, { ...options, ...changes })
}

/** The error that the operator needs to see: the cause of an `OAuthError`, if it has one, or else the error itself. */
export function underlying(error: unknown): Error {
  return asError(error instanceof OAuthError ? (error.cause ?? error) : error)
}

function checkCode(code: unknown): void {
  if (isOAuthErrorCode(code)) return
  const given = typeof code === 'string' ? JSON.stringify(startOf(code, 100)) : 'not a string'
  const codes = Object.keys(oauthErrorCodes).join(', ')
  throw new TypeError(`The code of an OAuthError is ${given} and must be one of ${codes}`)
}

// They describe how the body is sent, which the server alone knows.
const framing = ['content-length', 'transfer-encoding', 'content-encoding', 'trailer', 'connection']

/** Checks that Node can send the headers (RFC 9110 section 5.5). */
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

/**
 * What kind of error was thrown, in a word that needs no secrecy: its code, such as `ECONNREFUSED`, or else the name of its class. Not its
 * message, which may quote what was sent.
 */
export function errorWord(thrown: unknown): string {
  try {
    const { code, name } = underlying(thrown) as { code?: unknown; name: string }
    return String([code, name].find((word) => typeof word === 'string' && /^\w{1,60}$/.test(word)) ?? 'Error')
  } catch {
    // A getter of the host's has thrown. What is told of a failure must not change what the client is answered.
    return 'Error'
  }
}
