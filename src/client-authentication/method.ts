import type { Check } from '../configuration/checks'
import type { ClientCredentials, ClientMetadata } from '../contract/tenant-store'
import type { Form } from '../http/body'
import type { JsonWebKeySet } from '../protocol/json-web-keys'
import { type OAuthError, type OAuthErrorOptions, oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'

/** How a client authenticates at the token endpoint: `token_endpoint_auth_method` (RFC 7591 section 2). */
export type ClientAuthenticationMethod = 'none' | 'private_key_jwt' | 'client_secret_basic' | 'client_secret_post'

/** Everything that this library knows of a method of client authentication. */
export interface AuthenticationMethod {
  name: ClientAuthenticationMethod
  /** Whether client and server share a secret. A client that registers gets one; a metadata document cannot have one, as everyone can read it. */
  sharesSecret: boolean
  /** The members of a client's record that are for this method, one of which the client has, with their checks. A public client has none. */
  credentials: { readonly [Member in keyof ClientCredentials]: Check<ClientCredentials[Member]> }
  /** The algorithms that clients can sign with, for the authorization server metadata. */
  algorithms?: readonly string[] | undefined
  /** Reads the keys of a client. @throws {OAuthError} `invalid_client_metadata` if they cannot be used. */
  keysOf?(metadata: ClaimedMetadata, rules: Pick<AuthenticationRules, 'allowLoopback'>): ClientKeys
  /** Reads what a request presents of this method, if anything. @param password That of HTTP Basic. */
  presented?(form: Form, password: string | undefined): Proof | undefined
}

/** What a client says about itself in a registration or a metadata document. */
export type ClaimedMetadata = Readonly<Record<string, unknown>>

/** Which methods are on, and where keys may be fetched from. */
export interface AuthenticationRules {
  methods: readonly ClientAuthenticationMethod[]
  /** Whether `jwks_uri` may be http on loopback. For development. */
  allowLoopback: boolean
}

/** The keys of a client that authenticates with one. */
export type ClientKeys = Pick<ClientMetadata, 'jwks' | 'jwksUri'>

/** What a request presents to prove that it is its client's. */
export interface Proof {
  method: AuthenticationMethod
  /** Whose the request is, as far as the proof itself says it. */
  clientId?: string | undefined
  /**
   * @returns What must be remembered of the proof, if it can be used only once.
   * @throws {OAuthError} `invalid_client` if it does not prove that the request is the client's.
   */
  verify(against: KnownOfClient): Promise<SingleUse | undefined>
}

/** Whether a client can authenticate with these as it has. */
export type CredentialsSuit = (credentials: ClientCredentials) => boolean | Promise<boolean>

/** What a proof is verified with. */
export interface KnownOfClient {
  clientId: string
  /** What the `aud` of an assertion may be. */
  audiences: readonly string[]
  /** In seconds since 1970. */
  now: number
  /**
   * Finds what the client authenticates with, for which a document may have to be fetched.
   *
   * @param suit If they do not, a document that is in memory is fetched again. What is found then may not suit either.
   */
  credentials(suit?: CredentialsSuit): Promise<ClientCredentials>
  /** @param isIn Whether a set has the key that is looked for. */
  keysAt(url: string, isIn: (set: JsonWebKeySet) => boolean): Promise<JsonWebKeySet>
}

/** The id of a proof that can be used once, and for how long it must be remembered. */
export interface SingleUse {
  id: string
  /** In milliseconds. */
  lifetime: number
}

/** The error for a client that did not authenticate although it must. */
export function notAuthenticated(clientId: string, options: OAuthErrorOptions = {}): OAuthError {
  return authenticationFailed('The client must authenticate', clientId, { reason: 'not_authenticated', ...options })
}

/** The error for a client that presented something which does not prove that the request is its own (RFC 6749 section 5.2). */
export function authenticationFailed(
  description: ErrorDescription<'invalid_client'>,
  clientId: string,
  options: OAuthErrorOptions = {},
): OAuthError {
  return oauthError('invalid_client', description, {
    reason: 'authentication_failed',
    detail: { clientId },
    ...options,
  })
}

/** The error for a registration or a metadata document that cannot be used (RFC 7591 section 3.2.2). */
export function invalidMetadata(description: ErrorDescription<'invalid_client_metadata'>): OAuthError {
  return oauthError('invalid_client_metadata', description)
}
