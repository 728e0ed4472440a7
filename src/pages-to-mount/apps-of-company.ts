import { setImmediate } from 'node:timers/promises'
import type { ConnectedGrant, ConnectedGrants } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { type NamedTenant, namedTenant } from '../administration/tenant-data'
import { isConnected } from '../grants/credential'
import type { GuardedStore } from '../host/guarded-store'
import { digest } from '../protocol/digest'
import type { Tenants } from '../tenants/tenants'

/** An app as the staff of a company see it: all clients that cannot be told apart by what is known of them. */
export interface AppOfCompany {
  /** Names it on the page. */
  id: string
  /** The one of its grants that was used last. */
  last: ConnectedGrant
  clientIds: Set<string>
  /** The customers that have connected it, as far as they were counted. */
  subjects: Set<string>
}

/** What the customers of a company have connected. */
export interface AppsOfCompany {
  /** Those that most customers have connected come first, and last those that only customers have who are `crowded`. */
  apps: AppOfCompany[]
  /** Whether there is more than was counted. */
  hasMore: boolean
  /** The customers of whom not every grant was counted, and how many they have. Those with most come first. */
  crowded: { subject: string; grants: number }[]
}

/** What the grants of companies are read with. */
export interface GrantRooms {
  store: GuardedStore
  tenants: Tenants
  connected: ConnectedGrants
}

const maxCounted = 10_000
/** How many grants of one customer are counted, so that nobody takes the place of others. */
export const maxOfCustomer = 100
// Milliseconds.
const maxTime = 2000
// The grants that are read at a time.
const limit = 1000

/**
 * Counts what customers have connected: at most 10,000 grants, of each customer 100, and for two seconds. What is not counted is only read,
 * which takes a small part of that time.
 */
export async function appsOfCompany(rooms: GrantRooms, tenantKey: string, language: string): Promise<AppsOfCompany> {
  const end = performance.now() + maxTime
  const found = new Map<string, AppOfCompany>()
  const ofCustomers = new Map<string, number>()
  let counted = 0
  let hasMore = false
  const isCounted = ({ subject }: { subject: string }) => {
    const number = (ofCustomers.get(subject) ?? 0) + 1
    ofCustomers.set(subject, number)
    return number <= maxOfCustomer
  }
  for await (const { grants, isLast } of pagesOf(rooms, tenantKey, language, isCounted)) {
    for (const grant of grants) {
      const id = appOf(grant)
      const app = found.get(id) ?? { id, last: grant, clientIds: new Set(), subjects: new Set() }
      if (grant.lastUsedAt > app.last.lastUsedAt) app.last = grant
      app.clientIds.add(grant.clientId)
      app.subjects.add(grant.subject)
      found.set(id, app)
    }
    counted += grants.length
    hasMore = !isLast && (counted >= maxCounted || performance.now() > end)
    if (hasMore) break
  }
  const crowded = [...ofCustomers].filter(([, grants]) => grants > maxOfCustomer)
  const isOfOthers = ({ subjects }: AppOfCompany) =>
    [...subjects].some((subject) => (ofCustomers.get(subject) ?? 0) <= maxOfCustomer)
  const apps = [...found.values()].sort((one, other) => other.subjects.size - one.subjects.size)
  return {
    apps: [...apps.filter(isOfOthers), ...apps.filter((app) => !isOfOthers(app))],
    hasMore,
    crowded: crowded.sort(([, one], [, other]) => other - one).map(([subject, grants]) => ({ subject, grants })),
  }
}

/** Ends every grant of a company of which something is true. @param language In which it is judged what is in words. */
export async function endGrants(
  rooms: GrantRooms,
  ending: Pick<CustomerGrants, 'revoke'>,
  { tenantKey, actor }: { tenantKey: string; actor: string },
  language: string,
  isMeant: (grant: ConnectedGrant) => boolean,
): Promise<void> {
  for await (const { grants } of pagesOf(rooms, tenantKey, language)) {
    for (const { subject, grantId } of grants.filter(isMeant)) {
      await ending.revoke({ tenantKey, subject, grantId, actor })
    }
  }
}

/** What is the same for all clients of one app. Assistants register anew for each customer: then it is their name, and where they lead. */
export function appOf(grant: ConnectedGrant): string {
  const { clientId, clientName, destinations } = grant
  return isOneClient(grant) ? digest('client', clientId) : digest('app', clientName, ...destinations)
}

/** Whether the client of a grant is an app by itself, because more is known of it than what it says. */
export function isOneClient({ vouchedFor, publisher }: Pick<ConnectedGrant, 'vouchedFor' | 'publisher'>): boolean {
  return vouchedFor || publisher !== undefined
}

/** What a company's customers have connected, page by page. @param isMeant What is described. The rest is only read. */
async function* pagesOf(
  { store, tenants, connected }: GrantRooms,
  tenantKey: string,
  language: string,
  isMeant: (grant: { subject: string }) => boolean = () => true,
): AsyncGenerator<{ grants: ConnectedGrant[]; isLast: boolean }> {
  const tenant: NamedTenant = await namedTenant({ tenantKey, tenantId: undefined }, tenants, 'pages.administration')
  let after: string | undefined
  do {
    const { grants, next } = await store.listGrants({ tenantId: tenant.id, after, limit })
    const meant = grants.filter((grant) => isConnected(grant) && isMeant(grant))
    yield { grants: await connected(meant, tenant, language), isLast: next === undefined }
    // Other requests go first: describing a page takes a while.
    await setImmediate()
    after = next
  } while (after !== undefined)
}
