import { asError } from './protocol/thrown'
import type { Grant } from './stores/token-store'

/** What happens to a customer's grant, in every event about one. None carries a code or token. */
export interface GrantEvent {
  tenantKey: string
  tenantId: string
  grantId: string
  clientId: string
  subject: string
}

/** What a credential that was presented again tells of its client. */
export interface RepeatEvent {
  /** Seconds since it was redeemed; absent where that is longer ago than the grant remembers. */
  age?: number | undefined
  /** Whether the refresh token that it led to has been used. Where it never is, the client does not keep the refresh tokens that it is given. */
  successorUsed: boolean
}

/**
 * Everything that {@link CustomerSignInOptions.onEvent} is told.
 *
 * - `issued`: a code was redeemed for the first tokens of a grant.
 * - `refreshed`: a refresh token was answered with tokens. `recovered` says that the store had lost the newest redemptions, as a failover
 *   can make it, and that the chain went on from where the client is. `rotated` is false where the refresh token was so new that it stays
 *   what it is, as those of a burst of requests do.
 * - `retried`: a refresh token was presented again inside `refreshRetryWindow` and answered with the one that is live now.
 * - `replayed`: a used credential was presented. `ended` says whether that ended the grant, or was tolerated (`replayTolerance`).
 * - `revoked`: a grant was ended: by the host, by its client (RFC 7009), because its client's registration or its resource is gone, or
 *   because its customer has too many of its client (`maxGrantsPerClient`).
 * - `registered`: a client registered itself.
 * - `denied`: a request was answered with an OAuth error; `detail` says more than the client was told.
 * - `error`: something that an operator should look at; clients were told to come again, or that the tenant is misconfigured.
 */
export type CustomerSignInEvent =
  | ({ type: 'issued'; scopes: string[]; resource: string } & GrantEvent)
  | ({ type: 'refreshed'; scopes: string[]; resource: string; recovered: boolean; rotated: boolean } & GrantEvent)
  | ({ type: 'retried'; scopes: string[]; resource: string } & RepeatEvent & GrantEvent)
  | ({ type: 'replayed'; credential: 'code' | 'refresh_token'; ended: boolean } & RepeatEvent & GrantEvent)
  | ({ type: 'revoked'; reason: 'host' | 'client' | 'client_gone' | 'resource_gone' | 'too_many' } & GrantEvent)
  | { type: 'registered'; tenantKey: string; tenantId: string; clientId: string }
  | {
      type: 'denied'
      where: string
      tenantKey?: string | undefined
      error: string
      description: string
      status: number
      detail: Readonly<Record<string, unknown>>
    }
  | { type: 'error'; where: string; tenantKey?: string | undefined; error: Error }

/** What every event about a grant says of it. */
export function aboutGrant({ tenantId, grantId, clientId, subject }: Grant, tenantKey: string): GrantEvent {
  return { tenantKey, tenantId, grantId, clientId, subject }
}

/** Tells the host. Never throws, never waits. */
export type Emit = (event: CustomerSignInEvent) => void

/**
 * A host's callback as an {@link Emit}. By default errors become process warnings and the rest is not told.
 */
export function emitter(onEvent: (event: CustomerSignInEvent) => unknown = warnOfErrors): Emit {
  return (event) => {
    // A callback that throws or rejects is the host's concern, never a client's.
    Promise.resolve(event)
      .then(onEvent)
      .catch((thrown) => warn('EVENT', `onEvent failed: ${asError(thrown).message}`))
  }
}

/** Tells the operator of something to put right, where no event can be expected to be read yet. */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'CustomerSignInWarning', code: `CUSTOMER_SIGN_IN_${code}` })
}

function warnOfErrors(event: CustomerSignInEvent): void {
  if (event.type === 'error') warn('ERROR', `${event.where}: ${event.error.message}`)
}
