import type { Registrations } from '../clients/registrations'
import { identifier, record } from '../configuration/checks'
import type { Grant } from '../contract/token-store'
import type { Grants } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import type { Tenants } from '../tenants/tenants'
import { actor } from './actor'
import { type CompanySelector, companyMembers, companyOf, pageMembers } from './company'

/** A customer of a company. */
export type CustomerSelector = { subject: string } & CompanySelector

/** What to export. */
export type CustomerExportRequest = CustomerSelector & {
  /** The `next` of the page before. */
  after?: string | undefined
  /** The most grants of a page, 1 to 1000. Default 100. */
  limit?: number | undefined
}

/** A page of what the store has about a customer, as plain JSON. */
export interface CustomerExport {
  /** The grants of this page. */
  grants: ExportedGrant[]
  /** The `after` of the next page. Absent if this is the last one. */
  next?: string | undefined
}

/** Everything that the store has about a customer's grant, except for its hashes. Times are milliseconds since 1970. */
export interface ExportedGrant {
  /** The grant. The first 12 characters are the same for all grants of one customer. */
  grantId: string
  /** The client that the customer has authorized. */
  clientId: string
  /** Its name, if it registered itself or is in the tenant's record. Unverified: the client has chosen it itself. */
  clientName?: string | undefined
  /** What the customer has granted. */
  scopes: string[]
  /** The protected API that its tokens are for. */
  resource: string
  /** The host's own claims for the access tokens. */
  claims?: Record<string, unknown> | undefined
  /** When the customer agreed. */
  createdAt: number
  /** When its code or a refresh token was last redeemed. Absent until the code is redeemed. */
  lastUsedAt?: number | undefined
  /** The last times at which its code and its refresh tokens were redeemed, newest first: up to 16, as far as the store remembers them. */
  usedAt: number[]
  /** When it ends unless it is used again. */
  expiresAt: number
  /** When it ends at the latest. */
  endsAt?: number | undefined
  /** Where the browser was sent with the code. Absent once the code is redeemed. */
  redirectUri?: string | undefined
}

/** What an erasure has removed. */
export interface Erased {
  /** How many live grants this call has ended. What had expired is removed as well, and not counted. */
  grants: number
}

/**
 * What a host can do with everything that the store has about a customer (docs/administration.md#erasing-a-customer). Each method rejects with
 * `not_found` for an unknown `tenantKey`, and with a `ConfigurationError` for a member that is unknown, missing or wrong.
 */
export interface CustomerData {
  /**
   * Exports everything that the store has about a customer, page by page, without hashes and other secrets. A grant that is created or ends
   * between two pages may be left out, and no grant is exported twice.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails, or cannot read one of the customer's grants.
   *
   * @example
   * let after: string | undefined
   * do {
   *   const page = await signIn.customers.export({ tenantKey: 'acme', subject: customer.id, after })
   *   archive.add(page.grants)
   *   after = page.next
   * } while (after)
   */
  export(of: CustomerExportRequest): Promise<CustomerExport>
  /**
   * Ends all grants of a customer, and leaves nothing about the customer in the store, not even about grants that have expired. There is a
   * `revoked` event for each grant that it ends. Call it when the customer can no longer log in.
   *
   * If it rejects, or the process ends in the middle, some grants may be left: call it again until it resolves.
   *
   * @param customer.actor Who makes the call, for its events: 1 to 200 characters (docs/administration.md).
   * @throws {OAuthError} `temporarily_unavailable` if the store fails.
   *
   * @example
   * await signIn.customers.erase({ tenantKey: 'acme', subject: customer.id })
   */
  erase(customer: CustomerSelector & { actor?: string | undefined }): Promise<Erased>
}

const named = { ...companyMembers, subject: identifier }
const oneCustomer = record({ ...named, actor })
const onePage = record({ ...named, ...pageMembers })

export function customerData(
  tenants: Tenants,
  grants: Grants,
  store: GuardedStore,
  registrations: Registrations,
): CustomerData {
  return {
    async export(of) {
      const { subject, after, limit, ...company } = onePage(of, 'customers.export')
      const { id, clients } = await companyOf(company, tenants, 'customers.export')
      const { grants: found, next } = await store.listGrants({ tenantId: id, subject, after, limit })
      const names = new Map(clients.map(({ clientId, clientName }) => [clientId, clientName]))
      const nameOf = (clientId: string) =>
        names.has(clientId) ? names.get(clientId) : registrations.read(clientId, id)?.clientName
      const exported = found.map((grant) => exportedGrant(grant, nameOf(grant.clientId)))
      return { grants: exported, ...(next !== undefined && { next }) }
    },

    async erase(customer) {
      const { subject, actor, ...company } = oneCustomer(customer, 'customers.erase')
      const { id } = await companyOf(company, tenants, 'customers.erase')
      const about = { tenantKey: company.tenantKey, tenantId: id, subject }
      const deleted = store.deleteGrants({ tenantId: id, subject })
      return { grants: await grants.endEach(deleted, 'customers.erase', about, { actor }) }
    },
  }
}

function exportedGrant(grant: Grant, clientName: string | undefined): ExportedGrant {
  const { scopes, claims, endsAt, swap, redeemed = [], request } = grant
  return {
    grantId: grant.grantId,
    clientId: grant.clientId,
    ...(clientName !== undefined && { clientName }),
    scopes: [...scopes],
    resource: grant.resource,
    ...(claims && { claims: structuredClone(claims) }),
    createdAt: grant.createdAt,
    ...(swap && { lastUsedAt: swap.at }),
    usedAt: redeemed.map(({ at }) => at),
    expiresAt: grant.expiresAt,
    ...(endsAt !== undefined && { endsAt }),
    ...(request && { redirectUri: request.redirectUri }),
  }
}
