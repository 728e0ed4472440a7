import type { CredentialKind, GrantTypeName } from '../protocol/grant-types'
import type { ErrorContext } from '../protocol/oauth-error'
import type { OAuthErrorCode } from '../protocol/oauth-error-codes'
import type { DenialReason, FaultReason } from '../protocol/reasons'

/** What every event has. None carries a code or token. */
export interface TimedEvent {
  /** The time of the event, in milliseconds since 1970 by the clock of this process. */
  at: number
}

/** What happens to a customer of a tenant. */
export interface CustomerEvent extends TimedEvent {
  /** The key of the tenant that the request named. */
  tenantKey: string
  /** The id of the tenant that the customer belongs to (`key:` and its key, if it has no `id`). */
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

/** What an event says about a credential that was presented again. */
export interface RepeatEvent {
  /** Which kind of credential it was. */
  credential: CredentialKind
  /** Seconds since it was redeemed. Absent if the grant no longer remembers that redemption. */
  age?: number | undefined
  /** Whether the refresh token that replaced it has been used. If this is false every time, the client does not store its refresh tokens. */
  successorUsed: boolean
  /** Set if it is a refresh token that is bound to a key, which the request has proven: no thief without the key can have sent it. */
  bound?: true | undefined
}

/** A customer has allowed a client's request: on the consent page, in the host's `consent`, or earlier if consent is remembered. */
export interface AllowedEvent extends CustomerEvent {
  type: 'allowed'
  /** What the customer has allowed. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
  /** Whether the customer was not asked, because one of their grants covers the request. */
  remembered: boolean
}

/** A customer has refused a client's request. A {@link DeniedEvent} follows. */
export interface DeclinedEvent extends CustomerEvent {
  type: 'declined'
  /** What the client had asked for. */
  scopes: string[]
  /** The protected API that it would have been for. */
  resource: string
}

/** A client got the first tokens of a grant. */
export interface IssuedEvent extends GrantEvent {
  type: 'issued'
  /** What it got them for. */
  grantType: GrantTypeName
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
  /** The company's trusted issuer, if one has vouched for the subject. */
  issuer?: string | undefined
  /** A hash of the `jti` of its assertion. */
  assertion?: string | undefined
}

/** A client refreshed, and got tokens. */
export interface RefreshedEvent extends GrantEvent {
  type: 'refreshed'
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
  /** True if the store had lost the newest redemptions, as after a failover: the grant then goes on from the client's refresh token. */
  recovered: boolean
  /** False if the refresh token was so new that the client keeps it, as in a burst of parallel requests. */
  rotated: boolean
}

/**
 * A used refresh token was presented again inside `refreshRetryWindow`, and the client got the refresh token that is live now. Or a code was
 * presented again within 10 seconds, and the client got the first refresh token, which nobody had used.
 */
export interface RetriedEvent extends GrantEvent, RepeatEvent {
  type: 'retried'
  /** The scopes of the access token. */
  scopes: string[]
  /** The protected API that it is for. */
  resource: string
}

/** A used credential was presented. A {@link DeniedEvent} follows. */
export interface ReplayedEvent extends GrantEvent, RepeatEvent {
  type: 'replayed'
  /**
   * Whether the replay ended the grant. It did not if it came within 10 seconds, if the client had closed the connection, if the store
   * failed (the grant may still have ended), if the grant was gone already, or if the refresh token is bound to a key.
   */
  ended: boolean
}

/** A grant was ended before its time. */
export interface RevokedEvent extends Omit<GrantEvent, 'tenantKey'> {
  type: 'revoked'
  /** The key of the tenant that the request named. Absent if the host has named the tenant by its id. */
  tenantKey?: string | undefined
  /**
   * Why it ended: by the `host`, by its `client` (RFC 7009), because the tenant no longer has its resource, because the customer has more than
   * `grants.perClient`, or because a later sign-in has replaced it (`grants.replace`).
   */
  reason: 'host' | 'client' | 'resource_gone' | 'too_many' | 'replaced'
  /** Who has ended it, as the host's call has said. Absent if it has not. */
  actor?: string | undefined
}

/**
 * A code or refresh token of this server was presented after it had expired and its grant was gone, and with it the `subject`. A
 * {@link DeniedEvent} follows.
 */
export interface ExpiredEvent extends Omit<GrantEvent, 'subject'> {
  type: 'expired'
  /** Which kind of credential it was. */
  credential: CredentialKind
  /** The option that set its expiry. */
  limit: 'lifetimes.authorizationCode' | 'lifetimes.refreshToken' | 'lifetimes.grant'
  /** When it expired, in milliseconds since 1970, to the second. */
  expiredAt: number
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
  /** The redirect URIs that it asked for and that are not accepted here. Absent if it got all. */
  leftOut?: string[] | undefined
}

/**
 * The metadata document of a client cannot be fetched, and a copy of it was used. There is at most one such event an hour for each document
 * in each process.
 */
export interface StaleEvent extends TimedEvent {
  type: 'stale'
  /** The key of the tenant whose request needed the document. */
  tenantKey: string
  /** The id of that tenant. */
  tenantId: string
  /** The client: the address of its document. */
  clientId: string
  /** Which copy: the one that this process has fetched last, or the one in `clients.known`. */
  copy: 'kept' | 'known'
  /** Seconds since the copy was fetched. Absent for one in `clients.known`. */
  age?: number | undefined
  /** For the operator: its `reason` says why the document cannot be fetched. */
  detail: Readonly<Record<string, unknown>>
}

/** A request was answered with an OAuth error. */
export interface DeniedEvent extends TimedEvent, ErrorContext {
  type: 'denied'
  /** The endpoint or guard. */
  where: string
  /** Why, in a stable word for programs. */
  reason: DenialReason
  /** The OAuth error code that the client got. */
  error: OAuthErrorCode
  /** The description that the client got. */
  description: string
  /** The HTTP status that the client got. */
  status: number
  /** More than the client got, for the operator. */
  detail: Readonly<Record<string, unknown>>
}

/** Something that an operator should look at. If a client noticed, it got a 5xx response. */
export interface ErrorEvent extends TimedEvent, ErrorContext {
  type: 'error'
  /** The endpoint, guard or method. */
  where: string
  /** What has failed, in a stable word for programs. */
  reason: FaultReason
  /** What was thrown, as an `Error` that can be logged, also as JSON. */
  error: Error
}

/** Every event that {@link CustomerSignInOptions.onEvent} receives (docs/events.md). */
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
  | StaleEvent
  | DeniedEvent
  | ErrorEvent
