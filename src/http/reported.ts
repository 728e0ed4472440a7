import { faultOf } from '../events'
import { type ErrorContext, type OAuthError, underlying, withContext } from '../protocol/oauth-error'
import { type DenialReason, denialReasons } from '../protocol/reasons'
import type { Service } from '../service'

/** Where an error happened and what is known there, for the operator. */
export interface Place extends ErrorContext {
  where: string
}

/** Makes an event of whatever was thrown, and the OAuth error that the client is told. */
export function reported(thrown: unknown, { where, ...known }: Place, { emit }: Service): OAuthError {
  const error = withContext(thrown, known)
  const { code, description, status, detail, context } = error
  // A refusal that gives its reason, such as a stranger's server that is away, is no fault that an operator has to look at.
  if (status < 500 || (error.reason === undefined && detail.reason !== undefined)) {
    emit({ type: 'denied', where, reason: denialOf(error), error: code, description, status, detail, ...context })
  } else emit({ type: 'error', where, reason: faultOf(error), error: underlying(error), ...context })
  return error
}

function denialOf({ reason, code }: OAuthError): DenialReason {
  return denialReasons.find((known) => known === (reason ?? code)) ?? 'other'
}
