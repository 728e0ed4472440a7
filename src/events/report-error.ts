import { type ErrorContext, type OAuthError, underlying, withContext } from '../protocol/oauth-error'
import { isDenialReason } from '../protocol/reasons'
import { type Emit, faultOf } from './emitter'

/** Where an error happened, and whom it concerns as far as that is known there. */
export interface Place extends ErrorContext {
  where: string
}

/** Tells the host of whatever was thrown, and returns it as the OAuth error that the client is answered with. */
export function reportError(thrown: unknown, { where, ...known }: Place, emit: Emit): OAuthError {
  const error = withContext(thrown, known)
  const { code, description, status, detail, context } = error
  // A refusal can be a 503 too, for example when a client's own server is down. The operator need not look at that.
  if (status < 500 || isDenialReason(error.reason)) {
    const reason = isDenialReason(error.reason) ? error.reason : code
    emit({ type: 'denied', where, reason, error: code, description, status, detail, ...context })
  } else emit({ type: 'error', where, reason: faultOf(error), error: underlying(error), ...context })
  return error
}
