import type { Tenant, TenantStore } from './tenant-store'

/**
 * A {@link TenantStore} over a list, for development, tests and hosts with few companies.
 *
 * @example
 * new MemoryTenantStore([{ key: 'acme', clients: [{ clientId: 'app', redirectUris: ['https://app.example/callback'] }] }])
 */
export class MemoryTenantStore implements TenantStore {
  readonly #tenants: Map<string, Tenant>

  /** @param tenants The companies; of two with the same `key` the last counts. */
  constructor(tenants: readonly Tenant[]) {
    this.#tenants = new Map(tenants.map((tenant) => [tenant.key, tenant]))
  }

  findTenant(tenantKey: string): Tenant | undefined {
    return this.#tenants.get(tenantKey)
  }
}
