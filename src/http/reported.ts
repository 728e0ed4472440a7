import { OAuthError, underlying } from '../protocol/oauth-error'
import type { Service } from '../service'

/** Where an error happened, for the operator. */
export interface Place {
  where: string
  tenantKey?: string | undefined
}

/** Makes an event of whatever was thrown, and the OAuth error that the client is told. */
export function reported(thrown: unknown, { where, tenantKey }: Place, { emit }: Service): OAuthError {
  const error =
    thrown instanceof OAuthError
      ? thrown
      : new OAuthError('server_error', 'Sign-in failed unexpectedly', { cause: thrown })
  const { code, description, status, detail } = error
  // A refusal that gives its reason, such as a stranger's server that is away, is no fault that an operator has to look at.
  if (status < 500 || detail.reason !== undefined)
    emit({ type: 'denied', where, tenantKey, error: code, description, status, detail })
  else emit({ type: 'error', where, tenantKey, error: underlying(error) })
  return error
}
