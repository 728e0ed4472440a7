import { type ErrorContext, type OAuthError, underlying, withContext } from '../protocol/oauth-error'
import { isDenialReason } from '../protocol/reasons'
import type { GuardMessage, RequestMessage } from '../telemetry/messages'
import { type Emit, faultOf } from './emitter'

/** Where an error happened, and whom it concerns as far as that is known there. */
export interface Place extends ErrorContext {
  where: string
}

/**
 * Tells the host of whatever was thrown, and returns it as the OAuth error that the client is answered with.
 *
 * @param message What a channel tells of the request: it gets the error too.
 */
export function reportError(
  thrown: unknown,
  { where, ...known }: Place,
  emit: Emit,
  message?: RequestMessage | GuardMessage,
): OAuthError {
  const error = withContext(thrown, known)
  const { code, description, status, detail, context } = error
  // A refusal can be a 503 too, for example when a client's own server is down. The operator need not look at that.
  if (status < 500 || isDenialReason(error.reason)) {
    const reason = isDenialReason(error.reason) ? error.reason : code
    if (message) Object.assign(message, { outcome: 'denied', error: code, description, reason })
    emit({ type: 'denied', where, reason, error: code, description, status, detail, ...context })
  } else {
    const reason = faultOf(error)
    if (message) Object.assign(message, { outcome: 'failed', error: code, description, reason })
    emit({ type: 'error', where, reason, error: underlying(error), ...context })
  }
  return error
}
