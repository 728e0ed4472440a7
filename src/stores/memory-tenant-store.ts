import type { Tenant, TenantStore } from './tenant-store'

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

  /** @param tenants The companies. Of two with the same `key`, or the same host, the last one counts. */
  constructor(tenants: readonly Tenant[]) {
    this.#tenants = new Map(tenants.map((tenant) => [tenant.key, tenant]))
    const byHost = new Map(tenants.flatMap((tenant) => hostsOf(tenant).map((host) => [host, tenant])))
    if (byHost.size > 0) this.findTenantByHost = (host) => byHost.get(host)
  }

  findTenant(tenantKey: string): Tenant | undefined {
    return this.#tenants.get(tenantKey)
  }
}

function hostsOf({ baseUrl, formerBaseUrls }: Tenant): string[] {
  return [baseUrl, ...(formerBaseUrls ?? [])].flatMap((url) => (url && URL.canParse(url) ? new URL(url).host : []))
}
