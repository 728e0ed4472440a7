import { identifier, must, optional, record, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import type { Tenants } from '../tenants/tenants'

/** A tenant: by its key while the tenant store knows it, or by its id, which works for one that is switched off or gone too. */
export type TenantSelector = { tenantKey: string; tenantId?: never } | { tenantId: string; tenantKey?: never }

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
   * @throws {OAuthError} `temporarily_unavailable` if the store fails: call it again.
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
   * @throws {OAuthError} `temporarily_unavailable` if the store fails: call it again.
   *
   * @example
   * await signIn.tenants.erase({ tenantId: 'company-1' })
   */
  erase(tenant: TenantCall): Promise<number>
}

/** What is known of a tenant that the host names. If it is named by its id, there is no key and no record. */
export type NamedTenant = Awaited<ReturnType<Tenants['identify']>> & { key: string | undefined }

/** The members by which a host names a tenant. */
export const tenantMembers = { tenantKey: optional(text), tenantId: optional(identifier) }

/** Who makes a call, for its events. The error quotes nothing: hosts may pass on what somebody has typed. */
export const actor = must<string>(
  'a string of 1 to 200 characters without control characters, or omitted',
  (given) => typeof given === 'string' && /^\P{Cc}{1,200}$/u.test(given),
)

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

/** Finds the tenant that a host names. @param method What an error calls the call. @throws {OAuthError} `not_found` for an unknown key. */
export async function namedTenant(
  { tenantKey, tenantId }: { tenantKey: string | undefined; tenantId: string | undefined },
  tenants: Tenants,
  method: string,
): Promise<NamedTenant> {
  if (tenantKey !== undefined && tenantId === undefined)
    return { key: tenantKey, ...(await tenants.identify(tenantKey)) }
  if (tenantId !== undefined && tenantKey === undefined)
    return { id: tenantId, key: undefined, clients: [], locale: undefined, ownAddresses: [] }
  throw new ConfigurationError(method, undefined, 'an object with a tenantKey or a tenantId', {
    says: 'must have a tenantKey or a tenantId, and not both',
  })
}
