import { ConfigurationError } from '../configuration/configuration-error'
import type { Tenant, TenantStore } from '../contract/tenant-store'
import { asServed, isUrl } from '../protocol/resource'

/**
 * A {@link TenantStore} that holds an array of tenants, for development, tests and hosts with few companies.
 *
 * @example
 * new MemoryTenantStore([{ key: 'acme', clients: [{ clientId: 'app', redirectUris: ['https://app.example/callback'] }] }])
 */
export class MemoryTenantStore implements TenantStore {
  readonly #tenants: Map<string, Tenant>
  /** Finds a tenant by the domain of its own. Undefined if no tenant has one. */
  readonly findTenantByHost?: (host: string) => Tenant | undefined

  /**
   * @param tenants The companies. Of two with the same `key` the last one counts. A host is that of the company whose `baseUrl` has it, before
   * one that had it before.
   * @throws {ConfigurationError} if two have a `baseUrl` with the same host.
   */
  constructor(tenants: readonly Tenant[]) {
    this.#tenants = new Map(tenants.map((tenant) => [tenant.key, tenant]))
    const byHost = tenantsByHost([...this.#tenants.values()])
    if (byHost.size > 0) this.findTenantByHost = (host) => byHost.get(host)
  }

  findTenant(tenantKey: string): Tenant | undefined {
    return this.#tenants.get(tenantKey)
  }
}

function tenantsByHost(tenants: readonly Tenant[]): Map<string, Tenant> {
  const former = tenants.flatMap((tenant) => (tenant.formerBaseUrls ?? []).flatMap((url) => entries(url, tenant)))
  const current = new Map<string, Tenant>()
  for (const [host, tenant] of tenants.flatMap((each) => entries(each.baseUrl, each))) {
    const other = current.get(host)
    if (other) {
      const both = `of ${JSON.stringify(other.key)} and of ${JSON.stringify(tenant.key)}`
      const says = `${both} have the same host ${host}: give each company its own domain`
      throw new ConfigurationError('tenant.baseUrl', undefined, 'on a host that no other company has', { says })
    }
    current.set(host, tenant)
  }
  return new Map([...former, ...current])
}

/** An entry for the host of an address. None if the address is no URL, which requests are told of. */
function entries(url: string | null | undefined, tenant: Tenant): [host: string, Tenant][] {
  return url && isUrl(url) ? [[new URL(asServed(url)).host, tenant]] : []
}
