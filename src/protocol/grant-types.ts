/** What redeems a grant: first its authorization code, then its newest refresh token. */
export type CredentialKind = 'code' | 'refresh_token'

/** Every kind of credential. */
export const credentialKinds = {
  code: {
    label: 'The authorization code',
    lifetimeOption: 'lifetimes.authorizationCode',
    prefix: 'csic_',
    boundTo: ['clientId', 'redirectUri', 'codeChallenge'],
    letter: 'c',
    successorLetter: 'f',
  },
  refresh_token: {
    label: 'The refresh token',
    lifetimeOption: 'lifetimes.refreshToken',
    prefix: 'csir_',
    boundTo: ['clientId'],
    letter: 'r',
    successorLetter: 'r',
  },
} as const satisfies Record<CredentialKind, CredentialKindDefinition>

interface CredentialKindDefinition {
  /** What error descriptions call it. */
  label: string
  /** The option that says how long it lives. */
  lifetimeOption: string
  /** What its text begins with, so that readers and secret scanners know one when they see it. */
  prefix: string
  /** What its redeemer must present with it. */
  boundTo: readonly string[]
  /** What the stores write for it. */
  letter: string
  /** What the stores write for the refresh token that has replaced it. */
  successorLetter: string
}

/** What a client can send as `grant_type` to the token endpoint (RFC 6749 section 1.3). */
export type GrantTypeName =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Every grant type. What it does is in `grant-types/`. */
const definitions: Record<GrantTypeName, GrantTypeDefinition> = {
  authorization_code: { users: 'everyone', redirects: true },
  refresh_token: { users: 'everyone', redirects: false },
  client_credentials: { users: 'named', redirects: false },
  'urn:ietf:params:oauth:grant-type:jwt-bearer': { users: 'asserted', redirects: false },
}

interface GrantTypeDefinition {
  /**
   * Who may use it: every client that does not say which ones it uses (RFC 7591 section 2); only those whose record names it; or every client
   * that an assertion is for, unless its record names others.
   */
  users: 'everyone' | 'named' | 'asserted'
  /** Whether a client needs redirect URIs for it. */
  redirects: boolean
}

/** Every grant type, in the order in which metadata and error descriptions list them. */
export const grantTypes = Object.keys(definitions) as readonly GrantTypeName[]

/** What a client may use that does not say what it uses. */
export const defaultGrantTypes = grantTypes.filter((name) => definitions[name].users === 'everyone')

/** What a client needs redirect URIs for. */
export const redirectingGrantTypes = grantTypes.filter((name) => definitions[name].redirects)

/** What a client that describes itself can use without redirect URIs. */
export const assertedGrantTypes = grantTypes.filter((name) => definitions[name].users === 'asserted')

/** Whether a text is a grant type. */
export function isGrantType(text: unknown): text is GrantTypeName {
  return grantTypes.includes(text as GrantTypeName)
}

const unlessNamed: readonly string[] = [...defaultGrantTypes, ...assertedGrantTypes]

/** Whether a client may use a grant type. @param record Undefined for a client that is not the tenant's own. */
export function mayUse(
  grantType: GrantTypeName,
  record: { grantTypes?: readonly string[] | null | undefined } | undefined,
): boolean {
  return (record?.grantTypes ?? unlessNamed).includes(grantType)
}
