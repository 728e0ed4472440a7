import { record, text } from '../configuration/checks'
import type { GuardedStore } from '../stores/guarded-store'
import type { Erased } from './customer-data'
import type { Grants } from './grants'

/** What a host can do with everything that the store has about a tenant (docs/erasing-and-exporting.md). */
export interface TenantData {
  /**
   * Erases a company: ends all grants of its customers, and leaves nothing about it in the store, neither registered clients nor used ids.
   * There is a `revoked` event for each grant that it ends, without a `tenantKey`. On Redis it goes through the whole store.
   *
   * Call it when your tenant store no longer returns the company, or its customers can sign in again. If it rejects, or the process ends in
   * the middle, something may be left: call it again until it resolves.
   *
   * @param tenant.tenantId The `id` of the company, or `key:` and its `key` if it has none. An id that nothing is stored under is no error.
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   * @throws {ConfigurationError} for a member that is unknown, missing or empty.
   *
   * @example
   * await signIn.tenants.erase({ tenantId: 'company-1' })
   */
  erase(tenant: { tenantId: string }): Promise<Erased>
}

const oneTenant = record({ tenantId: text })

export function tenantData(grants: Grants, store: GuardedStore): TenantData {
  return {
    async erase(tenant) {
      const { tenantId } = oneTenant(tenant, 'tenants.erase')
      return { grants: await grants.endEach(store.deleteTenant(tenantId), 'tenants.erase', { tenantId }) }
    },
  }
}
