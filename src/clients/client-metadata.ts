import { OAuthError } from '../protocol/oauth-error'
import { isOnHostOf, redirectUriFault } from '../protocol/redirect-uri'
import { scopesOf } from '../protocol/scope'
import type { Client } from '../stores/tenant-store'
import { presentableName } from './client-name'

const maxRedirectUris = 20
const maxNameLength = 200
// With its dates and expiry, what is stored of a registration is then 4 KiB at the most.
const maxBytes = 4000

/** What of a client's own metadata counts here (RFC 7591 section 2). */
export type ClientMetadata = Omit<Client, 'clientId' | 'grantTypes' | 'firstParty'>

/**
 * Reads the metadata that a client gives of itself, in its registration or its metadata document. What is not known here is passed
 * over, and whatever authentication method is asked for, the client is public.
 *
 * @param appRedirects The app addresses that are accepted besides those whose scheme has a dot.
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

/** What is wrong with redirect URIs that a stranger has chosen, at this issuer; undefined where nothing is. */
export function ownHostFault(redirectUris: readonly string[], issuer: string): string | undefined {
  const index = redirectUris.findIndex((redirectUri) => isOnHostOf(issuer, redirectUri))
  return index === -1 ? undefined : `redirect_uris[${index}] must not be on the host of this server`
}

/**
 * The metadata with only those scopes that there are: clients ask for more, as their authors do not know this server. Where none is left
 * they may ask for all.
 */
export function offeredHere({ scopes = [], ...metadata }: ClientMetadata, offered: readonly string[]): ClientMetadata {
  const ours = scopes.filter((scope) => offered.includes(scope))
  return ours.length > 0 ? { ...metadata, scopes: ours } : metadata
}

/**
 * Checks that metadata is small enough to be stored for a stranger.
 *
 * @throws {OAuthError} `invalid_client_metadata` where it takes more than 4,000 bytes as JSON.
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
