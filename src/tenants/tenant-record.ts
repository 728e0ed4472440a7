import {
  anything,
  type Check,
  type Checked,
  distinct,
  flag,
  imageUrl,
  must,
  nullable,
  record,
  rememberAccepted,
  resource,
  scopeToken,
  text,
} from '../configuration/checks'
import { nearestName } from '../configuration/nearest-name'
import type { Tenant } from '../stores/tenant-store'
import { clientRecords } from './client-record'
import { accessTokenLifetime, refreshTokenLifetime } from './lifetimes'

/** What the partition of a tenant without an `id` begins with, before its key. No `id` of a host's can begin with it. */
const partitionOfKey = 'key:'

const ownId = must<string>(
  `a string that is not empty and does not begin with ${partitionOfKey}, or omitted`,
  (given) => typeof given === 'string' && given !== '' && !given.startsWith(partitionOfKey),
  { quotes: true },
)

const members = {
  key: anything<string>,
  // Not null: in a column that can be null, a company would change its partition on the day that it gets an id.
  id: ((given, name) => (given === undefined ? undefined : ownId(given, name))) as Check<string | undefined>,
  name: nullable(text),
  logoUri: nullable(imageUrl),
  registration: nullable(flag),
  metadataDocuments: nullable(flag),
  scopes: nullable(distinct(scopeToken)),
  resources: nullable(distinct(resource)),
  accessTokenLifetime: nullable(accessTokenLifetime),
  refreshTokenLifetime: nullable(refreshTokenLifetime),
  clients: nullable(clientRecords),
}

const names = Object.keys(members)

/** A row can have members of the host's own, but none that is one of ours in another spelling: it would go unheard. */
const isTheHosts = rememberAccepted((name) => nearestName(name, names, { maxDistance: 1 }) === undefined)

/** A tenant's record without what is null in it, and without the members of the host's own. */
export type TenantRecord = Checked<typeof members>

/**
 * Checks a tenant's record. With every request, as the host may change its objects at any time; what takes parsing is remembered by its
 * text.
 *
 * @throws {ConfigurationError} at the first member that is wrong, or is nearly one of ours.
 */
export function tenantRecord(given: Tenant): TenantRecord {
  return check(given, 'tenant')
}

const check = record(members, isTheHosts)

/** Under which everything of a tenant is stored and issued: its id as the host gives it, or one that no id can be. */
export function partitionOf({ key, id }: TenantRecord): string {
  return id ?? `${partitionOfKey}${key}`
}
