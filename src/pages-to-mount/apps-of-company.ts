import { setImmediate } from 'node:timers/promises'
import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import { digest } from '../protocol/digest'

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
  const found = new Map<string, AppOfCompany>()
  let counted = 0
  let hasMore = false
  for await (const page of pagesOf(grants, tenantKey, language)) {
    for (const grant of page.grants) {
      const id = appOf(grant)
      const app = found.get(id) ?? { id, last: grant, clientIds: new Set(), subjects: new Set() }
      if (grant.lastUsedAt > app.last.lastUsedAt) app.last = grant
      app.clientIds.add(grant.clientId)
      app.subjects.add(grant.subject)
      found.set(id, app)
    }
    counted += page.grants.length
    hasMore = page.next !== undefined && (counted >= maxCounted || performance.now() > end)
    if (hasMore) break
  }
  return { apps: [...found.values()].sort((one, other) => other.subjects.size - one.subjects.size), hasMore }
}

/** Ends every grant of a company of which something is true. @param language In which it is judged what is in words. */
export async function endGrants(
  grants: CustomerGrants,
  { tenantKey, actor }: { tenantKey: string; actor: string },
  language: string,
  isMeant: (grant: ConnectedGrant) => boolean,
): Promise<void> {
  for await (const page of pagesOf(grants, tenantKey, language)) {
    for (const { subject, grantId } of page.grants.filter(isMeant)) {
      await grants.revoke({ tenantKey, subject, grantId, actor })
    }
  }
}

/** What is the same for all clients of one app. Assistants register anew for each customer: then it is their name, and where they lead. */
export function appOf({ clientId, clientName, vouchedFor, publisher, destinations }: ConnectedGrant): string {
  const isOne = vouchedFor || publisher !== undefined
  return isOne ? digest('client', clientId) : digest('app', clientName, ...destinations)
}

async function* pagesOf(grants: CustomerGrants, tenantKey: string, language: string) {
  let after: string | undefined
  do {
    const page = await grants.list({ tenantKey, anyCustomer: true, language, limit, after })
    yield page
    // Other requests go first: describing a page takes a while.
    await setImmediate()
    after = page.next
  } while (after !== undefined)
}
