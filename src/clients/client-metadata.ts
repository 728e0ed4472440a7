import { type OAuthError, oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import { isOnHostOf, redirectUriFault } from '../protocol/redirect-uri'
import { scopesOf } from '../protocol/scope'
import type { ClientMetadata } from '../stores/tenant-store'
import { presentableName } from './client-name'

const maxRedirectUris = 20
const maxNameLength = 200
// As JSON. A stored registration, with its dates, then takes at most 4 KiB.
const maxBytes = 4000

/**
 * Reads the metadata of a client from its registration or its metadata document. Ignores unknown members, and every
 * `token_endpoint_auth_method`: the client is public.
 *
 * @param appRedirects The redirect URIs of apps that are accepted although their scheme has no dot.
 * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 section 3.2.2).
 */
export function readClientMetadata(
  metadata: Readonly<Record<string, unknown>>,
  appRedirects: readonly string[],
): ClientMetadata {
  const { redirect_uris, client_name, client_uri, scope, grant_types, response_types } = metadata
  if (!allows(grant_types, 'authorization_code')) throw invalidMetadata('grant_types must include authorization_code')
  if (!allows(response_types, 'code')) throw invalidMetadata('response_types must include code')
  if (scope !== undefined && typeof scope !== 'string') throw invalidMetadata('scope must be a string')
  if (client_name !== undefined && (typeof client_name !== 'string' || client_name.length > maxNameLength)) {
    throw invalidMetadata(`client_name must be a string of at most ${maxNameLength} characters`)
  }
  const clientName = presentableName(client_name ?? '')
  return {
    redirectUris: redirectUrisOf(redirect_uris, appRedirects),
    ...(clientName !== undefined && { clientName }),
    ...(isHttpsUrl(client_uri) && { clientUri: client_uri }),
    ...(scope && { scopes: scopesOf(scope) }),
  }
}

/**
 * Says what is wrong if a stranger's client has a redirect URI on the issuer's own host.
 *
 * @returns Undefined if no redirect URI is on that host.
 */
export function ownHostFault(
  redirectUris: readonly string[],
  issuer: string,
): ErrorDescription<'invalid_redirect_uri'> | undefined {
  const index = redirectUris.findIndex((redirectUri) => isOnHostOf(issuer, redirectUri))
  return index === -1 ? undefined : `redirect_uris[${index}] must not be on the host of this server`
}

/**
 * Removes the scopes that the tenant does not offer: the authors of most clients do not know this server. What is left is only answered and
 * shown to hooks; every client may ask for all scopes that the tenant offers.
 */
export function offeredHere({ scopes = [], ...metadata }: ClientMetadata, offered: readonly string[]): ClientMetadata {
  const known = scopes.filter((scope) => offered.includes(scope))
  return known.length > 0 ? { ...metadata, scopes: known } : metadata
}

/**
 * Checks that a stranger's metadata is small enough to be stored.
 *
 * @throws {OAuthError} `invalid_client_metadata` if it takes more than 4,000 bytes as JSON.
 */
export function checkSize(metadata: ClientMetadata): void {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= maxBytes) return
  throw invalidMetadata(`redirect_uris, client_name, client_uri and scope must together take at most ${maxBytes} bytes`)
}

function redirectUrisOf(redirectUris: unknown, appRedirects: readonly string[]): string[] {
  if (!Array.isArray(redirectUris) || redirectUris.length === 0 || redirectUris.length > maxRedirectUris) {
    throw oauthError('invalid_redirect_uri', `redirect_uris must be an array of 1 to ${maxRedirectUris}`)
  }
  for (const [index, redirectUri] of redirectUris.entries()) {
    const fault = redirectUriFault(redirectUri, appRedirects)
    if (fault) throw oauthError('invalid_redirect_uri', `redirect_uris[${index}] ${fault}`)
  }
  return redirectUris
}

/** Whether a list of types names one. A client that leaves the list out accepts every type. */
function allows(types: unknown, type: string): boolean {
  return types === undefined || (Array.isArray(types) && types.includes(type))
}

function isHttpsUrl(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 512 && URL.canParse(value) && new URL(value).protocol === 'https:'
}

function invalidMetadata(description: ErrorDescription<'invalid_client_metadata'>): OAuthError {
  return oauthError('invalid_client_metadata', description)
}
