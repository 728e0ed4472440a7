import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { actor } from '../administration/named-tenant'
import type { TenantData } from '../administration/tenant-data'
import { identifier, must, optional, record, requirements, text } from '../configuration/checks'
import { callHost, type HookAnswer } from '../host/call-host'
import { type CompanyQuestion, companyQuestion, respondWithAdministration } from '../pages/administration-page'
import { digest } from '../protocol/digest'
import type { Middleware } from '../resource-server/require-access-token'
import { appOf, appsOfCompany, endGrants } from './apps-of-company'
import {
  type CompanyRules,
  entriesOf,
  isPossible,
  type RuleEntry,
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
export interface SavedRules extends StaffOfPage, CompanyRules {}

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
  rooms: PageRooms,
): Middleware {
  const { who, saveRules } = checkedOptions(given, where)
  const page = {
    where,
    whose: record({ tenantKey: text, actor: must<string>('an actor', (name) => actor(name, '') !== undefined) }),
    expected: 'a tenantKey and an actor, or nothing',

    async show({ res, who: staff, tenant, tenantName, appearance }: Visit<StaffOfPage>, of: Fields): Promise<void> {
      const { allowedClients, blockedClients } = rulesOf(tenant.record)
      const entry = entryIn(of)
      const shown = {
        tenantName,
        ...(await appsOfCompany(grants, staff.tenantKey, appearance.language.tag)),
        page: of('page'),
        allowed: allowedClients ? entriesOf(allowedClients) : undefined,
        blocked: entriesOf(blockedClients),
        canSave: saveRules !== undefined,
        wrong: entry && !isPossible(entry) ? entry : undefined,
        issuers: (tenant.record.trustedIssuers ?? []).map(({ issuer }) => issuer),
      }
      respondWithAdministration(res, shown, appearance)
    },

    async question(of: Fields, visit: Visit<StaffOfPage>): Promise<PageQuestion | undefined> {
      switch (of('ask')) {
        case 'endApp':
          return endAppQuestion(of('client_id'), visit)
        case 'endCustomer': {
          const subject = subjectIn(of)
          if (subject === undefined) return undefined
          const about = { ask: 'endCustomer', customer: subject } as const
          return asked(visit, { ...about, name: subject }, about, () => grants.revokeAll({ ...visit.who, subject }))
        }
        case 'endAll':
          return asked(visit, { ask: 'endAll' }, { ask: 'endAll' }, () => tenants.end(visit.who))
        default:
          return ruleQuestion(of, visit)
      }
    },
  }
  return mountedPage(page, who, rooms)

  async function endAppQuestion(clientId: string, visit: Visit<StaffOfPage>): Promise<PageQuestion | undefined> {
    const { who: staff, appearance } = visit
    const { apps } = await appsOfCompany(grants, staff.tenantKey, appearance.language.tag)
    const app = apps.find(({ clientIds }) => clientIds.has(clientId))
    if (!app) return undefined
    const confirmed = () => endGrants(grants, staff, (grant) => appOf(grant) === appOf(app))
    return asked(visit, { ask: 'endApp', app }, { ask: 'endApp', client_id: clientId }, confirmed)
  }

  /** What is asked before a rule changes. */
  function ruleQuestion(of: Fields, visit: Visit<StaffOfPage>): PageQuestion | undefined {
    if (!saveRules) return undefined
    const { who: staff, tenant } = visit
    const rules = rulesOf(tenant.record)
    const { allowedClients: allowed, blockedClients: blocked } = rules
    const entry = entryIn(of)
    const changed = changedRules(of('ask'), rules, entry && isPossible(entry) ? entry : undefined)
    if (!changed) return undefined
    const { ask, ...next } = changed
    // Bound to the rules that it changes: what somebody else has saved meanwhile is not lost.
    const about = { ask, ...entry, before: digest('rules', JSON.stringify([allowed, blocked])) }
    const question = { ask, name: entry?.value, isFirst: allowed === null }
    return asked(visit, question, about, async () => {
      await callHost(`${where}.saveRules`, 'unlimited', () => saveRules({ ...staff, ...next }))
      // Blocked first, so that nobody connects it again in between.
      if (ask === 'block' && entry) await endGrants(grants, staff, (grant) => isNamed(grant, entry))
    })
  }
}

/** The rules as they are after a change. Undefined if there is no such change. */
function changedRules(
  ask: string,
  { allowedClients, blockedClients }: CompanyRules,
  entry: RuleEntry | undefined,
): (CompanyRules & Pick<CompanyQuestion, 'ask'>) | undefined {
  if (ask === 'allowAll') return { ask, allowedClients: null, blockedClients }
  if (!entry) return undefined
  switch (ask) {
    case 'block':
      return { ask, allowedClients, blockedClients: withEntry(blockedClients, entry) }
    case 'unblock':
      return { ask, allowedClients, blockedClients: withoutEntry(blockedClients, entry) }
    case 'allow':
      return { ask, allowedClients: withEntry(allowedClients, entry), blockedClients }
    case 'remove':
      return { ask, allowedClients: withoutEntry(allowedClients, entry), blockedClients }
    default:
      return undefined
  }
}

function asked(
  { tenant, tenantName, appearance }: Visit<StaffOfPage>,
  question: Omit<CompanyQuestion, 'accessLeft'>,
  about: PageQuestion['about'],
  confirmed: PageQuestion['confirmed'],
): PageQuestion {
  const accessLeft = tenant.policy.lifetimes.accessToken
  return { ...companyQuestion({ ...question, accessLeft }, tenantName, appearance.language), about, confirmed }
}

/** The customer that a form names. */
function subjectIn(of: Fields): string | undefined {
  try {
    return identifier(of('customer').trim(), '')
  } catch {
    return undefined
  }
}

function entryIn(of: Fields): RuleEntry | undefined {
  const list = ruleLists.find((name) => name === of('list'))
  const value = of('value').trim()
  return list && value !== '' ? { list, value } : undefined
}

/** Whether a rule with this entry names the client of a grant, as far as the list says where it leads. */
function isNamed({ clientId, publisher, destinations }: ConnectedGrant, { list, value }: RuleEntry): boolean {
  if (list === 'clientIds') return clientId === value
  return list === 'documentHosts' ? publisher === value : destinations.includes(value)
}
