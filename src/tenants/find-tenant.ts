import { flag, imageUrl, listOf, must, optional, resource, scopeToken, text } from '../option-checks'
import { accessTokenLifetime, refreshTokenLifetime } from '../options'
import { issuerOf, isTenantKey } from '../protocol/issuer'
import { OAuthError } from '../protocol/oauth-error'
import { canonicalResource } from '../protocol/resource'
import type { Service } from '../service'
import { withinTime } from '../stores/guarded-store'
import type { Client, Tenant } from '../stores/tenant-store'

// What a host's record of a tenant must be like, where it says anything.
const checks = Object.entries({
  id: optional(text),
  name: optional(text),
  logoUri: optional(imageUrl),
  registration: optional(flag),
  metadataDocuments: optional(flag),
  scopes: optional(listOf(scopeToken)),
  resources: optional(listOf(resource)),
  accessTokenLifetime: optional(accessTokenLifetime),
  refreshTokenLifetime: optional(refreshTokenLifetime),
  clients: optional(must('an array of clients, each with clientId and redirectUris', areClients)),
})

/** A tenant with every default filled in. */
export interface ResolvedTenant {
  key: string
  id: string
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
    ? await withinTime('tenantStore.findTenant', options.storeTimeout * 1000, () =>
        options.tenantStore.findTenant(tenantKey),
      )
    : undefined
  // A store that folds case would otherwise make one tenant answer under two issuers.
  if (!record || record.key !== tenantKey) throw noSuchTenant()
  checkTenant(record)
  const issuer = issuerOf(baseUrl, tenantKey)
  const announced = service.protectedResources.map(({ urlFor }) => urlFor(tenantKey, baseUrl))
  const [first = issuer, ...others] = record.resources ?? [...announced, issuer]
  return {
    key: tenantKey,
    id: record.id ?? tenantKey,
    issuer,
    clients: record.clients ?? [],
    scopes: record.scopes ?? Object.keys(options.scopes),
    resources: [first, ...others],
    accessTokenLifetime: record.accessTokenLifetime ?? options.accessTokenLifetime,
    refreshTokenLifetime: record.refreshTokenLifetime ?? options.refreshTokenLifetime,
    registration: options.registration && (record.registration ?? true),
    metadataDocuments: options.metadataDocuments !== false && (record.metadataDocuments ?? record.registration ?? true),
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

function checkTenant(record: Tenant): void {
  try {
    for (const [name, check] of checks) check(record[name as keyof Tenant] ?? undefined, `tenant.${name}`)
  } catch (error) {
    throw new OAuthError('server_error', 'Customer sign-in is misconfigured at this address', {
      cause: error,
      reason: 'misconfigured',
    })
  }
}

function areClients(given: unknown): boolean {
  return (
    Array.isArray(given) &&
    given.every(
      (client) =>
        typeof client?.clientId === 'string' &&
        Array.isArray(client.redirectUris) &&
        Array.isArray(client.grantTypes ?? []) &&
        Array.isArray(client.scopes ?? []),
    )
  )
}
