/** Who wants to fetch, and from where: what slots are shared by. */
export interface FetchFor {
  tenantId: string
  site: string
}

/** A fetch that waits for a slot. */
interface Waiting extends FetchFor {
  start(): void
  refuse(): void
}

const maxFetches = 32
const maxOfTenant = 8
const maxOfSite = 2
const maxWaiting = 64
// Milliseconds: longer than any fetch, so that each that holds a slot now ends meanwhile.
const patience = 6000

/** There was no slot for a fetch in time. */
export class NoFetchSlot extends Error {
  constructor() {
    super('Too many fetches are under way')
  }
}

/**
 * Lends slots for fetches: 32 in all, at most 8 to a tenant and 2 to a site. Whoever finds none waits up to 6 seconds. The next slot goes to
 * whoever has waited longest of those whose site, and then whose tenant, has the fewest. Beyond 64 the newest is refused, first of a
 * tenant and of a site that have more waiting than they can have slots.
 */
export class FetchSlots {
  readonly #fetching = new Set<FetchFor>()
  // The oldest first.
  readonly #waiting = new Set<Waiting>()

  /**
   * Does some work in a slot.
   *
   * @throws {NoFetchSlot} where there is none in time, or too many wait.
   */
  async lend<T>(whom: FetchFor, work: () => Promise<T>): Promise<T> {
    const fetching = { ...whom }
    await this.#turnOf(fetching)
    try {
      return await work()
    } finally {
      this.#fetching.delete(fetching)
      this.#startAll()
    }
  }

  #turnOf(fetching: FetchFor): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiting.refuse(), patience)
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
      if (this.#waiting.size > maxWaiting) this.#crowding()?.refuse()
    })
  }

  /** Starts all for which there is room now: one that has ended may have been in the way of several. */
  #startAll(): void {
    for (let next = this.#next(); next; next = this.#next()) next.start()
  }

  #next(): Waiting | undefined {
    if (this.#fetching.size >= maxFetches) return undefined
    const [next] = [...this.#waiting]
      .map((waiting) => ({ waiting, ...this.#held(waiting) }))
      .filter(({ ofSite, ofTenant }) => ofSite < maxOfSite && ofTenant < maxOfTenant)
      .sort((a, b) => a.ofSite - b.ofSite || a.ofTenant - b.ofTenant)
    return next?.waiting
  }

  #held({ tenantId, site }: FetchFor): { ofTenant: number; ofSite: number } {
    const fetching = [...this.#fetching]
    return {
      ofTenant: fetching.filter((other) => other.tenantId === tenantId).length,
      ofSite: fetching.filter((other) => other.site === site).length,
    }
  }

  /** The newest that waits, of the tenant and of the site that have the most waiting, if that is more than their share. */
  #crowding(): Waiting | undefined {
    const ofTenant = crowd([...this.#waiting], ({ tenantId }) => tenantId, maxOfTenant)
    return crowd(ofTenant, ({ site }) => site, maxOfSite).at(-1)
  }
}

/** Those of the names that have the most, or all where none has more than its share. */
function crowd<T>(all: readonly T[], nameOf: (one: T) => string, share: number): readonly T[] {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return most > share ? all.filter((one) => counts.get(nameOf(one)) === most) : all
}
