import { ForbiddenFetch } from '../documents/guarded-fetch'
import { OAuthError, oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import { asError } from '../protocol/thrown'

/** The server of the document has answered with another status than 200. */
export class UnexpectedStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The status is ${status}`)
    this.status = status
  }
}

/** A page came in place of the document, as from a firewall against bots, or from a site that is down. */
export class WebPage extends Error {}

const tooMany: ErrorDescription<'temporarily_unavailable'> = 'Too many client metadata documents are being fetched'

/** The document cannot be fetched now, because too many others are being fetched. */
export class TooMany extends OAuthError {
  constructor(clientId: string, reason: string, retryAfter: number) {
    super('temporarily_unavailable', tooMany, {
      reason: 'document_unavailable',
      headers: { 'Retry-After': String(retryAfter) },
      detail: { clientId, reason },
    })
  }
}

/** The error for a document that has been fetched and is not valid. */
export function invalid(description: ErrorDescription<'invalid_client_metadata'>): OAuthError {
  return oauthError('invalid_client_metadata', description)
}

/**
 * Whether the document cannot be fetched now, so that a copy may be used. A web page in its place counts as well, because it says nothing of
 * the document; if there is no copy, it is refused like any other wrong type.
 */
export function isAway(error: unknown): error is OAuthError {
  if (!(error instanceof OAuthError)) return false
  return error.status === 503 || (error.cause instanceof OAuthError && error.cause.cause instanceof WebPage)
}

/** Whether another fetch may succeed, as far as the error tells. */
function isTemporary(error: unknown): boolean {
  if (error instanceof UnexpectedStatus) {
    // Firewalls against bots answer 403, and a host's own proxy 407, which says nothing about the document.
    return [403, 407, 408, 425, 429].includes(error.status) || error.status >= 500
  }
  return !(error instanceof ForbiddenFetch) && !(error instanceof OAuthError)
}

/** The error that the client is answered with, for whatever a fetch has thrown. */
export function unusable(clientId: string, thrown: unknown): OAuthError {
  // The host's own function has returned something else than a response.
  if (thrown instanceof OAuthError && thrown.status === 503) return thrown
  const error = asError(thrown)
  const detail = { clientId, reason: reasonOf(error) }
  if (isTemporary(thrown)) {
    return oauthError('temporarily_unavailable', 'The metadata document of client_id cannot be fetched at the moment', {
      headers: { 'Retry-After': '5' },
      reason: 'document_unavailable',
      detail,
    })
  }
  const refused = thrown instanceof OAuthError ? thrown : undefined
  const described = refused ? (`: ${refused.description}` as const) : ''
  return oauthError('invalid_client', `The metadata document of client_id cannot be used${described}`, {
    reason: refused?.reason ?? 'document_unusable',
    detail: { ...refused?.detail, ...detail },
    cause: error,
  })
}

/** What `fetch` says of a failure is in its cause. */
function reasonOf({ message, cause }: Error): string {
  return cause === undefined ? message : `${message}: ${asError(cause).message}`
}
