import { type ClaimedMetadata, invalidMetadata } from '../client-authentication/method'
import type { ClientMetadata } from '../contract/tenant-store'
import { quotationMarks } from '../pages/words'
import { assertedGrantTypes, redirectingGrantTypes } from '../protocol/grant-types'
import { oauthError } from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import {
  type AppRedirects,
  isOnHostOf,
  maxRedirectUris,
  type RedirectUriFault,
  redirectUriFault,
} from '../protocol/redirect-uri'
import { isUrl } from '../protocol/resource'
import { scopesOf } from '../protocol/scope'

/** How many characters are read of a name that a client gives itself. */
export const maxNameLength = 200

/**
 * Reads the metadata of a client from its registration or its metadata document. Ignores unknown members. A member that is null counts as
 * absent. Redirect URIs that are not accepted are left out. A document needs none if its client only has assertions to redeem.
 *
 * @param appRedirects The redirect URIs of apps that are accepted although their scheme has no dot.
 * @param ownAddresses No redirect URI may be on their hosts. Omitted if the metadata is for the clients of several tenants: see {@link atTenant}.
 * @throws {OAuthError} `invalid_redirect_uri` if no redirect URI is accepted, or `invalid_client_metadata` (RFC 7591 section 3.2.2).
 */
export function readClientMetadata(
  metadata: ClaimedMetadata,
  appRedirects: AppRedirects,
  ownAddresses?: readonly string[],
): ClientMetadata {
  // Some clients write each member that they do not use as null.
  const given = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
  const { redirect_uris, client_uri, grant_types, response_types } = given
  const { client_name = '', scope = '', dpop_bound_access_tokens: bound = false } = given
  // The id of a client that registers carries its redirect URIs, and is nothing without.
  const isDocument = ownAddresses === undefined
  const redirects = redirectingGrantTypes.some((type) => allows(type, grant_types))
  if (!redirects && !(isDocument && assertedGrantTypes.some((type) => allows(type, grant_types)))) {
    throw invalidMetadata(`grant_types must include ${redirectingGrantTypes.join(' or ')}`)
  }
  if (redirects && !allows('code', response_types)) throw invalidMetadata('response_types must include code')
  if (typeof scope !== 'string') throw invalidMetadata('scope must be a string')
  if (typeof client_name !== 'string') throw invalidMetadata('client_name must be a string')
  if (typeof bound !== 'boolean') throw invalidMetadata('dpop_bound_access_tokens must be true or false')
  const clientName = presentableName(client_name.slice(0, maxNameLength))
  const faultOf = (redirectUri: unknown) => strangerFault(redirectUri, appRedirects, ownAddresses)
  return {
    redirectUris: redirects ? redirectUrisOf(redirect_uris, faultOf) : [],
    ...(clientName !== undefined && { clientName }),
    ...(isHttpsUrl(client_uri) && { clientUri: client_uri }),
    ...(scope && { scopes: scopesOf(scope) }),
    ...(bound && { dpopBoundAccessTokens: true }),
  }
}

/** The metadata in a document without redirect URIs on the hosts of this server. @throws {OAuthError} `invalid_client` if no other is left. */
export function atTenant(metadata: ClientMetadata, ownAddresses: readonly string[]): ClientMetadata {
  const redirectUris = metadata.redirectUris.filter((redirectUri) => !isOnOwnHost(ownAddresses, redirectUri))
  if (redirectUris.length > 0 || metadata.redirectUris.length === 0) return { ...metadata, redirectUris }
  const why: ErrorDescription<'invalid_redirect_uri'> = 'redirect_uris must not be on the host of this server'
  const description = `The metadata document of client_id cannot be used: ${why}` as const
  throw oauthError('invalid_client', description, { reason: 'redirect_uris_refused' })
}

/** Says what is wrong with a redirect URI of a stranger's client, or undefined if nothing is. */
export function strangerFault(
  redirectUri: unknown,
  appRedirects: AppRedirects,
  ownAddresses: readonly string[] = [],
): RedirectUriFault | undefined {
  const fault = redirectUriFault(redirectUri, appRedirects)
  if (fault !== undefined) return fault
  return isOnOwnHost(ownAddresses, redirectUri as string) ? 'must not be on the host of this server' : undefined
}

function isOnOwnHost(ownAddresses: readonly string[], redirectUri: string): boolean {
  return ownAddresses.some((address) => isOnHostOf(address, redirectUri))
}

/**
 * Removes the scopes that the tenant does not offer: the authors of most clients do not know this server. What is left is only answered and
 * shown to hooks; every client may ask for all scopes that the tenant offers.
 */
export function offeredHere({ scopes = [], ...metadata }: ClientMetadata, offered: readonly string[]): ClientMetadata {
  const known = scopes.filter((scope) => offered.includes(scope))
  return known.length > 0 ? { ...metadata, scopes: known } : metadata
}

/** Reads those redirect URIs that are accepted: apps add addresses over time, and one must not keep the others from working. */
function redirectUrisOf(
  redirectUris: unknown,
  faultOf: (redirectUri: unknown) => RedirectUriFault | undefined,
): string[] {
  if (!Array.isArray(redirectUris) || redirectUris.length === 0 || redirectUris.length > maxRedirectUris) {
    throw oauthError('invalid_redirect_uri', `redirect_uris must be an array of 1 to ${maxRedirectUris}`)
  }
  const accepted = redirectUris.filter((redirectUri) => faultOf(redirectUri) === undefined)
  if (accepted.length > 0) return accepted
  throw oauthError('invalid_redirect_uri', `redirect_uris[0] ${faultOf(redirectUris[0])}`, {
    reason: 'redirect_uris_refused',
    detail: { asked: redirectUris, faults: redirectUris.map(faultOf) },
  })
}

/** Whether a list of types names one. A client that leaves the list out, or empty, accepts every type. */
function allows(type: string, types: unknown = []): boolean {
  return Array.isArray(types) && (types.length === 0 || types.includes(type))
}

function isHttpsUrl(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 512 && isUrl(value) && new URL(value).protocol === 'https:'
}

// In code points, because a grapheme can have any number of them.
const maxShownLength = 60
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Makes the name that a client gives itself safe to show beside this library's own words: in normal form KC, on one line, without characters that are
 * invisible or change the direction of the text, with at most two combining marks in a row, and at most 60 characters long.
 * Quotation marks become apostrophes, because the title of a page has the name between quotation marks, which differ between languages.
 *
 * @returns Undefined if the name has no letter and no digit.
 */
export function presentableName(name: string): string | undefined {
  const presentable = name
    // Before the normal form takes some of them apart, and after it has made others.
    .replace(quotationMarks, "'")
    // Except the mark at the end of a name that was cut before.
    .replace(/[^…]+/gu, (text) => text.normalize('NFKC'))
    // These include all bidi controls. The joiners and U+FE0F stay: Persian, Indic scripts and emoji need them.
    .replace(/(?!\u200C|\u200D|\uFE0F)\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{Cs}\p{Co}\uFFF9-\uFFFB]|(?!\p{Extended_Pictographic})\p{Cn}/gu, '')
    .replace(/[\p{White_Space}\p{Cc}\u2800]+/gu, ' ')
    .replace(quotationMarks, "'")
    .normalize('NFC')
    .replace(/((?:\p{M}[\u200C\u200D]*){2})[\p{M}\u200C\u200D]+/gu, '$1')
    .replace(/^[\p{M}\p{Z}\u200C\u200D]+| $/gu, '')
  return /[\p{L}\p{N}]/u.test(presentable) ? shorten(presentable) : undefined
}

function shorten(name: string): string {
  if ([...name].length <= maxShownLength) return name
  let start = ''
  for (const { segment } of graphemes.segment(name)) {
    if ([...start, ...segment].length >= maxShownLength) break
    start += segment
  }
  return `${start.trimEnd()}…`
}
