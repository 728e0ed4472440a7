import type { OAuthErrorCode } from '../protocol/oauth-error-codes'
import type { DenialReason, FaultReason } from '../protocol/reasons'

/** The endpoints of this library, as events call them. */
export type EndpointName = 'authorize' | 'token' | 'register' | 'revoke' | 'jwks' | 'metadata' | 'protected-resource'

/** What every message of a tracing channel has. */
export interface TimedMessage {
  /** How long it took, in milliseconds. Set at its end. */
  duration?: number | undefined
}

/** Why a request was refused, or could not be answered. All three are absent if it was neither. */
export interface MessageRefusal {
  /** The OAuth error code that the client got. */
  error?: OAuthErrorCode | undefined
  /** The description that the client got. */
  description?: string | undefined
  /** Why, in the stable word that the event has (docs/events.md). */
  reason?: DenialReason | FaultReason | undefined
}

/** What the channel `customer-sign-in:request` tells of a request to one of the endpoints. What is known only later is set later. */
export interface RequestMessage extends TimedMessage, MessageRefusal {
  /** The endpoint that answers. */
  readonly endpoint: EndpointName
  /** The method of the request. */
  readonly method: string
  /** The path with `:tenantKey` in place of the key: one text for each endpoint, however many companies there are. */
  readonly route: string
  /** The path of the request, without its query. */
  readonly path: string
  /** The public address of the router. */
  readonly baseUrl: string
  /** The key of the tenant. Until `tenantId` is set it is what the path says, which may be the key of no tenant. */
  tenantKey: string | undefined
  /** The id of the tenant, as soon as the tenant has been found. */
  tenantId?: string | undefined
  /** The client that the request names, which may not exist. */
  clientId?: string | undefined
  /**
   * How it ended: it was `answered`; it was `denied`, with an OAuth error and a `denied` event; it `failed`, with an `error` event; or it
   * was `passed` on to the host, because nobody has a domain of their own at its address.
   */
  outcome?: 'answered' | 'denied' | 'failed' | 'passed' | undefined
  /** The status of the response. Absent if the request was passed on. */
  status?: number | undefined
}

/** What the channel `customer-sign-in:guard` tells of a request that a guard of the host's API has judged. */
export interface GuardMessage extends TimedMessage, MessageRefusal {
  /** The method that made the guard. */
  readonly guard: 'requireAccessToken' | 'protectedResource' | 'verifier'
  /** The method of the request. Absent for a `verifier`, which sees only the token. */
  readonly method?: string | undefined
  /** The path of the request, without its query. Absent for a `verifier`. */
  readonly path?: string | undefined
  /** The key of the tenant, as soon as it is known. Until `tenantId` is set it may be the key of no tenant. */
  tenantKey?: string | undefined
  /** The id of the tenant, as soon as the tenant has been found. */
  tenantId?: string | undefined
  /** The client, if the token is valid. */
  clientId?: string | undefined
  /**
   * How it ended: the request was `passed` on to the host's handler; it was `challenged`, because it has no token; it was `denied`, with an
   * OAuth error and a `denied` event; or it `failed`, with an `error` event.
   */
  outcome?: 'passed' | 'challenged' | 'denied' | 'failed' | undefined
  /** The status of the response. Absent if the request was passed on. */
  status?: number | undefined
}

/** What the channel `customer-sign-in:store` tells of a call of one of the host's stores. */
export interface StoreMessage extends TimedMessage {
  /** The option that has the store. */
  readonly store: 'tokenStore' | 'tenantStore'
  /** The method of the store, such as `swapCredential`. */
  readonly method: string
  /** The name of the store's class, such as `RedisTokenStore`. */
  readonly system: string
  /** What the store has answered, for the calls that change a grant: a word such as `swapped` or `mismatch`. */
  outcome?: string | undefined
  /** If it failed: the code of the store's error, such as `ECONNREFUSED`, or its class. `ETIMEDOUT` if it took longer than `hostTimeout`. */
  error?: string | undefined
}

/** What the channel `customer-sign-in:fetch` tells of a document, or of the keys of a client, that is fetched from a client's own server. */
export interface FetchMessage extends TimedMessage {
  /** The address, without its query. Strangers choose it. */
  readonly url: string
  /** Whether the host's own `clients.fetch` fetches it. */
  readonly byHost: boolean
  /** The status of the response. Absent if there was none. */
  status?: number | undefined
  /** If it failed: the code of the error, such as `ENOTFOUND`, or its class, such as `ForbiddenFetch`. `ETIMEDOUT` if it took too long. */
  error?: string | undefined
}

/** What the channel `customer-sign-in:documents` tells when the number of metadata documents in memory changes. */
export interface DocumentsMessage {
  /** How many documents this `createCustomerSignIn` has in memory now. */
  readonly kept: number
  /** By how many that has changed. */
  readonly change: number
}
