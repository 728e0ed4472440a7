import { credentialMembers } from '../client-authentication/methods'
import {
  anything,
  type Check,
  type Checked,
  distinct,
  duration,
  faultIn,
  flag,
  httpUrl,
  identifier,
  isObject,
  listOf,
  mustBeText,
  nullable,
  oneOf,
  optional,
  record,
  resource,
  scopeToken,
  text,
} from '../configuration/checks'
import { ConfigurationError, nearestName, unknownMember } from '../configuration/configuration-error'
import type { AskConsent, Client, ClientRule, Tenant } from '../contract/tenant-store'
import { languageTag } from '../pages/languages'
import { links, logoImage, theme } from '../pages/theme'
import { defaultGrantTypes, grantTypes, redirectingGrantTypes } from '../protocol/grant-types'
import { isAppScheme, isRedirectHost, leadsToOwnDevice, ownRedirectUriFault } from '../protocol/redirect-uri'
import { isClientId, isRegisteredId } from '../protocol/registered-id'
import { asServed, isTenantKey, isUrl } from '../protocol/resource'
import { trustedIssuers } from '../trusted-issuers/trusted-issuer'

/** Checks the lifetime of access tokens, in an option or a tenant's record: at most an hour. */
export const accessTokenLifetime = duration(1, 3600)

/** Checks the lifetime of refresh tokens, in an option or a tenant's record: at most 30 days. */
export const refreshTokenLifetime = duration(1, 30 * 86_400)

/** How often customers are asked for consent. */
export const askConsent = oneOf<AskConsent>('always', 'once')

function isOwnBaseUrl(text: string): boolean {
  if (!isUrl(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && leadsToOwnDevice(hostname)))
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !isUrl(text)) return false
  const { origin, pathname } = new URL(text)
  return text === `${origin}${pathname.replace(/\/$/, '')}`
}

/** Checks an address of this server, and returns it as requests spell it, without a slash at its end. */
function addressWith(allowed: string, accepts: (text: string) => boolean): Check<string> {
  const check = mustBeText(allowed, accepts)
  return (given, name) => check(typeof given === 'string' ? asServed(given.replace(/\/$/, '')) : given, name)
}

/** The address of a tenant's own domain. */
const ownBaseUrl = addressWith(
  'an https address, or an http address on loopback, without path, query, fragment and user name, such as https://assistant.acme.com',
  isOwnBaseUrl,
)

/** The form of an address that a tenant had before. {@link checkFormer} says the rest. */
const formerBaseUrl = addressWith('an http or https address without query, fragment and user name', isBaseUrl)

const redirectUri: Check<string> = (given, name) => {
  const says = ownRedirectUriFault(given)
  if (says === undefined) return given as string
  throw new ConfigurationError(name, given, 'a redirect URI', { says })
}

const grantType = oneOf<string>(...grantTypes)

const clientMembers = record({
  clientId: mustBeText(
    'a string of 1 to 2048 characters of printable ASCII that does not begin with dcr_, as the ids of registered clients do',
    (given) => isClientId(given) && !isRegisteredId(given),
  ),
  clientName: nullable(text),
  clientUri: nullable(httpUrl),
  redirectUris: nullable(listOf(redirectUri)),
  grantTypes: nullable(distinct(grantType)),
  scopes: nullable(distinct(scopeToken)),
  firstParty: nullable(flag),
  askConsent: nullable(askConsent),
  dpopBoundAccessTokens: nullable(flag),
  ...credentialMembers,
})

const clientRecord: Check<Client> = (given, name) => {
  const client = clientMembers(given, name)
  if (client.jwks !== undefined && client.jwksUri !== undefined) {
    throw new ConfigurationError(`${name}.jwksUri`, client.jwksUri, 'omitted where jwks is given', {
      says: 'must be omitted, because the client has jwks',
    })
  }
  const { redirectUris, grantTypes: uses = defaultGrantTypes } = client
  if (redirectUris !== undefined) return client as Client
  if (!redirectingGrantTypes.some((type) => uses.includes(type))) return { ...client, redirectUris: [] }
  throw new ConfigurationError(`${name}.redirectUris`, redirectUris, 'an array')
}

/** Checks the clients of a tenant's record, and returns each without its null members. */
const clientRecords: Check<Client[]> = (given, name) => {
  const clients = listOf(clientRecord)(given, name)
  const ids = clients.map(({ clientId }) => clientId)
  if (new Set(ids).size === ids.length) return clients
  const index = ids.findIndex((id, place) => ids.indexOf(id) < place)
  throw new ConfigurationError(`${name}[${index}].clientId`, ids[index], 'the id of no other client', {
    says: `is ${JSON.stringify(ids[index])}, which another client has already`,
  })
}

const anyClientId = mustBeText('a client id: 1 to 2048 characters of printable ASCII', isClientId)

const host = mustBeText(
  'a host in lower case, such as claude.ai, without scheme, port and path; localhost for every loopback address',
  isRedirectHost,
)

/** Checks where redirect URIs lead. */
const redirectHost = mustBeText(
  'a host in lower case, such as claude.ai; localhost for every loopback address; or the scheme of an app with its colon, such as cursor:',
  (given) => isAppScheme(given) || isRedirectHost(given),
)

/** Checks a {@link ClientRule}, in an option or a tenant's record. */
export const clientRule: Check<ClientRule> = record({
  clientIds: nullable(listOf(anyClientId)),
  documentHosts: nullable(listOf(host)),
  redirectHosts: nullable(listOf(redirectHost)),
})

/** The prefix of the partition of a tenant without an `id`. Its key follows. No `id` of a host's can begin with it. */
const partitionOfKey = 'key:'

const ownId = mustBeText(
  `a string that is not empty and does not begin with ${partitionOfKey}, or omitted`,
  (given) => given !== '' && !given.startsWith(partitionOfKey),
)

/** The check of each member. */
const members = {
  key: anything<string>,
  // Not nullable: a company whose column is null would change its partition on the day that it gets an id.
  id: optional<string>((given, name) => identifier(ownId(given, name), name)),
  baseUrl: nullable(ownBaseUrl),
  formerBaseUrls: nullable(distinct(formerBaseUrl)),
  name: nullable(text),
  logoUri: nullable(logoImage),
  locale: nullable(languageTag),
  theme: nullable(theme),
  links: nullable(links),
  registration: nullable(flag),
  metadataDocuments: nullable(flag),
  allowedClients: nullable(clientRule),
  blockedClients: nullable(clientRule),
  trustedIssuers: nullable(trustedIssuers),
  enterpriseOnly: nullable(flag),
  requireDpop: nullable(flag),
  scopes: nullable(distinct(scopeToken)),
  resources: nullable(distinct(resource)),
  accessTokenLifetime: nullable(accessTokenLifetime),
  refreshTokenLifetime: nullable(refreshTokenLifetime),
  askConsent: nullable(askConsent),
  clients: nullable(clientRecords),
}

/** The members of a record that say something to this library. */
export const memberNames = Object.keys(members) as (keyof typeof members)[]

/**
 * Whether an unknown member may be the host's own. A name that is nearly one of these members may not: it is probably misspelt, and what it
 * says would be ignored.
 */
function isMemberOfHost(name: string): boolean {
  return nearestName(name, memberNames, 1) === undefined
}

/** A tenant's record without null members and without the host's own members. Times are milliseconds. */
export type TenantRecord = Checked<typeof members>

/** Checks a tenant's record. @throws {ConfigurationError} at the first member that is wrong, or whose name is probably misspelt. */
export const tenantRecord = record(members, isMemberOfHost)

/** The id under which everything of a tenant is stored and issued: the host's own, or one that no host can give. */
export function partitionOf({ key, id }: TenantRecord): string {
  return id ?? `${partitionOfKey}${key}`
}

/** Checks that this server can have each address that a tenant had before: that of a domain of its own, or the option `baseUrl`. */
export function checkFormer({ formerBaseUrls = [] }: TenantRecord, shared: string): void {
  for (const [index, former] of formerBaseUrls.entries()) {
    if (former === shared || isOwnBaseUrl(former)) continue
    const allowed = `the option baseUrl (${shared}), or the address of a domain as baseUrl of a record may be`
    throw new ConfigurationError(`tenant.formerBaseUrls[${index}]`, former, allowed, { quotes: true })
  }
}

/** What is wrong with a member of a tenant's record. */
export interface TenantProblem {
  /** The member, such as `logoUri` or `clients[0].redirectUris[1]`. Empty if the record is no object. */
  member: string
  /** What is wrong with it, in English, after the member's name: `must be true or false, but is "yes"`. */
  problem: string
}

const tenantKey = mustBeText('1 to 64 of A-Z a-z 0-9 . _ ~ -, but not . and ..', isTenantKey)

/**
 * Checks a tenant's record as every request does, for the form with which a company's record is edited. A record without problems serves
 * requests; one with a problem is answered with 500.
 *
 * @param record The record as `findTenant` would return it. Members of the host's own are passed over.
 * @returns At most one problem for each member of the record; an empty list if there is none.
 *
 * @example
 * checkTenant({ key: 'acme', logoUri: 'logo.png' })
 * // [{ member: 'logoUri', problem: 'must be an https or data URL of an image, but is "logo.png"' }]
 */
export function checkTenant(record: Tenant): TenantProblem[] {
  const given: unknown = record
  if (!isObject(given)) return [problemOf(new ConfigurationError('tenant', given, 'an object'))]
  const wrong = Object.entries({ ...members, key: tenantKey }).flatMap(
    ([member, check]) => faultIn(given[member], `tenant.${member}`, check) ?? [],
  )
  const unknown = Object.keys(given).filter((member) => !Object.hasOwn(members, member) && !isMemberOfHost(member))
  return [...wrong, ...unknown.map((member) => unknownMember('tenant', member, memberNames))].map(problemOf)
}

function problemOf({ option, problem }: ConfigurationError): TenantProblem {
  return { member: option.replace(/^tenant\.?/, ''), problem }
}
