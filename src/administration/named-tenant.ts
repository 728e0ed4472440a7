import { identifier, must, optional, text, wholeNumber } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Tenants } from '../tenants/tenants'

/** A tenant: by its key while the tenant store knows it, or by its id, which works for one that is switched off or gone too. */
export type TenantSelector = { tenantKey: string; tenantId?: never } | { tenantId: string; tenantKey?: never }

/** Which page of a list to give. */
export interface PageRequest {
  /** The `next` of the page before. */
  after?: string | undefined
  /** The most grants of a page, 1 to 1000. Default 100. */
  limit?: number | undefined
}

/** A page of a list. */
export interface GrantsPage<G> {
  /** The grants of this page, in no particular order. They can be fewer than the limit, even none, although there is a next page. */
  grants: G[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/** What is known of a tenant that the host names. If it is named by its id, there is no key and no record. */
export type NamedTenant = Awaited<ReturnType<Tenants['identify']>> & { key: string | undefined }

/** The members by which a host names a tenant. */
export const tenantMembers = { tenantKey: optional(text), tenantId: optional(identifier) }

/** The members of {@link PageRequest}. */
export const pageMembers = { after: optional(text), limit: optional(wholeNumber(1, 1000), 100) }

/** Who makes a call, for its events. The error quotes nothing: hosts may pass on what somebody has typed. */
export const actor = must<string>(
  'a string of 1 to 200 characters without control characters, or omitted',
  (given) => typeof given === 'string' && /^\P{Cc}{1,200}$/u.test(given),
)

/**
 * Finds the tenant that a host names.
 *
 * @param method What an error calls the host's call.
 * @throws {OAuthError} `not_found` for an unknown key.
 */
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
