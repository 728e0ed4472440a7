import type { Tenant, TenantStore } from '../contract/tenant-store'

/** The client that tokens are of, unless a test names another one. */
export const testClient = {
  clientId: 'test-client',
  clientName: 'Test client',
  redirectUris: ['https://client.test/callback'],
}

const maxKeyLength = 64

/** A company for every key. */
export const anyCompany: TenantStore = { findTenant: (key) => ({ key, id: key, name: key }) }

/** The companies of a store, each with {@link testClient} as one more client of its own. */
export class TestTenants {
  readonly #store: TenantStore
  readonly #madeUp = new Map<string, Tenant>()

  constructor(store: TenantStore) {
    this.#store = store
  }

  async find(tenantKey: string): Promise<Tenant | undefined> {
    return prepared(this.#madeUp.get(tenantKey) ?? (await this.#store.findTenant(tenantKey)))
  }

  /** Finds them by domain too, if the store does. */
  asStore(): TenantStore {
    const store = this.#store
    const findTenant = (tenantKey: string) => this.find(tenantKey)
    if (!store.findTenantByHost) return { findTenant }
    return { findTenant, findTenantByHost: async (host) => prepared(await store.findTenantByHost?.(host)) }
  }

  /** Makes up a company that is like this one in all but its key, id and addresses. @returns Its key. */
  async anotherLike(tenantKey: string): Promise<string> {
    const key = `another-${tenantKey}`.slice(0, maxKeyLength)
    const like = await this.#store.findTenant(tenantKey)
    if (like) this.#madeUp.set(key, copyOf(like, { key, id: key, baseUrl: undefined, formerBaseUrls: undefined }))
    return key
  }
}

function prepared(tenant: Tenant | null | undefined): Tenant | undefined {
  return tenant ? copyOf(tenant, { clients: [...(tenant.clients ?? []), testClient] }) : undefined
}

/** A copy with other members. A record that is an instance of a class keeps its methods, which the host's hooks may call. */
function copyOf(tenant: Tenant, members: Partial<Tenant>): Tenant {
  return Object.assign(Object.create(Object.getPrototypeOf(tenant)), tenant, members)
}
