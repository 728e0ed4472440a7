import type { Tenant, TenantStore } from './tenant-store'

/**
 * A {@link TenantStore} that holds an array of tenants, for development, tests and hosts with few companies.
 *
 * @example
 * new MemoryTenantStore([{ key: 'acme', clients: [{ clientId: 'app', redirectUris: ['https://app.example/callback'] }] }])
 */
export class MemoryTenantStore implements TenantStore {
  readonly #tenants: Map<string, Tenant>

  /** @param tenants The companies. Of two with the same `key`, the last one counts. */
  constructor(tenants: readonly Tenant[]) {
    this.#tenants = new Map(tenants.map((tenant) => [tenant.key, tenant]))
  }

  findTenant(tenantKey: string): Tenant | undefined {
    return this.#tenants.get(tenantKey)
  }
}
