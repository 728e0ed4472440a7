import { setImmediate } from 'node:timers/promises'
import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import type { GrantsPage } from '../administration/named-tenant'
import { digest } from '../protocol/digest'

/** An app as the staff of a company see it: all clients that cannot be told apart by what is known of them. */
export interface AppOfCompany
  extends Pick<ConnectedGrant, 'clientId' | 'clientName' | 'vouchedFor' | 'publisher' | 'destinations' | 'lastUsedAt'> {
  /** Names it on the page. */
  id: string
  clientIds: ReadonlySet<string>
  /** How many customers have connected it, as far as they were counted. */
  customers: number
}

/** What the customers of a company have connected. */
export interface AppsOfCompany {
  /** Those that most customers have connected come first. */
  apps: AppOfCompany[]
  /** Whether there is more than was counted. */
  hasMore: boolean
}

const maxCounted = 10_000
// Milliseconds.
const maxTime = 2000
// The most grants that a page of `list` has.
const limit = 1000

/** Counts what customers have connected: at most 10,000 grants, and for two seconds. */
export async function appsOfCompany(
  grants: CustomerGrants,
  tenantKey: string,
  language: string,
): Promise<AppsOfCompany> {
  const end = performance.now() + maxTime
  const found = new Map<string, { last: ConnectedGrant; clientIds: Set<string>; subjects: Set<string> }>()
  let counted = 0
  let hasMore = false
  for await (const page of pagesOf(grants, tenantKey, language)) {
    page.grants.forEach(add)
    counted += page.grants.length
    hasMore = page.next !== undefined && (counted >= maxCounted || performance.now() > end)
    if (hasMore) break
  }
  const apps = [...found].map(([id, { last, clientIds, subjects }]) => ({
    ...last,
    id,
    clientIds,
    customers: subjects.size,
  }))
  return { apps: apps.sort((one, other) => other.customers - one.customers), hasMore }

  function add(grant: ConnectedGrant): void {
    const id = appOf(grant)
    const app = found.get(id) ?? { last: grant, clientIds: new Set(), subjects: new Set() }
    const last = grant.lastUsedAt > app.last.lastUsedAt ? grant : app.last
    found.set(id, {
      last,
      clientIds: app.clientIds.add(grant.clientId),
      subjects: app.subjects.add(grant.subject),
    })
  }
}

/** Ends every grant of a company of which something is true. @param language In which it is judged what is in words. */
export async function endGrants(
  grants: CustomerGrants,
  { tenantKey, actor }: { tenantKey: string; actor: string },
  language: string,
  isMeant: (grant: ConnectedGrant) => boolean,
): Promise<void> {
  for await (const page of pagesOf(grants, tenantKey, language)) {
    for (const grant of page.grants) {
      const { subject, grantId } = grant
      if (isMeant(grant)) await grants.revoke({ tenantKey, subject, grantId, actor })
    }
  }
}

/** What is the same for all clients of one app. Assistants register anew for each customer: then it is their name, and where they lead. */
export function appOf({
  clientId,
  clientName,
  vouchedFor,
  publisher,
  destinations,
}: Pick<ConnectedGrant, 'clientId' | 'clientName' | 'vouchedFor' | 'publisher' | 'destinations'>): string {
  const isOne = vouchedFor || publisher !== undefined
  return isOne ? digest('client', clientId) : digest('app', clientName, ...destinations)
}

async function* pagesOf(
  grants: CustomerGrants,
  tenantKey: string,
  language: string,
): AsyncGenerator<GrantsPage<ConnectedGrant>> {
  let after: string | undefined
  do {
    const page = await grants.list({ tenantKey, anyCustomer: true, language, limit, after })
    yield page
    // Other requests go first: describing a page takes a while.
    await setImmediate()
    after = page.next
  } while (after !== undefined)
}
