import { identifier, must, optional, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Client } from '../contract/tenant-store'
import type { Tenants } from '../tenants/tenants'

/** A company: by its key while the tenant store knows it, or by its id, which works for a company that is gone too. */
export type CompanySelector = { tenantKey: string; tenantId?: never } | { tenantId: string; tenantKey?: never }

/** What is known of a company that the host names. */
export interface Company {
  id: string
  /** Absent if the host names the company by its id. */
  key: string | undefined
  /** The clients in its record, and the language that it has chosen. There is no record if the host names it by its id. */
  clients: readonly Client[]
  locale: string | undefined
  /** The addresses of its own that are in its record. */
  ownAddresses: readonly string[]
}

/** The members by which a host names a company. */
export const companyMembers = { tenantKey: optional(text), tenantId: optional(identifier) }

/** The members that say which page a host asks for. */
export const pageMembers = {
  after: optional(text),
  limit: optional(
    must<number>(
      'a whole number from 1 to 1000',
      (given) => Number.isInteger(given) && Number(given) >= 1 && Number(given) <= 1000,
    ),
    100,
  ),
}

/**
 * Finds the company that a host names.
 *
 * @param method What an error calls the host's call.
 * @throws {OAuthError} `not_found` for an unknown key.
 */
export async function companyOf(
  { tenantKey, tenantId }: { tenantKey: string | undefined; tenantId: string | undefined },
  tenants: Tenants,
  method: string,
): Promise<Company> {
  if (tenantKey !== undefined && tenantId === undefined)
    return { key: tenantKey, ...(await tenants.identify(tenantKey)) }
  if (tenantId !== undefined && tenantKey === undefined)
    return { id: tenantId, key: undefined, clients: [], locale: undefined, ownAddresses: [] }
  throw new ConfigurationError(method, undefined, 'an object with a tenantKey or a tenantId', {
    says: 'must have a tenantKey or a tenantId, and not both',
  })
}
