import type { CredentialKind } from '../protocol/grant-types'
import type { ErrorContext } from '../protocol/oauth-error'
import type { OAuthErrorCode } from '../protocol/oauth-error-codes'
import type { DenialReason, FaultReason } from '../protocol/reasons'

/** What every event has. None carries a code or token. */
export interface TimedEvent {
  /** When it was told, in milliseconds since 1970 by the clock of this process. */
  at: number
}

/** What happens to a customer of a tenant. */
export interface CustomerEvent extends TimedEvent {
  /** The key of the tenant that the request named. */
  tenantKey: string
  /** The id of the tenant that the customer belongs to (`key:` and its key where it has none). */
  tenantId: string
  /** The client. */
  clientId: string
  /** The customer inside the tenant. */
  subject: string
}

/** What happens to a customer's grant. */
export interface GrantEvent extends CustomerEvent {
  /** The grant. The first 12 characters are the same for all grants of one customer. */
  grantId: string
}

/** What a credential that was presented again tells of its client. */
export interface RepeatEvent {
  /** Seconds since it was redeemed; absent where that is longer ago than the grant remembers. */
  age?: number | undefined
  /** Whether the refresh token that it led to has been used. Where it never is, the client does not keep the refresh tokens that it is given. */
  successorUsed: boolean
}

/** A customer has agreed to a client's request, on the consent page or in the host's own way. */
export interface AllowedEvent extends CustomerEvent {
  type: 'allowed'
  /** What the customer has allowed. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
}

/** A customer has refused a client's request. */
export interface DeclinedEvent extends CustomerEvent {
  type: 'declined'
  /** What the client had asked for. */
  scopes: string[]
  /** The protected API that it would have been for. */
  resource: string
}

/** A code was redeemed for the first tokens of a grant. */
export interface IssuedEvent extends GrantEvent {
  type: 'issued'
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
}

/** A refresh token was answered with tokens. */
export interface RefreshedEvent extends GrantEvent {
  type: 'refreshed'
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
  /** The store had lost the newest redemptions, as a failover can make it, and the chain went on from where the client is. */
  recovered: boolean
  /** False where the refresh token was so new that it stays what it is, as those of a burst of requests do. */
  rotated: boolean
}

/** A refresh token was presented again inside `refreshRetryWindow` and answered with the one that is live now. */
export interface RetriedEvent extends GrantEvent, RepeatEvent {
  type: 'retried'
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
}

/** A used credential was presented. */
export interface ReplayedEvent extends GrantEvent, RepeatEvent {
  type: 'replayed'
  /** Which kind of credential it was. */
  credential: CredentialKind
  /** Whether that ended the grant, or was tolerated (`replayTolerance`). */
  ended: boolean
}

/** A grant was ended before its time. */
export interface RevokedEvent extends GrantEvent {
  type: 'revoked'
  /**
   * By the host, by its client (RFC 7009), because its client's registration or its resource is gone, or because its customer has too many
   * of its client (`maxGrantsPerClient`).
   */
  reason: 'host' | 'client' | 'client_gone' | 'resource_gone' | 'too_many'
}

/** A code or refresh token of ours was presented whose time is over and whose grant is gone. */
export interface ExpiredEvent extends TimedEvent {
  type: 'expired'
  /** Which kind of credential it was. */
  credential: CredentialKind
  /** The option by which its time was over. */
  limit: 'authorizationCodeLifetime' | 'refreshTokenLifetime' | 'grantLifetime'
  /** When that was, in milliseconds since 1970, to the second. */
  expiredAt: number
  /** The key of the tenant that the request named. */
  tenantKey: string
  /** The id of that tenant. */
  tenantId: string
  /** The client. */
  clientId: string
  /** The grant. The first 12 characters are the same for all grants of one customer. */
  grantId: string
}

/** A client registered itself. */
export interface RegisteredEvent extends TimedEvent {
  type: 'registered'
  /** The key of the tenant at which it registered. */
  tenantKey: string
  /** The id of that tenant. */
  tenantId: string
  /** The id that it got. */
  clientId: string
}

/** A request was answered with an OAuth error. */
export interface DeniedEvent extends TimedEvent, ErrorContext {
  type: 'denied'
  /** The endpoint or guard. */
  where: string
  /** Why, in a stable word for programs. */
  reason: DenialReason
  /** The OAuth error code, as the client was told it. */
  error: OAuthErrorCode
  /** As the client was told it. */
  description: string
  /** The HTTP status, as the client was told it. */
  status: number
  /** More than the client was told. */
  detail: Readonly<Record<string, unknown>>
}

/** Something that an operator should look at. Clients were told to come again, or that the tenant is misconfigured. */
export interface ErrorEvent extends TimedEvent, ErrorContext {
  type: 'error'
  /** The endpoint, guard or method. */
  where: string
  /** What has failed, in a stable word for programs. */
  reason: FaultReason
  /** What was thrown, as an `Error` that can be logged. */
  error: Error
}

/** Everything that {@link CustomerSignInOptions.onEvent} is told (docs/events.md). */
export type CustomerSignInEvent =
  | AllowedEvent
  | DeclinedEvent
  | IssuedEvent
  | RefreshedEvent
  | RetriedEvent
  | ReplayedEvent
  | RevokedEvent
  | ExpiredEvent
  | RegisteredEvent
  | DeniedEvent
  | ErrorEvent
