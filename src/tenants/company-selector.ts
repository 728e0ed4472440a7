import { optional, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { ResolvedTenant, Tenants } from './tenants'

/** A company: by its key while the tenant store knows it, or by its id, which also works for a company that is switched off or gone. */
export type CompanySelector = { tenantKey: string; tenantId?: never } | { tenantId: string; tenantKey?: never }

/** The checks of the members of a {@link CompanySelector}. */
export const companyMembers = { tenantKey: optional(text), tenantId: optional(text) }

/**
 * Finds the id of the company that a host names, and the clients in its record if the host names it by its key.
 *
 * @param method The call of the host, for the error.
 * @throws {OAuthError} As `Tenants.find` does, for a key.
 * @throws {ConfigurationError} unless exactly one of the two is there.
 */
export async function companyOf(
  { tenantKey, tenantId }: { tenantKey: string | undefined; tenantId: string | undefined },
  method: string,
  tenants: Tenants,
): Promise<Pick<ResolvedTenant, 'id' | 'clients'>> {
  if (tenantKey !== undefined && tenantId === undefined) return tenants.identify(tenantKey)
  if (tenantId !== undefined && tenantKey === undefined) return { id: tenantId, clients: [] }
  throw new ConfigurationError(method, undefined, 'an object with a tenantKey or a tenantId', {
    says: 'must have a tenantKey or a tenantId, and not both',
  })
}
