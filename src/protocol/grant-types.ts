/** What redeems a grant: first its authorization code, then its newest refresh token. */
export type CredentialKind = 'code' | 'refresh_token'

/** Every kind of credential. */
export const credentialKinds = {
  code: {
    // What error descriptions call it.
    label: 'The authorization code',
    // The option that says how long it lives.
    lifetimeOption: 'lifetimes.authorizationCode',
    // What its text begins with, so that readers and secret scanners know one when they see it.
    prefix: 'csic_',
    // What its redeemer must present with it.
    boundTo: ['clientId', 'redirectUri', 'codeChallenge'],
    // What the stores write for it, and for the refresh token that has replaced it.
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
} as const satisfies Record<CredentialKind, object>

/** What a client can send as `grant_type` to the token endpoint (RFC 6749 section 1.3). */
export type GrantTypeName =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/**
 * What each grant type is; what it does is in `grant-types/`. Who may use it: `everyone` who does not say which ones they use (RFC 7591
 * section 2); `named`, only clients whose record names it; `asserted`, every client that an assertion is for, unless its record names others.
 */
const definitions: Record<GrantTypeName, { users: 'everyone' | 'named' | 'asserted'; needsRedirectUris: boolean }> = {
  authorization_code: { users: 'everyone', needsRedirectUris: true },
  refresh_token: { users: 'everyone', needsRedirectUris: false },
  client_credentials: { users: 'named', needsRedirectUris: false },
  'urn:ietf:params:oauth:grant-type:jwt-bearer': { users: 'asserted', needsRedirectUris: false },
}

/** Every grant type, in the order in which metadata and error descriptions list them. */
export const grantTypes = Object.keys(definitions) as readonly GrantTypeName[]

/** What a client may use that does not say what it uses. */
export const defaultGrantTypes = grantTypes.filter((name) => definitions[name].users === 'everyone')

/** What a client needs redirect URIs for. */
export const redirectingGrantTypes = grantTypes.filter((name) => definitions[name].needsRedirectUris)

/** What a client that describes itself can use without redirect URIs. */
export const assertedGrantTypes = grantTypes.filter((name) => definitions[name].users === 'asserted')

/** Whether a text is a grant type. */
export function isGrantType(text: unknown): text is GrantTypeName {
  return grantTypes.includes(text as GrantTypeName)
}

/** Whether a client may use a grant type. @param record Undefined for a client that is not the tenant's own. */
export function mayUse(
  grantType: GrantTypeName,
  record: { grantTypes?: readonly string[] | null | undefined } | undefined,
): boolean {
  return record?.grantTypes?.includes(grantType) ?? definitions[grantType].users !== 'named'
}
