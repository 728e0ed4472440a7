import { identifier, record } from '../configuration/checks'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import { actor } from './actor'
import type { Erased } from './customer-data'

/** What a host names a company by in these calls, and who makes the call. */
export interface TenantCall {
  /** The `id` of the company, or `key:` and its `key` if it has none. An id that nothing is stored under is no error. */
  tenantId: string
  /** Who makes the call, for its events: 1 to 200 characters (docs/administration.md). */
  actor?: string | undefined
}

/**
 * What a host can do with everything that the store has about a tenant. Neither method asks the tenant store, so both work for a company that
 * is switched off or gone.
 */
export interface TenantData {
  /**
   * Ends all grants of a company's customers: their refresh tokens are refused from then on, and their access tokens wherever revocation is
   * checked. There is a `revoked` event for each grant, without a `tenantKey`. On Redis it goes through the whole
   * store.
   *
   * When it resolves, every grant that existed when it was called has ended. If it rejects, or the process ends in the middle, some may be
   * left: call it again until it resolves.
   *
   * @returns How many grants this call has ended.
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   * @throws {ConfigurationError} for a member that is unknown, missing or wrong.
   *
   * @example
   * await signIn.tenants.end({ tenantId: 'company-1', actor: 'staff:42' })
   */
  end(tenant: TenantCall): Promise<{ grants: number }>
  /**
   * Erases a company: ends all grants of its customers, and leaves nothing about it in the store, not even used ids.
   * There is a `revoked` event for each grant that it ends, without a `tenantKey`. On Redis it goes through the whole store.
   *
   * Call it when your tenant store no longer returns the company, or its customers can sign in again. If it rejects, or the process ends in
   * the middle, something may be left: call it again until it resolves.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   * @throws {ConfigurationError} for a member that is unknown, missing or wrong.
   *
   * @example
   * await signIn.tenants.erase({ tenantId: 'company-1' })
   */
  erase(tenant: TenantCall): Promise<Erased>
}

const oneTenant = record({ tenantId: identifier, actor })

export function tenantData(grants: Grants, store: GuardedStore): TenantData {
  return {
    async end(tenant) {
      const { tenantId, actor } = oneTenant(tenant, 'tenants.end')
      const deleted = store.deleteGrants({ tenantId, all: 'grants' })
      return { grants: await grants.endEach(deleted, 'tenants.end', { tenantId }, { actor }) }
    },

    async erase(tenant) {
      const { tenantId, actor } = oneTenant(tenant, 'tenants.erase')
      const deleted = store.deleteGrants({ tenantId, all: 'everything' })
      return { grants: await grants.endEach(deleted, 'tenants.erase', { tenantId }, { actor }) }
    },
  }
}
