import type { ClientRule, Tenant } from '../contract/tenant-store'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { clientRule } from '../tenants/tenant-record'

/** How a rule can name clients. */
export const ruleLists = ['clientIds', 'documentHosts', 'redirectHosts'] as const

/** One way to name clients. */
export interface RuleEntry {
  list: (typeof ruleLists)[number]
  value: string
}

/** The rules in a company's record: which clients it allows and blocks. */
export interface CompanyRules {
  /** What `allowedClients` of the company's record is. Null if every client is allowed that is not blocked. */
  allowedClients: ClientRule | null
  /** What `blockedClients` is. */
  blockedClients: ClientRule | null
}

/** The rules in a company's record, and what is allowed: by them, or where they allow nothing by name, by the host for all companies. */
export function rulesOf({ record, policy }: ResolvedTenant): { own: CompanyRules; allowed: ClientRule | null } {
  const own = { allowedClients: ruleOf(record.allowedClients), blockedClients: ruleOf(record.blockedClients) }
  return { own, allowed: own.allowedClients ?? ruleOf(policy.clientRules.allowed) }
}

function ruleOf(given: Tenant['allowedClients']): ClientRule | null {
  if (!given) return null
  return Object.fromEntries(ruleLists.flatMap((list) => (given[list] ? [[list, given[list]]] : [])))
}

/** What a rule names, one by one. */
export function entriesOf(rule: ClientRule | null): RuleEntry[] {
  return ruleLists.flatMap((list) => (rule?.[list] ?? []).map((value) => ({ list, value })))
}

export function withEntry(rule: ClientRule | null, { list, value }: RuleEntry): ClientRule {
  return { ...rule, [list]: [...new Set([...(rule?.[list] ?? []), value])] }
}

export function withoutEntry(rule: ClientRule | null, { list, value }: RuleEntry): ClientRule {
  return { ...rule, [list]: (rule?.[list] ?? []).filter((other) => other !== value) }
}

/** Whether a rule names something. */
export function hasEntry(rule: ClientRule | null, { list, value }: RuleEntry): boolean {
  return rule?.[list]?.includes(value) === true
}

/** Whether a company's record can have a rule with this entry. */
export function isPossible({ list, value }: RuleEntry): boolean {
  try {
    clientRule({ [list]: [value] }, '')
    return true
  } catch {
    return false
  }
}
