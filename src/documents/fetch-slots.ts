import { isIP } from 'node:net'
import { withinTime } from '../host/call-host'
import { DocumentAway } from './guarded-fetch'

/** What a fetch is for: slots are shared between tenants and between sites. */
export interface FetchFor {
  tenantId: string
  site: string
}

/** The shares that a fetch counts for, with their size in a minute, if its address is not known yet. */
export function sharesOf({ tenantId, site }: FetchFor): Record<string, number> {
  // More than the README's rate limits let one IP address cause.
  return { [`both ${tenantId} ${site}`]: 300, [`tenant ${tenantId}`]: 600, [`site ${site}`]: 600 }
}

// The second labels of `co.uk` and the like, under which anybody can register a name.
const registryLabels = ['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org']

/**
 * The site that a URL's host belongs to: roughly the domain that somebody has registered, because its owner can make any number of names
 * below it. All IP addresses together are one site, and so are all names that are too long to be looked up (RFC 1035 section 2.3.4).
 */
export function siteOf({ hostname }: URL): string {
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) || name.startsWith('[')) return 'an address'
  const labels = name.split('.')
  if (name.length > 253 || labels.some((label) => label.length > 63)) return 'a long name'
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && registryLabels.includes(second) ? -3 : -2).join('.')
}

const maxFetches = 32
const maxOfTenant = 8
const maxOfSite = 2
const maxWaiting = 64
// Milliseconds. Longer than any fetch takes, so that every fetch that holds a slot now ends within it.
const maxWait = 6000

const noSlot = () => new DocumentAway('No slot was free in time', { retryAfter: 1, isFlood: true })

/**
 * Lends slots for fetches: 32 in all, at most 8 to a tenant and 2 to a site. A fetch that finds no slot waits up to 6 seconds.
 *
 * A slot that becomes free goes to the fetch whose site holds the fewest slots; of those, to the one whose tenant holds the fewest; of
 * those, to the one that has waited longest. When more than 64 wait, the newest of them is refused: the newest of the tenant that has the
 * most waiting, if those are more than a tenant can have slots, and of these the newest of such a site.
 */
export class FetchSlots {
  readonly #fetching = new Set<FetchFor>()
  // In the order in which they began to wait, each with how it goes on.
  readonly #waiting = new Map<FetchFor, { start(): void; refuse(error: Error): void }>()

  /** Does some work in a slot. @throws {DocumentAway} if no slot becomes free in time, or too many fetches are waiting. */
  async lend<T>(fetchFor: FetchFor, work: () => Promise<T>): Promise<T> {
    // A copy, because fetches are told apart by identity.
    const fetching = { ...fetchFor }
    await this.#waitForTurn(fetching)
    try {
      return await work()
    } finally {
      this.#fetching.delete(fetching)
      this.#startAll()
    }
  }

  #waitForTurn(fetching: FetchFor): Promise<void> {
    const turn = new Promise<void>((start, refuse) => {
      this.#waiting.set(fetching, { start, refuse })
    })
    this.#startAll()
    const newest = this.#waiting.size > maxWaiting ? this.#newestOfMost() : undefined
    if (newest) this.#leave(newest)?.refuse(noSlot())
    return withinTime(turn, maxWait, () => {
      this.#leave(fetching)
      return Promise.reject(noSlot())
    })
  }

  #leave(waiting: FetchFor) {
    const turn = this.#waiting.get(waiting)
    this.#waiting.delete(waiting)
    return turn
  }

  /** Starts every fetch that there is room for: one that has ended may make room for several. */
  #startAll(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#fetching.add(next)
      this.#leave(next)?.start()
    }
  }

  #next(): FetchFor | undefined {
    if (this.#fetching.size >= maxFetches) return undefined
    const slotsHeldBy = (owner: keyof FetchFor, waiting: FetchFor) =>
      [...this.#fetching].filter((other) => other[owner] === waiting[owner]).length
    const candidates = [...this.#waiting.keys()]
      .map((waiting) => ({
        waiting,
        ofSite: slotsHeldBy('site', waiting),
        ofTenant: slotsHeldBy('tenantId', waiting),
      }))
      .filter(({ ofSite, ofTenant }) => ofSite < maxOfSite && ofTenant < maxOfTenant)
      .sort((a, b) => a.ofSite - b.ofSite || a.ofTenant - b.ofTenant)
    return candidates[0]?.waiting
  }

  /** The fetch to refuse when too many wait. */
  #newestOfMost(): FetchFor | undefined {
    const ofTenant = largestGroup([...this.#waiting.keys()], 'tenantId', maxOfTenant)
    return largestGroup(ofTenant, 'site', maxOfSite).at(-1)
  }
}

/** The fetches whose owner has the most of them, or all fetches if no owner has more than its share. */
function largestGroup(fetches: readonly FetchFor[], owner: keyof FetchFor, share: number): readonly FetchFor[] {
  const counts = new Map<string, number>()
  for (const { [owner]: name } of fetches) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return most > share ? fetches.filter((fetch) => counts.get(fetch[owner]) === most) : fetches
}
