import { customerSubject } from '../authorization/customer'
import { faultIn } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { Tenant } from '../contract/tenant-store'
import { callHost, type HookAnswer } from '../host/call-host'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import { subjectOfWorkload } from '../protocol/subject'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { type Assertion, refused } from './assertions'
import { byHost } from './trusted-issuer'

/** A customer whom a company's own identity provider vouches for. */
export interface AssertedCustomer {
  /** The tenant's record, as the `tenantStore` gave it. */
  tenant: Tenant
  /** The trusted issuer. */
  issuer: string
  /** What its assertion says, verified. `sub` is unique only for this issuer. */
  claims: Readonly<Record<string, unknown>> & {
    readonly sub: string
    readonly email?: unknown
    readonly email_verified?: unknown
  }
  /** The client that will act for the customer. */
  clientId: string
}

/**
 * Finds the customer that an assertion is about, or makes one: the company's own identity provider vouches for them.
 *
 * @returns Your own id of the customer, as `authenticate` gives it. Nothing, null or `''` if there is no such customer: the client is refused.
 *
 * @example
 * ({ tenant, claims }) => customers.idOfEmail(tenant.key, claims.email)
 */
export type CustomerOfHook = (asserted: AssertedCustomer) => HookAnswer<string | null>

/** How the host finds a customer. */
export interface CustomerMapping {
  customerOf: CustomerOfHook | undefined
  /** How long the hook may take, in milliseconds. */
  timeout: number
}

/**
 * The subject of a verified assertion.
 *
 * @throws {OAuthError} `invalid_grant` if it is nobody's; `temporarily_unavailable` if the host does not say it.
 */
export async function subjectOf(
  { issuer, name, claims }: Assertion,
  clientId: string,
  { record }: ResolvedTenant,
  { customerOf, timeout }: CustomerMapping,
): Promise<string> {
  if (issuer.kind === 'workload') return subjectOfWorkload(issuer.issuer, name)
  const isMapped = issuer.subject === byHost
  const asserted = { tenant: record, issuer: issuer.issuer, claims, clientId }
  const found = isMapped ? await callHost('customerOf', timeout, () => customerOf?.(asserted)) : name
  if (faultIn(found, 'customerOf', customerSubject) === undefined) return found as string
  if (!isMapped || found === undefined || found === null || found === '') {
    throw refused('is about nobody who is a customer here', issuer, 'no_customer')
  }
  const wrong = wrongAnswer('customerOf', found, 'a subject, as authenticate does, or nothing')
  throw temporarilyUnavailable(wrong, 'hook_failed')
}
