/** What a fetch is for: slots are shared between tenants and between sites. */
export interface FetchFor {
  tenantId: string
  site: string
}

// In a minute. More than the README's rate limits let one IP address cause.
const maxPerMinuteOfSiteAtTenant = 300
const maxPerMinuteOfTenant = 600
const maxPerMinuteOfSite = 600

/** The shares that a fetch counts for, with their size in a minute, if its address is not known yet. */
export function sharesOf({ tenantId, site }: FetchFor): Record<string, number> {
  return {
    [`both ${tenantId} ${site}`]: maxPerMinuteOfSiteAtTenant,
    [`tenant ${tenantId}`]: maxPerMinuteOfTenant,
    [`site ${site}`]: maxPerMinuteOfSite,
  }
}

/** A fetch that is waiting for a slot. */
interface Waiting extends FetchFor {
  start(): void
  refuse(): void
}

const maxFetches = 32
const maxOfTenant = 8
const maxOfSite = 2
const maxWaiting = 64
// Milliseconds. Longer than any fetch takes, so that every fetch that holds a slot now ends within it.
const maxWait = 6000

/** No slot was free in time. */
export class NoFetchSlot extends Error {
  constructor() {
    super('Too many fetches are under way')
  }
}

/**
 * Lends slots for fetches: 32 in all, at most 8 to a tenant and 2 to a site. A fetch that finds no slot waits up to 6 seconds.
 *
 * A slot that becomes free goes to the fetch whose site holds the fewest slots; of those, to the one whose tenant holds the fewest; of
 * those, to the one that has waited longest. When more than 64 wait, the newest of them is refused: the newest of the tenant that has the
 * most waiting, if those are more than a tenant can have slots, and of these the newest of such a site.
 */
export class FetchSlots {
  readonly #fetching = new Set<FetchFor>()
  // In the order in which they began to wait.
  readonly #waiting = new Set<Waiting>()

  /**
   * Does some work in a slot.
   *
   * @throws {NoFetchSlot} if no slot becomes free in time, or too many fetches are waiting.
   */
  async lend<T>(fetchFor: FetchFor, work: () => Promise<T>): Promise<T> {
    // A copy, because the set tells fetches apart by identity.
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
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.refuse(), maxWait)
      const leave = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
      }
      const waiting: Waiting = {
        ...fetching,
        start: () => {
          leave()
          this.#fetching.add(fetching)
          resolve()
        },
        refuse: () => {
          leave()
          reject(new NoFetchSlot())
        },
      }
      this.#waiting.add(waiting)
      this.#startAll()
      if (this.#waiting.size > maxWaiting) this.#newestOfMost()?.refuse()
    })
  }

  /** Starts every fetch that there is room for: one that has ended may make room for several. */
  #startAll(): void {
    for (let next = this.#next(); next; next = this.#next()) next.start()
  }

  #next(): Waiting | undefined {
    if (this.#fetching.size >= maxFetches) return undefined
    const candidates = [...this.#waiting]
      .map((waiting) => ({ waiting, ...this.#slotsHeld(waiting) }))
      .filter(({ ofSite, ofTenant }) => ofSite < maxOfSite && ofTenant < maxOfTenant)
      .sort((a, b) => a.ofSite - b.ofSite || a.ofTenant - b.ofTenant)
    return candidates[0]?.waiting
  }

  /** How many slots the tenant and the site of a fetch hold now. */
  #slotsHeld({ tenantId, site }: FetchFor): { ofTenant: number; ofSite: number } {
    const fetching = [...this.#fetching]
    return {
      ofTenant: fetching.filter((other) => other.tenantId === tenantId).length,
      ofSite: fetching.filter((other) => other.site === site).length,
    }
  }

  /** The fetch to refuse when too many wait. */
  #newestOfMost(): Waiting | undefined {
    const ofTenant = largestGroup([...this.#waiting], ({ tenantId }) => tenantId, maxOfTenant)
    return largestGroup(ofTenant, ({ site }) => site, maxOfSite).at(-1)
  }
}

/** The items whose group has the most items, or all items if no group has more than its share. */
function largestGroup<T>(items: readonly T[], groupOf: (item: T) => string, share: number): readonly T[] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(groupOf(item), (counts.get(groupOf(item)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return most > share ? items.filter((item) => counts.get(groupOf(item)) === most) : items
}
