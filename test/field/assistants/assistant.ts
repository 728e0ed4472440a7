import type { Client, CustomerSignInOptions } from 'customer-sign-in'

/** An assistant as data: what it sends, and what a host has to know about it. The table in the documentation is made of these. */
export interface Assistant {
  /** Its name, as its users say it. */
  name: string
  /** Which of its versions or ways this is, if the host meets several. */
  variant?: string
  /** How it becomes a client: by its metadata document, by registering itself, or with an id that the company has given it. */
  connects: 'document' | 'registration' | 'own client'
  /** What the host sets for it, beside what the README's example sets. */
  host?: HostSettings
  /** What it does that differs from the specification, or from the other assistants. */
  quirks: readonly Quirk[]
  /** When the sources were last read: year, month, day. */
  checked: string
  /** Why it cannot be served. Absent if it connects and stays connected. */
  refused?: Refusal
  plays: Plays
}

/** What a host sets for an assistant. */
export interface HostSettings {
  options?: Partial<CustomerSignInOptions>
  /** Its record among the tenant's own clients. */
  client?: Client
  /** The secret of that record. */
  secret?: string
  /** Whether the company has a domain of its own. */
  ownDomain?: true
  /** What else is so at this host. It is not set for the assistant. */
  circumstances?: Partial<CustomerSignInOptions>
}

/** Something that an assistant does. */
export interface Quirk {
  what: string
  /** The public report or source. */
  source: string
  /** Whether it is a fault on the assistant's side that can cost its users a sign-in. */
  isFault?: true
}

/** Where an assistant gets no further, and what it is told. */
export interface Refusal {
  at: Step
  error: string
  /** Words of the description. */
  says: string
}

export type Step = 'registration' | 'page' | 'exchange' | 'refresh'

/** What an assistant sends. */
export interface Plays {
  /** What its user pastes, if that is not the address of the API itself. */
  pastes?: (api: string) => string
  /** Where it looks for the metadata of the resource, in its order. `challenge` is the address that the 401 names.
   * Empty if it does not look, and somebody may have to enter the issuer. */
  resourceMetadata: readonly ('challenge' | 'path' | 'root')[]
  /** Where it looks for the metadata of the authorization server, in its order. */
  serverMetadata: readonly ServerMetadataAddress[]
  /** Its metadata document, which it uses if the server supports such documents. */
  document?: MetadataDocument
  /** Whether it looks for the registration endpoint only in the metadata at the root of the host. */
  registersAtOrigin?: true
  /** Its registration, as it is sent. */
  registers?: ((found: Found) => Record<string, unknown>) | undefined
  /** A method for which it needs a secret. It gives up if the registration has none. */
  needsSecretFor?: SecretMethod
  /** The redirect URI of its requests. */
  redirectUri: string
  /** The `scope` of its authorization request. */
  scope: (found: Found) => string | undefined
  /** More parameters of its authorization request. */
  parameters?: Record<string, string>
  /** The `resource` of a request. */
  resource: (found: Found, at: 'page' | 'exchange' | 'refresh') => string | undefined
  /** Whether it sends a code challenge. */
  pkce?: false
  /** More parameters of its code exchange. */
  exchange?: Record<string, string>
  refresh: Refreshes
}

export type SecretMethod = 'client_secret_basic' | 'client_secret_post'

export type ServerMetadataAddress =
  | 'rfc8414'
  | 'rfc8414 appended'
  | 'openid inserted'
  | 'openid appended'
  | 'rfc8414 of the origin'

/** The document of an assistant, which its player publishes. */
export interface MetadataDocument {
  path: string
  /** Its public address, if the assistant sends that and the host has to do without the document. */
  unreachableAt?: string
  members: Record<string, unknown>
  /** Where its keys are, if it signs its requests where it may. */
  jwksPath?: string
}

/** How an assistant refreshes. */
export interface Refreshes {
  /** After a 401, or before the access token expires. */
  when: 'refused' | 'before'
  /** How many of its processes or requests refresh at once with the same token. */
  atOnce?: number
  /** How many seconds later another of its processes presents the same token. */
  later?: number
  /** Which refresh token it presents. */
  presents?: 'newest' | 'first'
  scope?: (found: Found, granted: string) => string | undefined
}

/** What an assistant has found out before it registers. */
export interface Found {
  /** The address that its user has pasted. */
  pasted: string
  /** The scope of the challenge. */
  challenged: string | undefined
  /** The resource and its scopes, as its metadata announces them. */
  announced: string | undefined
  scopesOfResource: readonly string[]
  scopesOfServer: readonly string[]
}
