import {
  anything,
  type Check,
  type Checked,
  distinct,
  flag,
  identifier,
  imageUrl,
  must,
  nullable,
  record,
  rememberAccepted,
  resource,
  scopeToken,
  text,
} from '../configuration/checks'
import { nearestName } from '../configuration/configuration-error'
import type { Tenant } from '../contract/tenant-store'
import { languageTag } from '../pages/languages'
import { links } from '../pages/links'
import { theme } from '../pages/theme'
import { formerBaseUrl, ownBaseUrl } from './addresses'
import { askConsent } from './ask-consent'
import { clientRecords } from './client-record'
import { clientRule } from './client-rules'
import { accessTokenLifetime, refreshTokenLifetime } from './lifetimes'

/** The prefix of the partition of a tenant without an `id`. Its key follows. No `id` of a host's can begin with it. */
const partitionOfKey = 'key:'

const ownId = must<string>(
  `a string that is not empty and does not begin with ${partitionOfKey}, or omitted`,
  (given) => typeof given === 'string' && given !== '' && !given.startsWith(partitionOfKey),
  { quotes: true },
)

/** The check of each member. */
export const members = {
  key: anything<string>,
  // Not nullable: a company whose column is null would change its partition on the day that it gets an id.
  id: ((given, name) => (given === undefined ? undefined : identifier(ownId(given, name), name))) as Check<
    string | undefined
  >,
  baseUrl: nullable(ownBaseUrl),
  formerBaseUrls: nullable(distinct(formerBaseUrl)),
  name: nullable(text),
  logoUri: nullable(imageUrl),
  locale: nullable(languageTag),
  theme: nullable(theme),
  links: nullable(links),
  registration: nullable(flag),
  metadataDocuments: nullable(flag),
  allowedClients: nullable(clientRule),
  blockedClients: nullable(clientRule),
  scopes: nullable(distinct(scopeToken)),
  resources: nullable(distinct(resource)),
  accessTokenLifetime: nullable(accessTokenLifetime),
  refreshTokenLifetime: nullable(refreshTokenLifetime),
  askConsent: nullable(askConsent),
  clients: nullable(clientRecords),
}

const names = Object.keys(members)

/**
 * Whether an unknown member may be the host's own. A name that is nearly one of these members may not: it is probably misspelt, and what it
 * says would be ignored.
 */
export const isMemberOfHost = rememberAccepted((name) => nearestName(name, names, { maxDistance: 1 }) === undefined)

/** A tenant's record without null members and without the host's own members. */
export type TenantRecord = Checked<typeof members>

/**
 * Checks a tenant's record, on every request, because the host may change its objects at any time.
 *
 * @throws {ConfigurationError} at the first member that is wrong, or whose name is probably misspelt.
 */
export function tenantRecord(given: Tenant): TenantRecord {
  return check(given, 'tenant')
}

const check = record(members, isMemberOfHost)

/** The id under which everything of a tenant is stored and issued: the host's own, or one that no host can give. */
export function partitionOf({ key, id }: TenantRecord): string {
  return id ?? `${partitionOfKey}${key}`
}
