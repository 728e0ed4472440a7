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

const mostFetches = 32
const mostOfTenant = 8
const mostOfSite = 2
const mostWaiting = 64
const mostTurns = 1000
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
 * the site, and then to the tenant, with the fewest, and to the site whose last turn is longest ago, so that many fetches of one are not
 * in the way of another's.
 */
export class FetchSlots {
  readonly #fetching = new Set<FetchFor>()
  readonly #waiting = new Set<Waiting>()
  // The last turns of sites, the oldest first.
  readonly #turns = new Map<string, number>()
  #turn = 0

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
          this.#noteTurn(fetching.site)
          resolve()
        },
        refuse: () => {
          leave()
          reject(new NoFetchSlot())
        },
      }
      this.#waiting.add(waiting)
      this.#startAll()
      if (this.#waiting.size > mostWaiting) this.#crowding()?.refuse()
    })
  }

  /** Starts all for which there is room now: one that has ended may have been in the way of several. */
  #startAll(): void {
    for (let next = this.#next(); next; next = this.#next()) next.start()
  }

  #next(): Waiting | undefined {
    if (this.#fetching.size >= mostFetches) return undefined
    const [next] = [...this.#waiting]
      .map((waiting) => ({ waiting, ...this.#held(waiting) }))
      .filter(({ ofSite, ofTenant }) => ofSite < mostOfSite && ofTenant < mostOfTenant)
      .sort((a, b) => a.ofSite - b.ofSite || a.ofTenant - b.ofTenant || a.turn - b.turn)
    return next?.waiting
  }

  #noteTurn(site: string): void {
    this.#turns.delete(site)
    this.#turns.set(site, ++this.#turn)
    const [oldest] = this.#turns.keys()
    if (oldest !== undefined && this.#turns.size > mostTurns) this.#turns.delete(oldest)
  }

  #held({ tenantId, site }: FetchFor): { ofTenant: number; ofSite: number; turn: number } {
    const fetching = [...this.#fetching]
    return {
      ofTenant: fetching.filter((other) => other.tenantId === tenantId).length,
      ofSite: fetching.filter((other) => other.site === site).length,
      turn: this.#turns.get(site) ?? 0,
    }
  }

  /** The newest that waits for the site that has the most waiting, at the tenant that has. */
  #crowding(): Waiting | undefined {
    const ofTenant = mostOf([...this.#waiting], ({ tenantId }) => tenantId)
    return mostOf(ofTenant, ({ site }) => site).at(-1)
  }
}

/** Those of the name that most have. */
function mostOf<T>(all: readonly T[], nameOf: (one: T) => string): T[] {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(nameOf(one))
    if (group) group.push(one)
    else groups.set(nameOf(one), [one])
  }
  return [...groups.values()].reduce<T[]>((most, group) => (group.length > most.length ? group : most), [])
}
