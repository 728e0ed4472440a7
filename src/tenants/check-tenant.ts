import { isObject, must } from '../configuration/checks'
import { ConfigurationError, unknownMember } from '../configuration/configuration-error'
import type { Tenant } from '../contract/tenant-store'
import { isTenantKey } from '../protocol/issuer'
import { isMemberOfHost, members } from './tenant-record'

/** What is wrong with a member of a tenant's record. */
export interface TenantProblem {
  /** The member, such as `logoUri` or `clients[0].redirectUris[1]`. Empty if the record is no object. */
  member: string
  /** What is wrong with it, in English, after the member's name: `must be true or false, but is "yes"`. */
  problem: string
}

const tenantKey = must<string>(
  '1 to 64 of A-Z a-z 0-9 . _ ~ -, but not . and ..',
  (given) => typeof given === 'string' && isTenantKey(given),
  { quotes: true },
)

const checks = { ...members, key: tenantKey }
const names = Object.keys(checks)

/**
 * Checks a tenant's record as every request does, for the form with which a company's record is edited. A record without problems serves
 * requests; one with a problem is answered with 500.
 *
 * @param record The record as `findTenant` would return it. Members of the host's own are passed over.
 * @returns At most one problem for each member of the record; an empty list if there is none.
 *
 * @example
 * checkTenant({ key: 'acme', logoUri: 'logo.png' })
 * // [{ member: 'logoUri', problem: 'must be an https or data URL of an image, but is "logo.png"' }]
 */
export function checkTenant(record: Tenant): TenantProblem[] {
  const given: unknown = record
  if (!isObject(given)) return [problemOf(new ConfigurationError('tenant', given, 'an object'))]
  const wrong = Object.entries(checks).flatMap(([member, check]) =>
    problemsWith(() => check(given[member], `tenant.${member}`)),
  )
  const unknown = Object.keys(given).filter((member) => !names.includes(member) && !isMemberOfHost(member))
  return [...wrong, ...unknown.map((member) => problemOf(unknownMember('tenant', member, names)))]
}

function problemsWith(check: () => unknown): TenantProblem[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return [problemOf(error)]
    throw error
  }
}

function problemOf({ option, problem }: ConfigurationError): TenantProblem {
  return { member: option.replace(/^tenant\.?/, ''), problem }
}
