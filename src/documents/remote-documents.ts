// More than 300 lines: the whole life of a document, from its first fetch to the copy that takes its place.

import { BoundedMap } from '../collections/bounded-map'
import { PerMinute } from '../collections/per-minute'
import { underlying } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'
import { type FetchFor, FetchSlots, sharesOf, siteOf } from './fetch-slots'
import { DocumentAway, type FetchedDocument, type FetchGuard, ForbiddenFetch, guardedFetch } from './guarded-fetch'

// Milliseconds.
export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

const maxDocuments = 1000

/** One kind of document. Times are in milliseconds. */
export interface DocumentKind<T> {
  /** Reads a response. @throws {DocumentAway} if it says nothing about the document; anything else if the document cannot be used. */
  read(fetched: FetchedDocument, url: string): T
  /** How long a document is fresh: as its headers say, from a minute to `most`. */
  fresh: { unsaid: number; most: number }
  /** How long a copy serves after that, while the document is away, and while it is only away because of a flood. */
  stale: { away: number; flood: number }
  /** How many that no customer has allowed are in memory at most, of the 1000 of all. A kind of which customers allow none has no less room. */
  room: { ofSite: number; ofTenant: number }
  /** How long an address is left alone after a fetch that failed. */
  pause: { known: number; unknown: number }
  /** Copies to begin with: one serves while its document is away and there is no newer one, until its publisher withdraws it. */
  shipped?: ReadonlyMap<string, T> | undefined
  /** Whose fetches and documents share what one publisher can have. Default: roughly the domain that somebody has registered. */
  siteOf?: ((url: URL) => string) | undefined
  /** Is told of each change in the number of documents in memory. */
  tell?: ((count: { kept: number; change: number }) => void) | undefined
}

/** A document, or the copy that serves in its place. */
export interface FoundDocument<T> {
  document: T
  /** Set if the document has just been asked for, and was away. */
  copy?: { kind: 'kept' | 'known'; age?: number | undefined; error: DocumentAway } | undefined
}

/**
 * What is known about the URL of a document: nothing (`unknown`), that it has given a valid document or that one was shipped (`known`), or
 * also that a customer has allowed the document's client (`allowed`).
 */
type Standing = 'unknown' | 'known' | 'allowed'

interface Kept<T> extends FetchFor {
  document: T
  keptAt: number
  freshUntil: number
  /** Whether its headers allow that it is used after that. */
  mayBeStale: boolean
  /** When it was last fetched, or tried to be. */
  askedAt: number
  /** When it must be fetched again: as soon as it is no longer fresh, or some time after a fetch that failed. */
  fetchAgainAt: number
  isAllowed: boolean
}

interface Shipped<T> {
  /** The last one that its publisher has published, as far as this process knows. */
  document: T
  askedAt: number
  /** Until when it is used without another attempt to fetch the document. */
  restsUntil: number
  /** Whether the publisher has said that the document is gone, or has published a wrong one. */
  isWithdrawn: boolean
}

/**
 * Documents that others publish at a URL which a stranger may have chosen.
 *
 * Each site and each tenant has a share of the fetches, and of the documents in memory, which are at most 1000. The document that was used longest
 * ago makes room. One whose client a customer has allowed counts for no share: some publishers have an address for each user. It makes room only
 * after all others, and first at the tenant that has the most. URLs that have given a document before are fetched in slots of their own, so that a flood of other URLs
 * cannot delay them, also when their document is too old to be used.
 */
export class RemoteDocuments<T> {
  readonly #guard: FetchGuard
  readonly #kind: DocumentKind<T>
  // The document that was used longest ago comes first.
  readonly #kept = new Map<string, Kept<T>>()
  readonly #shipped = new Map<string, Shipped<T>>()
  readonly #fetching = new Map<string, Promise<T>>()
  readonly #fetchingAgain = new Map<string, Promise<T | undefined>>()
  readonly #failures = new BoundedMap<string, { at: number; error: unknown }>(maxDocuments)
  readonly #slots: Record<Standing, FetchSlots> = {
    unknown: new FetchSlots(),
    known: new FetchSlots(),
    allowed: new FetchSlots(),
  }
  readonly #perMinute = new PerMinute()

  constructor(guard: FetchGuard, kind: DocumentKind<T>) {
    this.#guard = guard
    this.#kind = kind
    for (const [url, document] of kind.shipped ?? []) {
      this.#shipped.set(url, { document, askedAt: -minute, restsUntil: 0, isWithdrawn: false })
    }
  }

  /**
   * Finds a document for a tenant.
   *
   * @param suits Whether a document has what is looked for. If a copy has not, the document is fetched again, at most once a minute.
   * @throws {DocumentAway} if it cannot be had now and there is no copy; what `read` throws, or a {@link ForbiddenFetch}, if it cannot be used.
   */
  async find(url: string, tenantId: string, suits: (document: T) => boolean = () => true): Promise<FoundDocument<T>> {
    const ready = this.#ready(url)
    if (ready !== undefined && suits(ready)) return { document: ready }
    try {
      return { document: await this.#fetchOnce(url, tenantId) }
    } catch (error) {
      const copy = error instanceof DocumentAway ? this.#copyOf(url, error, suits) : undefined
      if (copy) return copy
      throw error
    }
  }

  /**
   * Fetches a document again because the one that was found does not have what somebody needs: at most once a minute, whatever comes of it. A
   * stranger can cause this at any time, so nothing is withdrawn by it.
   *
   * @returns Undefined if it is too early, or there is nothing new that can be used.
   */
  async findNewer(url: string): Promise<T | undefined> {
    const fetching = this.#fetchingAgain.get(url)
    if (fetching !== undefined) return fetching
    const copy = this.#kept.get(url) ?? this.#shipped.get(url)
    const now = performance.now()
    if (!copy || now < copy.askedAt + minute) return undefined
    copy.askedAt = now
    const site = this.#siteOf(url)
    const newer = this.#fetch(url, this.#standing(url), { tenantId: site, site })
      .catch(() => undefined)
      .finally(() => this.#fetchingAgain.delete(url))
    this.#fetchingAgain.set(url, newer)
    return newer
  }

  /** What this process knows without a fetch, however old it is. */
  remembered(url: string): T | undefined {
    const shipped = this.#shipped.get(url)
    return this.#kept.get(url)?.document ?? (shipped?.isWithdrawn ? undefined : shipped?.document)
  }

  /** Notes that a customer has allowed a document's client, so that the document makes room last. */
  markAllowed(url: string): void {
    const kept = this.#kept.get(url)
    if (kept) kept.isAllowed = true
  }

  /** How many documents are kept, how many of them are no longer fresh, and of how many a copy is used because they are away. */
  counts(): { kept: number; stale: number; failing: number } {
    const now = performance.now()
    const stale = [...this.#kept.values()].filter(({ freshUntil }) => now >= freshUntil)
    const failing = stale.filter(({ freshUntil, fetchAgainAt }) => fetchAgainAt > freshUntil)
    const shipped = [...this.#shipped.values()].filter(({ restsUntil }) => restsUntil > 0)
    return { kept: this.#kept.size, stale: stale.length, failing: failing.length + shipped.length }
  }

  /** The document that may be used without a fetch. */
  #ready(url: string): T | undefined {
    const now = performance.now()
    const kept = this.#kept.get(url)
    if (kept && now < kept.fetchAgainAt) {
      this.#kept.delete(url)
      this.#kept.set(url, kept)
      return kept.document
    }
    const shipped = this.#shipped.get(url)
    return shipped && now < shipped.restsUntil ? shipped.document : undefined
  }

  /** The copy of a document that is away. It is used for a minute before the document is asked for again. */
  #copyOf(url: string, error: DocumentAway, suits: (document: T) => boolean): FoundDocument<T> | undefined {
    const now = performance.now()
    const kept = this.#kept.get(url)
    for (const copy of [kept, this.#shipped.get(url)]) if (copy) copy.askedAt = now
    if (kept && suits(kept.document)) {
      const { away, flood } = this.#kind.stale
      const until = kept.freshUntil + (kept.mayBeStale ? (error.isFlood ? flood : away) : 0)
      if (now < until) {
        kept.fetchAgainAt = Math.min(now + minute, until)
        return { document: kept.document, copy: { kind: 'kept', age: now - kept.keptAt, error } }
      }
    }
    // Strangers can cause a flood. They must not keep a document in use that its publisher has withdrawn.
    const shipped = error.isFlood ? undefined : this.#shipped.get(url)
    if (!shipped || shipped.isWithdrawn) return undefined
    shipped.restsUntil = now + minute
    return { document: shipped.document, copy: { kind: 'known', error } }
  }

  /** Fetches a document once for all requests that wait for it: those of one tenant, or of all tenants if its URL is known. */
  #fetchOnce(url: string, tenantId: string): Promise<T> {
    const standing = this.#standing(url)
    const site = this.#siteOf(url)
    // A known document belongs to no particular tenant: its site takes the tenant's place.
    const fetchFor = { tenantId: standing === 'unknown' ? tenantId : site, site }
    const name = `${fetchFor.tenantId} ${url}`
    let fetching = this.#fetching.get(name)
    fetching ??= this.#fetchUnlessPaused(url, name, standing, fetchFor).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  #siteOf(url: string): string {
    return (this.#kind.siteOf ?? siteOf)(new URL(url))
  }

  /** A flood of other documents does not delay the first fetch of one that was shipped. */
  #standing(url: string): Standing {
    const kept = this.#kept.get(url)
    if (kept?.isAllowed) return 'allowed'
    return kept || this.#shipped.has(url) ? 'known' : 'unknown'
  }

  async #fetchUnlessPaused(url: string, name: string, standing: Standing, fetchFor: FetchFor): Promise<T> {
    const now = performance.now()
    const pause = standing === 'unknown' ? this.#kind.pause.unknown : this.#kind.pause.known
    const failure = this.#failures.get(name)
    if (failure && now < failure.at + pause) throw failure.error
    const waits = (this.#kept.get(url)?.keptAt ?? -minute) + minute - now
    if (waits > 0) throw new DocumentAway('It was fetched a moment ago', { retryAfter: Math.ceil(waits / second) })
    try {
      return await this.#fetch(url, standing, fetchFor)
    } catch (error) {
      if (pause > 0) this.#failures.set(name, { at: now, error })
      if (!(error instanceof DocumentAway)) this.#withdraw(url)
      throw error
    }
  }

  #fetch(url: string, standing: Standing, fetchFor: FetchFor): Promise<T> {
    // A known document is fresh for at least a minute, so only one that is away is fetched more often.
    const shares = standing === 'unknown' ? sharesOf(fetchFor) : { [`known ${url}`]: 60 }
    if (!this.#perMinute.count(shares)) {
      const retryAfter = this.#perMinute.secondsLeft
      throw new DocumentAway(`A share of ${fetchFor.site} or of the tenant is used up`, { retryAfter, isFlood: true })
    }
    return this.#slots[standing].lend(fetchFor, async () => {
      // A request of another tenant may have fetched it in the meantime.
      const ready = standing === 'unknown' ? this.#ready(url) : undefined
      return ready ?? this.#keep(url, await guardedFetch(new URL(url), this.#guard).catch(throwAway), fetchFor)
    })
  }

  /** Keeps a document. It counts for the tenant that it was first fetched for. */
  #keep(url: string, fetched: FetchedDocument, fetchFor: FetchFor): T {
    const document = this.#kind.read(fetched, url)
    const { isAllowed, tenantId, site } = this.#kept.get(url) ?? { isAllowed: false, ...fetchFor }
    this.#change(() => {
      this.#kept.delete(url)
      if (!isAllowed) {
        this.#makeRoom(this.#kind.room.ofSite, (kept) => !kept.isAllowed && kept.site === site)
        this.#makeRoom(this.#kind.room.ofTenant, (kept) => !kept.isAllowed && kept.tenantId === tenantId)
      }
      if (this.#kept.size >= maxDocuments) this.#makeRoom(1, this.#isFirstToGo())
      const keptAt = performance.now()
      const { fresh, mayBeStale } = freshnessOf(fetched.headers['cache-control'], this.#kind.fresh)
      const freshUntil = keptAt + fresh
      const times = { keptAt, freshUntil, mayBeStale, askedAt: keptAt, fetchAgainAt: freshUntil }
      this.#kept.set(url, { document, tenantId, site, ...times, isAllowed })
    })
    this.#notePublished(url, document)
    return document
  }

  /** Forgets a document that its publisher has taken away, or replaced by one that cannot be used. */
  #withdraw(url: string): void {
    this.#change(() => this.#kept.delete(url))
    this.#notePublished(url, undefined)
  }

  /** The publisher's word counts from now on, and no longer a copy that was shipped: it may have an address that was taken out. */
  #notePublished(url: string, document: T | undefined): void {
    const shipped = this.#shipped.get(url)
    if (!shipped) return
    Object.assign(shipped, { isWithdrawn: document === undefined, restsUntil: 0, ...(document && { document }) })
  }

  #change(change: () => void): void {
    const before = this.#kept.size
    change()
    const kept = this.#kept.size
    this.#kind.tell?.({ kept, change: kept - before })
  }

  /** Removes one document of a group that is full. */
  #makeRoom(max: number, isInGroup: (kept: Kept<T>) => boolean): void {
    if (this.#kept.size < max) return
    const group = [...this.#kept].filter(([, kept]) => isInGroup(kept))
    if (group[0] && group.length >= max) this.#kept.delete(group[0][0])
  }

  /**
   * Of all documents, those that no customer has allowed. If there are none, or if the customers of one tenant have allowed more than half of
   * all, those of the tenant whose customers have allowed the most.
   */
  #isFirstToGo(): (kept: Kept<T>) => boolean {
    const allowed = [...this.#kept.values()].filter(({ isAllowed }) => isAllowed)
    const counts = new Map<string, number>()
    for (const { tenantId } of allowed) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    const most = Math.max(0, ...counts.values())
    if (allowed.length < this.#kept.size && most <= maxDocuments / 2) return ({ isAllowed }) => !isAllowed
    return ({ isAllowed, tenantId }) => isAllowed && counts.get(tenantId) === most
  }
}

/** What a fetch throws says nothing about the document, except that its address is forbidden or that it is too large. */
function throwAway(thrown: unknown): never {
  if (thrown instanceof ForbiddenFetch) throw thrown
  const { message, cause } = underlying(thrown)
  // What `fetch` says of a failure is in its cause.
  throw new DocumentAway(cause === undefined ? message : `${message}: ${asError(cause).message}`, { cause: thrown })
}

/** How long a document may be used, by its `Cache-Control` (RFC 9111 sections 4.2.4 and 5.2.2). */
function freshnessOf(cacheControl = '', { unsaid, most }: DocumentKind<unknown>['fresh']) {
  const directives = cacheControl.toLowerCase()
  const isForNow = /\b(?:no-store|no-cache)\b/.test(directives)
  const maxAge = /\bmax-age=(\d+)/.exec(directives)?.[1]
  const said = maxAge === undefined ? unsaid : Number(maxAge) * second
  const fresh = isForNow ? minute : Math.min(Math.max(said, minute), most)
  return { fresh, mayBeStale: !isForNow && !/\bmust-revalidate\b/.test(directives) }
}
