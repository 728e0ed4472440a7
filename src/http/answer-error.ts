import type { ServerResponse } from 'node:http'
import { OAuthError } from '../protocol/oauth-error'
import type { Service } from '../service'
import { respondWithError } from './responses'

/**
 * Makes a response and an event of whatever was thrown: the client is told what is its own to mend, the operator the rest.
 */
export function answerError(
  thrown: unknown,
  { where, tenantKey }: { where: string; tenantKey?: string },
  res: ServerResponse,
  { emit }: Service,
): void {
  const error =
    thrown instanceof OAuthError
      ? thrown
      : new OAuthError('server_error', 'Sign-in failed unexpectedly', { cause: thrown })
  const { code, description, status, detail, cause } = error
  if (status < 500) emit({ type: 'denied', where, tenantKey, error: code, description, status, detail })
  else
    emit({ type: 'error', where, tenantKey, error: cause instanceof Error ? cause : new Error(String(cause ?? error)) })
  respondWithError(res, error)
}
