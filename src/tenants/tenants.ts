import { issuerOf, isTenantKey } from '../protocol/issuer'
import { OAuthError } from '../protocol/oauth-error'
import { canonicalResource } from '../protocol/resource'
import type { Service } from '../service'
import { callHostWithin } from '../stores/call-host'
import type { Client, Tenant } from '../stores/tenant-store'
import { partitionOf, type TenantRecord, tenantRecord } from './tenant-record'

/** A tenant with every default filled in. */
export interface ResolvedTenant {
  key: string
  /** Partitions everything stored and issued. */
  id: string
  name: string | undefined
  logoUri: string | undefined
  issuer: string
  clients: readonly Client[]
  scopes: readonly string[]
  /** As the host spells them, the default one first. */
  resources: readonly [string, ...string[]]
  /** Seconds. */
  accessTokenLifetime: number
  /** Seconds. */
  refreshTokenLifetime: number
  /** Whether clients can register themselves. */
  registration: boolean
  /** Whether a client can be known here by the address of its metadata document. */
  metadataDocuments: boolean
  /** The host's own record. */
  record: Tenant
}

/**
 * The tenant of a request.
 *
 * @throws {OAuthError} `not_found` (404) where there is none, `server_error` (500) where the host's record of it cannot be used,
 * `temporarily_unavailable` (503) where the host's store fails.
 */
export async function findTenant(tenantKey: string, baseUrl: string, service: Service): Promise<ResolvedTenant> {
  const { options } = service
  const record = isTenantKey(tenantKey)
    ? await callHostWithin('tenantStore.findTenant', options.hostTimeout * 1000, () =>
        options.tenantStore.findTenant(tenantKey),
      )
    : undefined
  // A store that folds case would otherwise make one tenant answer under two issuers.
  if (!record || record.key !== tenantKey) throw noSuchTenant()
  const checked = checkedRecord(record)
  const issuer = issuerOf(baseUrl, tenantKey)
  const announced = service.protectedResources.map(({ urlFor }) => urlFor(tenantKey, baseUrl))
  const [first = issuer, ...others] = checked.resources ?? [...announced, issuer]
  return {
    key: tenantKey,
    id: partitionOf(checked),
    name: checked.name,
    logoUri: checked.logoUri,
    issuer,
    clients: checked.clients ?? [],
    scopes: checked.scopes ?? Object.keys(options.scopes),
    resources: [first, ...others],
    accessTokenLifetime: checked.accessTokenLifetime ?? options.accessTokenLifetime,
    refreshTokenLifetime: checked.refreshTokenLifetime ?? options.refreshTokenLifetime,
    registration: options.registration && (checked.registration ?? true),
    metadataDocuments:
      options.metadataDocuments !== false && (checked.metadataDocuments ?? checked.registration ?? true),
    record,
  }
}

/** The tenant's own spelling of a resource that it has, given in canonical form. */
export function spelledByTenant(canonical: string, tenant: ResolvedTenant): string | undefined {
  // To find the canonical form takes parsing. Where a text is its own one, which it is not with a slash at its end, none is needed.
  const same = (resource: string) => resource === canonical && !resource.endsWith('/')
  return tenant.resources.find((resource) => same(resource) || canonicalResource(resource) === canonical)
}

export function noSuchTenant(): OAuthError {
  return new OAuthError('not_found', 'There is no customer sign-in at this address', { reason: 'tenant_gone' })
}

function checkedRecord(record: Tenant): TenantRecord {
  try {
    return tenantRecord(record)
  } catch (error) {
    throw new OAuthError('server_error', 'Customer sign-in is misconfigured at this address', {
      cause: error,
      reason: 'misconfigured',
    })
  }
}
