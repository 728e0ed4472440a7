import type { ConnectedGrant, ConnectedGrants } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { actor, type TenantData } from '../administration/tenant-data'
import { func, optional, record, requirements, text } from '../configuration/checks'
import type { ClientRule, Tenant } from '../contract/tenant-store'
import { callHost, type HookAnswer } from '../host/call-host'
import { digest } from '../protocol/digest'
import { redirectHostOf } from '../protocol/redirect-uri'
import { isUrl } from '../protocol/resource'
import type { Middleware } from '../resource-server/guards'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { type CompanyQuestion, companyQuestion, showCompany } from './administration-page'
import { appOf, appsOfCompany, endGrants, isOneClient } from './apps-of-company'
import {
  type CompanyRules,
  entriesOf,
  hasEntry,
  isPossible,
  type RuleEntry,
  ruleLists,
  rulesOf,
  withEntry,
  withoutEntry,
} from './client-rules'
import { type Fields, mountedPage, type PageRooms, type Question, type Visit, type WhoHook } from './mounted-page'

/** Whose page it is. */
export interface StaffOfPage {
  /** The key of the company. */
  tenantKey: string
  /** Who is at work, for the events: 1 to 200 characters (docs/administration.md). */
  actor: string
}

/** The rules that the staff of a company have made. */
export interface SavedRules extends StaffOfPage, CompanyRules {
  /** The two as `findTenant` gave them. If what is stored differs, somebody else has just saved: save nothing, and throw. */
  before: Pick<Tenant, 'allowedClients' | 'blockedClients'>
}

/** What the page of a company's staff needs. */
export interface AdministrationOptions {
  /** Whose page it is. */
  who: WhoHook<StaffOfPage>
  /**
   * Saves which clients a company allows and blocks. The next call of `findTenant` must find it. Without it, the page only shows the rules.
   *
   * @useDeclaredType
   */
  saveRules?: ((rules: SavedRules) => HookAnswer<unknown>) | undefined
}

const where = 'pages.administration'
const checkedOptions = requirements({
  who: func<WhoHook<StaffOfPage>>(),
  saveRules: optional(func<NonNullable<AdministrationOptions['saveRules']>>()),
})

/** What staff can do with what is connected. */
interface CompanyRooms {
  grants: CustomerGrants
  tenants: TenantData
  connected: ConnectedGrants
}

/** The page on which the staff of a company see what is connected, end it, and say which apps may connect. */
export function administration(
  given: AdministrationOptions,
  { grants, tenants, connected }: CompanyRooms,
  isLimited: () => boolean,
  rooms: PageRooms,
): Middleware {
  const { who, saveRules } = checkedOptions(given, where)
  const reading = { store: rooms.store, tenants: rooms.tenants, connected }
  const page = {
    where,
    whose: record({ tenantKey: text, actor }, () => true),
    expected: 'a tenantKey and an actor, or nothing',

    async show(visit: Visit<StaffOfPage>, of: Fields): Promise<void> {
      const { who: staff, tenant, appearance } = visit
      const entry = entryIn(of)
      const company = {
        ...(await appsOfCompany(reading, staff.tenantKey, appearance.language.tag)),
        page: of('page'),
        now: rooms.now(),
        unknown: of('customer'),
        canSave: saveRules !== undefined,
        canAllowAll: saveRules !== undefined && canAllowAll(tenant),
        wrong: entry && !isPossible(entry) ? entry : undefined,
      }
      showCompany(company, visit)
    },

    async question(of: Fields, visit: Visit<StaffOfPage>): Promise<Question | undefined> {
      const { who: staff } = visit
      const ask = of('ask')
      if (ask === 'endApp') return endAppQuestion(of('app'), visit)
      if (ask === 'endAll') return companyQuestion({ ask }, visit, {}, () => tenants.end(staff))
      if (ask === 'endCustomer') return endCustomerQuestion(of('customer'), visit)
      return ruleQuestion(ask, entryIn(of), visit)
    },
  }
  return mountedPage(page, who, rooms)

  async function endAppQuestion(id: string, visit: Visit<StaffOfPage>): Promise<Question | undefined> {
    const { who: staff, appearance } = visit
    const { tag } = appearance.language
    const { apps } = await appsOfCompany(reading, staff.tenantKey, tag)
    const app = apps.find((one) => one.id === id)
    if (!app) return undefined
    return companyQuestion({ ask: 'endApp', app }, visit, { app: id }, async () => {
      const [clientId, ...others] = app.clientIds
      // One call ends sign-ins that are under way, too.
      if (others.length === 0) await grants.revokeAll({ ...staff, clientId: clientId as string })
      // There can be clients of this app that were not counted.
      if (!isOneClient(app.last)) await endGrants(reading, grants, staff, tag, (grant) => appOf(grant) === id)
    })
  }

  /** Asks about a customer of whom there is something: what else is typed is nobody's id, and may be somebody's message to who reads it. */
  async function endCustomerQuestion(subject: string, visit: Visit<StaffOfPage>): Promise<Question | undefined> {
    const { who: staff, tenant } = visit
    // No form gives a line break back as it was.
    if (!/^\P{Cc}{1,2048}$/u.test(subject) || !(await hasGrants(tenant.id, subject))) return undefined
    const confirmed = () => grants.revokeAll({ ...staff, subject })
    return companyQuestion({ ask: 'endCustomer', customer: subject }, visit, { customer: subject }, confirmed)
  }

  /** Whether the store has a grant of a customer, which may be a sign-in that is under way. */
  async function hasGrants(tenantId: string, subject: string): Promise<boolean> {
    let after: string | undefined
    do {
      const page = await rooms.store.listGrants({ tenantId, subject, after, limit: 1 })
      if (page.grants.length > 0) return true
      after = page.next
    } while (after !== undefined)
    return false
  }

  /** Whether no rule for all companies would remain. */
  function canAllowAll({ record }: ResolvedTenant): boolean {
    return Boolean(record.allowedClients) && !isLimited()
  }

  /** What is asked before a rule changes. */
  function ruleQuestion(asked: string, entry: RuleEntry | undefined, visit: Visit<StaffOfPage>): Question | undefined {
    if (!saveRules) return undefined
    const { who: staff, tenant, appearance } = visit
    const { own, allowed } = rulesOf(tenant)
    const changed = changedRules(asked, own, allowed, entry && isPossible(entry) ? entry : undefined)
    // No rule is about the company's own clients.
    if (tenant.policy.clients.some(({ clientId }) => clientId === entry?.value)) return undefined
    if (!changed || (changed.ask === 'allowAll' && !canAllowAll(tenant))) return undefined
    const { ask, ...next } = changed
    const { allowedClients, blockedClients } = tenant.record
    // Bound to the rules that it changes: what somebody else has saved since it was asked is asked about again.
    const fields = { ...entry, before: digest('rules', JSON.stringify([own, allowed])) }
    const isOnly = ask === 'remove' ? entriesOf(allowed).length === 1 : allowed === null
    return companyQuestion({ ask, entry, isOnly }, visit, fields, async () => {
      await callHost(`${where}.saveRules`, 'unlimited', () =>
        saveRules({ ...staff, ...next, before: { allowedClients, blockedClients } }),
      )
      // Blocked first, so that nobody connects it again in between.
      if (ask !== 'block' || !entry) return
      if (entry.list === 'clientIds') await grants.revokeAll({ ...staff, clientId: entry.value })
      else await endGrants(reading, grants, staff, appearance.language.tag, (grant) => isNamed(grant, entry))
    })
  }
}

/** The rules after a change. Undefined if there is no such change. @param allowed What is allowed, also where the record says nothing. */
function changedRules(
  ask: string,
  { allowedClients, blockedClients }: CompanyRules,
  allowed: ClientRule | null,
  entry: RuleEntry | undefined,
): (CompanyRules & Pick<CompanyQuestion, 'ask'>) | undefined {
  if (ask === 'allowAll') return { ask, allowedClients: null, blockedClients }
  if (!entry) return undefined
  if (ask === 'block') return { ask, allowedClients, blockedClients: withEntry(blockedClients, entry) }
  if (ask === 'allow') return { ask, allowedClients: withEntry(allowed, entry), blockedClients }
  if (ask === 'unblock' && hasEntry(blockedClients, entry))
    return { ask, allowedClients, blockedClients: withoutEntry(blockedClients, entry) }
  if (ask === 'remove' && hasEntry(allowed, entry))
    return { ask, allowedClients: withoutEntry(allowed, entry), blockedClients }
  return undefined
}

function entryIn(of: Fields): RuleEntry | undefined {
  const list = ruleLists.find((name) => name === of('list'))
  const given = of('value').trim()
  const value = list === 'redirectHosts' ? redirectHostIn(given) : given
  return list && value !== '' && value.length <= 2048 ? { list, value } : undefined
}

/** Staff may give a whole redirect URI, or any name of a customer's own device. */
function redirectHostIn(given: string): string {
  if (isUrl(given) && given.includes('://')) return redirectHostOf(given)
  const address = `http://${given}`
  return isUrl(address) && redirectHostOf(address) === 'localhost' ? 'localhost' : given
}

/** Whether a rule with this entry names the client of a grant, as far as the list says where it leads. It names no client of the company's own. */
function isNamed({ vouchedFor, publisher, destinations }: ConnectedGrant, { list, value }: RuleEntry): boolean {
  if (vouchedFor) return false
  const hosts = list === 'documentHosts' ? [publisher ?? []].flat() : destinations
  return hosts.some((host) => isUrl(`https://${host}`) && redirectHostOf(`https://${host}`) === value)
}
