import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { actor } from '../administration/named-tenant'
import type { TenantData } from '../administration/tenant-data'
import { must, optional, requirements, text } from '../configuration/checks'
import type { ClientRule, Tenant } from '../contract/tenant-store'
import { callHost, type HookAnswer } from '../host/call-host'
import { type CompanyQuestion, companyQuestion, respondWithAdministration } from '../pages/administration-page'
import { digest } from '../protocol/digest'
import { redirectHostOf } from '../protocol/redirect-uri'
import type { Middleware } from '../resource-server/guards'
import { appOf, appsOfCompany, endGrants } from './apps-of-company'
import {
  type CompanyRules,
  entriesOf,
  hasEntry,
  isPossible,
  type RuleEntry,
  recordRulesOf,
  ruleLists,
  rulesOf,
  withEntry,
  withoutEntry,
} from './client-rules'
import {
  type Fields,
  mountedPage,
  type PageQuestion,
  type PageRooms,
  somebody,
  type Visit,
  type WhoHook,
  whoHook,
} from './mounted-page'

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
  who: whoHook<StaffOfPage>(),
  saveRules: optional(
    must<NonNullable<AdministrationOptions['saveRules']>>('a function', (given) => typeof given === 'function'),
  ),
})

/** The page on which the staff of a company see what is connected, end it, and say which apps may connect. */
export function administration(
  given: AdministrationOptions,
  grants: CustomerGrants,
  tenants: TenantData,
  isLimited: () => boolean,
  rooms: PageRooms,
): Middleware {
  const { who, saveRules } = checkedOptions(given, where)
  const page = {
    where,
    whose: somebody({ tenantKey: text, actor: must<string>('an actor', (name) => actor(name, '') !== undefined) }),
    expected: 'a tenantKey and an actor, or nothing',

    async show({ res, who: staff, tenant, tenantName, appearance }: Visit<StaffOfPage>, of: Fields): Promise<void> {
      const { allowedClients, blockedClients } = rulesOf(tenant)
      const forAll = tenant.policy.clientRules.blocked.flatMap(entriesOf)
      const fixed = forAll
        .filter((entry) => !hasEntry(blockedClients, entry))
        .map((entry) => ({ ...entry, isFixed: true }))
      const entry = entryIn(of)
      const shown = {
        tenantName,
        ...(await appsOfCompany(grants, staff.tenantKey, appearance.language.tag)),
        page: of('page'),
        allowed: allowedClients ? entriesOf(allowedClients) : undefined,
        canAllowAll: canAllowAll(tenant),
        blocked: [...entriesOf(blockedClients), ...fixed],
        canSave: saveRules !== undefined,
        wrong: entry && !isPossible(entry) ? entry : undefined,
        issuers: (tenant.record.trustedIssuers ?? []).map(({ issuer }) => issuer),
      }
      respondWithAdministration(res, shown, appearance)
    },

    async question(of: Fields, visit: Visit<StaffOfPage>): Promise<PageQuestion | undefined> {
      switch (of('ask')) {
        case 'endApp':
          return endAppQuestion(of('app'), visit)
        case 'endCustomer': {
          const subject = subjectIn(of)
          if (subject === undefined) return undefined
          const fields = { ask: 'endCustomer', customer: subject } as const
          return asked(visit, { ...fields, name: subject }, fields, () => grants.revokeAll({ ...visit.who, subject }))
        }
        case 'endAll':
          return asked(visit, { ask: 'endAll' }, { ask: 'endAll' }, () => tenants.end(visit.who))
        default:
          return ruleQuestion(of, visit)
      }
    },
  }
  return mountedPage(page, who, rooms)

  async function endAppQuestion(id: string, visit: Visit<StaffOfPage>): Promise<PageQuestion | undefined> {
    const { who: staff, appearance } = visit
    const { tag } = appearance.language
    const { apps } = await appsOfCompany(grants, staff.tenantKey, tag)
    const app = apps.find((one) => one.id === id)
    if (!app) return undefined
    return asked(visit, { ask: 'endApp', app }, { ask: 'endApp', app: id }, async () => {
      const [clientId, ...others] = app.clientIds
      // One call ends sign-ins that are under way, too.
      if (others.length === 0) await grants.revokeAll({ ...staff, clientId: clientId as string })
      else await endGrants(grants, staff, tag, (grant) => appOf(grant) === id)
    })
  }

  /** Whether no rule for all companies would remain. */
  function canAllowAll({ record }: Visit<StaffOfPage>['tenant']): boolean {
    return Boolean(record.allowedClients) && !isLimited()
  }

  /** What is asked before a rule changes. */
  function ruleQuestion(of: Fields, visit: Visit<StaffOfPage>): PageQuestion | undefined {
    if (!saveRules) return undefined
    const { who: staff, tenant, appearance } = visit
    const { allowedClients, blockedClients } = tenant.record
    const own = recordRulesOf(tenant.record)
    const { allowedClients: allowed } = rulesOf(tenant)
    const entry = entryIn(of)
    const changed = changedRules(of('ask'), own, allowed, entry && isPossible(entry) ? entry : undefined)
    // No rule is about the company's own clients.
    if (tenant.policy.clients.some(({ clientId }) => clientId === entry?.value)) return undefined
    if (!changed || (changed.ask === 'allowAll' && !canAllowAll(tenant))) return undefined
    const { ask, ...next } = changed
    // Bound to the rules that it changes: what somebody else has saved since it was asked is asked about again.
    const fields = { ask, ...entry, before: digest('rules', JSON.stringify([own, allowed])) }
    const isOnly = ask === 'remove' ? entriesOf(allowed).length === 1 : allowed === null
    return asked(visit, { ask, name: entry?.value, isOnly }, fields, async () => {
      await callHost(`${where}.saveRules`, 'unlimited', () =>
        saveRules({ ...staff, ...next, before: { allowedClients, blockedClients } }),
      )
      // Blocked first, so that nobody connects it again in between.
      if (ask !== 'block' || !entry) return
      if (entry.list === 'clientIds') await grants.revokeAll({ ...staff, clientId: entry.value })
      else await endGrants(grants, staff, appearance.language.tag, (grant) => isNamed(grant, entry))
    })
  }
}

/**
 * The rules as they are after a change. Undefined if there is no such change.
 *
 * @param allowed What is allowed, also where the record says nothing.
 */
function changedRules(
  ask: string,
  { allowedClients, blockedClients }: CompanyRules,
  allowed: ClientRule | null,
  entry: RuleEntry | undefined,
): (CompanyRules & Pick<CompanyQuestion, 'ask'>) | undefined {
  if (ask === 'allowAll') return { ask, allowedClients: null, blockedClients }
  if (!entry) return undefined
  switch (ask) {
    case 'block':
      return { ask, allowedClients, blockedClients: withEntry(blockedClients, entry) }
    case 'unblock':
      if (!hasEntry(blockedClients, entry)) return undefined
      return { ask, allowedClients, blockedClients: withoutEntry(blockedClients, entry) }
    case 'allow':
      return { ask, allowedClients: withEntry(allowed, entry), blockedClients }
    case 'remove':
      if (!hasEntry(allowed, entry)) return undefined
      return { ask, allowedClients: withoutEntry(allowed, entry), blockedClients }
    default:
      return undefined
  }
}

function asked(
  { tenant, tenantName, appearance }: Visit<StaffOfPage>,
  question: Omit<CompanyQuestion, 'accessLeft'>,
  fields: PageQuestion['fields'],
  confirmed: PageQuestion['confirmed'],
): PageQuestion {
  const accessLeft = tenant.policy.lifetimes.accessToken
  return { ...companyQuestion({ ...question, accessLeft }, tenantName, appearance.language), fields, confirmed }
}

/** The customer that a form names. */
function subjectIn(of: Fields): string | undefined {
  const given = of('customer')
  // No form gives a line break back as it was.
  return /^\P{Cc}{1,255}$/u.test(given) ? given : undefined
}

function entryIn(of: Fields): RuleEntry | undefined {
  const list = ruleLists.find((name) => name === of('list'))
  const value = of('value').trim()
  return list && value !== '' && value.length <= 2048 ? { list, value } : undefined
}

/** Whether a rule with this entry names the client of a grant, as far as the list says where it leads. It names no client of the company's own. */
function isNamed({ vouchedFor, publisher, destinations }: ConnectedGrant, { list, value }: RuleEntry): boolean {
  if (vouchedFor) return false
  const hosts = list === 'documentHosts' ? [publisher ?? []].flat() : destinations
  return hosts.some((host) => URL.canParse(`https://${host}`) && redirectHostOf(`https://${host}`) === value)
}
