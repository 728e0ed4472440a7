import type { RequestingClient } from '../endpoints/requesting-client'
import type { Emit } from '../host/emitter'
import type { Form } from '../http/body'
import type { GrantTypeName } from '../protocol/grant-types'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { IssuedAccessToken } from '../tokens/access-tokens'

/** A request to the token endpoint. */
export interface TokenRequest {
  form: Form
  client: RequestingClient
  tenant: ResolvedTenant
  /** When it came, before its tenant was asked for, by this process's monotonic clock. */
  since: number
  /** Whether the client has hung up without waiting for the response. */
  hasHungUp(): Promise<boolean>
}

/** What a client gets. */
export interface Granted extends IssuedAccessToken {
  scopes: readonly string[]
  /** The API that the access token is for, if the client is told. */
  resource?: string | undefined
  refreshToken?: string | undefined
  /** For how many seconds the refresh token can be redeemed, if nothing ends its grant. */
  refreshTokenExpiresIn?: number | undefined
  /** What the host is told once the client has it. */
  event: Parameters<Emit>[0]
}

/** A grant type (RFC 6749 section 1.3): each is a file that reads like its section of the RFC, and one row of a table. */
export interface GrantType {
  /** Whether the metadata of a company lists it. */
  isOffered(tenant: ResolvedTenant): boolean

  /** The profiles of this grant type that the metadata of a company lists. */
  profilesOf?: ((tenant: ResolvedTenant) => readonly string[]) | undefined

  /** Whether a request may name no client: its `clientId` is empty then. */
  needsNoClient?: boolean | undefined

  /**
   * Checks that this server has issued what a request presents to that very client. Asked before keys of the client are fetched: anybody can
   * write an id with an address of keys, and must not make this server fetch something there.
   *
   * @throws {OAuthError} `invalid_request`, `invalid_grant`; `temporarily_unavailable` if that cannot be found out now.
   */
  checkIssued(request: TokenRequest): void | Promise<void>

  /**
   * Gives tokens to a client that has authenticated, if it must.
   *
   * @throws {OAuthError} If it refuses: no code and no refresh token is used up then.
   */
  grant(request: TokenRequest): Promise<Granted>
}

/** The table of all grant types. */
export type GrantTypes = Readonly<Record<GrantTypeName, GrantType>>
