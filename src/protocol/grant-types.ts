/** What redeems a grant: first its authorization code, then its newest refresh token. */
export type CredentialKind = 'code' | 'refresh_token'

/** What a client can send as `grant_type` to the token endpoint (RFC 6749 section 1.3). */
export type GrantType = 'authorization_code' | 'refresh_token'

/** Every kind of credential, and the grant type by which a client redeems it. */
export const credentialKinds = {
  code: {
    grantType: 'authorization_code',
    label: 'The authorization code',
    lifetimeOption: 'authorizationCodeLifetime',
    prefix: 'csic_',
    boundTo: ['clientId', 'redirectUri', 'codeChallenge'],
    letter: 'c',
    successorLetter: 'f',
  },
  refresh_token: {
    grantType: 'refresh_token',
    label: 'The refresh token',
    lifetimeOption: 'refreshTokenLifetime',
    prefix: 'csir_',
    boundTo: ['clientId'],
    letter: 'r',
    successorLetter: 'r',
  },
} as const satisfies Record<CredentialKind, CredentialKindDefinition>

interface CredentialKindDefinition {
  grantType: GrantType
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

/** Every grant type, in the order in which metadata and error descriptions list them. */
export const grantTypes: readonly GrantType[] = Object.values(credentialKinds).map(({ grantType }) => grantType)

/** Whether a text is a grant type. */
export function isGrantType(text: unknown): text is GrantType {
  return grantTypes.includes(text as GrantType)
}
