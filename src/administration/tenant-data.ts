import { optional, record } from '../configuration/checks'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import type { Tenants } from '../tenants/tenants'
import { actor, namedTenant, type TenantSelector, tenantMembers } from './named-tenant'

/** A tenant, and who makes the call, for its events: 1 to 200 characters (docs/administration.md). */
export type TenantCall = TenantSelector & { actor?: string | undefined }

/**
 * What a host can do with everything that the store has about a tenant. With `tenantId`, neither method asks the tenant store, so both work for
 * a tenant that is switched off or gone, and an id that nothing is stored under is no error. Both reject with `temporarily_unavailable` if a
 * store fails, with `not_found` for an unknown `tenantKey`, and with a `ConfigurationError` for a member that is unknown, missing or wrong.
 */
export interface TenantData {
  /**
   * Ends all grants of a company's customers: their refresh tokens are refused from then on, and their access tokens wherever revocation is
   * checked. There is a `revoked` event for each grant. On Redis it goes through the whole store.
   *
   * When it resolves, every grant that existed when it was called has ended. If it rejects, or the process ends in the middle, some may be
   * left: call it again until it resolves.
   *
   * @returns How many grants this call has ended.
   *
   * @example
   * await signIn.tenants.end({ tenantId: 'company-1', actor: 'staff:42' })
   */
  end(tenant: TenantCall): Promise<number>
  /**
   * Erases a company: ends all grants of its customers, and leaves nothing about it in the store, not even used ids.
   * There is a `revoked` event for each grant that it ends. On Redis it goes through the whole store.
   *
   * Call it when your tenant store no longer returns the company, or its customers can sign in again. If it rejects, or the process ends in
   * the middle, something may be left: call it again until it resolves.
   *
   * @returns How many live grants this call has ended. What had expired is erased as well, and not counted.
   *
   * @example
   * await signIn.tenants.erase({ tenantId: 'company-1' })
   */
  erase(tenant: TenantCall): Promise<number>
}

const oneTenant = record({ ...tenantMembers, actor: optional(actor) })

export function tenantData(tenants: Tenants, grants: Grants, store: GuardedStore): TenantData {
  async function end(call: TenantCall, where: string, all: 'grants' | 'everything'): Promise<number> {
    const { actor, ...named } = oneTenant(call, where)
    const { id: tenantId } = await namedTenant(named, tenants, where)
    const about = { tenantKey: named.tenantKey, tenantId }
    return grants.endEach(store.deleteGrants({ tenantId, all }), where, about, { actor })
  }

  return {
    end: (tenant) => end(tenant, 'tenants.end', 'grants'),
    erase: (tenant) => end(tenant, 'tenants.erase', 'everything'),
  }
}
