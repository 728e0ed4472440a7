import { OAuthError } from '../protocol/oauth-error'
import { isOnHostOf, redirectUriFault } from '../protocol/redirect-uri'
import { scopesOf } from '../protocol/scope'
import type { ClientMetadata } from '../stores/tenant-store'
import { presentableName } from './client-name'

const maxRedirectUris = 20
const maxNameLength = 200
// As JSON. A stored registration, with its dates, then takes 4 KiB at most.
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
  mustInclude('grant_types', grant_types, 'authorization_code')
  mustInclude('response_types', response_types, 'code')
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
export function ownHostFault(redirectUris: readonly string[], issuer: string): string | undefined {
  const index = redirectUris.findIndex((redirectUri) => isOnHostOf(issuer, redirectUri))
  return index === -1 ? undefined : `redirect_uris[${index}] must not be on the host of this server`
}

/**
 * Removes the scopes that the tenant does not offer: the authors of most clients do not know this server. A client that names no offered
 * scope may ask for all of them.
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
  throw invalidMetadata(
    `redirect_uris, client_name, client_uri and scope must take no more than ${maxBytes} bytes together`,
  )
}

function redirectUrisOf(redirectUris: unknown, appRedirects: readonly string[]): string[] {
  if (!Array.isArray(redirectUris) || redirectUris.length === 0 || redirectUris.length > maxRedirectUris) {
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be an array of 1 to ${maxRedirectUris}`)
  }
  for (const [index, redirectUri] of redirectUris.entries()) {
    const fault = redirectUriFault(redirectUri, appRedirects)
    if (fault) throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] ${fault}`)
  }
  return redirectUris
}

function mustInclude(name: string, given: unknown, needed: string): void {
  if (given === undefined || (Array.isArray(given) && given.includes(needed))) return
  throw invalidMetadata(`${name} must include ${needed}`)
}

function isHttpsUrl(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 512 && URL.canParse(value) && new URL(value).protocol === 'https:'
}

function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}
