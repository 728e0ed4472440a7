import { channel } from 'node:diagnostics_channel'
import { warn } from '../configuration/warnings'
import type { CustomerSignInEvent, ErrorEvent, TimedEvent } from '../contract/customer-sign-in-event'
import type { Grant } from '../contract/token-store'
import { type ErrorContext, OAuthError, underlying, withContext } from '../protocol/oauth-error'
import { faultReasons, isDenialReason } from '../protocol/reasons'
import { asError, messageOf } from '../protocol/thrown'
import { withoutCredentials } from '../protocol/without-credentials'
import type { GuardMessage, RequestMessage } from '../telemetry/messages'

type GrantNames = Pick<Grant, 'tenantId' | 'grantId' | 'clientId' | 'subject'>

/** Whom an event or an error about a grant concerns. */
export function contextOf({ tenantId, grantId, clientId, subject }: GrantNames): GrantNames {
  return { tenantId, grantId, clientId, subject }
}

const events = channel('customer-sign-in:event')

type Untimed<Event> = Event extends unknown ? Omit<Event, keyof TimedEvent> : never

/** Tells the host, and the channel `customer-sign-in:event`. Never throws, never waits. */
export type Emit = (event: Untimed<CustomerSignInEvent>) => void

/** The event for a fault. */
export function faultEvent(where: string, thrown: unknown, context: ErrorContext): Untimed<ErrorEvent> {
  const said = thrown instanceof OAuthError ? thrown.reason : undefined
  const reason = faultReasons.find((known) => known === said) ?? 'unexpected'
  return { type: 'error', where, reason, error: underlying(thrown), ...context }
}

/** Makes an {@link Emit} of the host's `onEvent`. @param now The clock, in milliseconds since 1970. */
export function emitter(onEvent: (event: CustomerSignInEvent) => unknown, now: () => number): Emit {
  return (event) => {
    if (onEvent === warnOfErrors && event.type !== 'error' && !events.hasSubscribers) return
    const timed = withoutCredentials({ at: now(), ...event }) as CustomerSignInEvent
    events.publish(timed)
    // A callback that throws or rejects must not affect a client.
    new Promise((resolve) => resolve(onEvent(timed))).catch((thrown) =>
      warn('EVENT', `onEvent failed: ${messageOf(asError(thrown))}`),
    )
  }
}

/** The `onEvent` of a host that has none: errors become process warnings, and all other events are dropped. */
export function warnOfErrors(event: CustomerSignInEvent): void {
  if (event.type === 'error') warn('ERROR', `${event.where}: ${messageOf(event.error)}`)
}

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
    const event = faultEvent(where, error, context)
    if (message) Object.assign(message, { outcome: 'failed', error: code, description, reason: event.reason })
    emit(event)
  }
  return error
}
