import type { ClientMetadata } from '../contract/tenant-store'
import type { FetchFor } from '../documents/fetch-slots'
import { tellOfDocuments } from '../telemetry/channels'

const maxOfSite = 50
const maxOfTenant = 250
const maxDocuments = 1000

/** How long a document may be used, in milliseconds. */
export interface Freshness {
  /** Before it must be fetched again. */
  fresh: number
  /** After that, while it cannot be fetched. */
  stale: number
}

/**
 * What is known about the URL of a document: nothing (`unknown`), that a valid document has been fetched from it (`known`), or also that a
 * customer has allowed the document's client (`allowed`).
 */
export type Standing = 'unknown' | 'known' | 'allowed'

interface Kept extends FetchFor {
  metadata: ClientMetadata
  keptAt: number
  freshUntil: number
  usableUntil: number
  /** When it must be fetched again: as soon as it is no longer fresh, or some time after a fetch that failed. */
  fetchAgainAt: number
  /** Whether a customer has allowed the client. */
  isAllowed: boolean
}

/**
 * The metadata documents in memory: at most 1000, of which at most 50 are of one site and at most 250 were first fetched for one tenant. The
 * document that was used longest ago makes room; a document whose client a customer has allowed makes room only after all others. A
 * document that is too old to be used still makes its URL known.
 */
export class KeptDocuments {
  // The document that was used longest ago comes first.
  readonly #kept = new Map<string, Kept>()

  /** The document at a URL, unless it must be fetched again. */
  fresh(url: string): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept || performance.now() >= kept.fetchAgainAt) return undefined
    this.#kept.delete(url)
    this.#kept.set(url, kept)
    return kept.metadata
  }

  /**
   * The document at a URL that cannot be fetched now.
   *
   * @param maxStale How long the document may be used after it was fresh, if its own headers allow it. Milliseconds.
   * @param pause How long to wait before it is fetched again. Milliseconds.
   */
  stale(url: string, maxStale: number, pause: number): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept) return undefined
    const until = Math.min(kept.freshUntil + maxStale, kept.usableUntil)
    if (performance.now() >= until) return undefined
    kept.fetchAgainAt = Math.min(performance.now() + pause, until)
    return kept.metadata
  }

  /** The document at a URL, however old it is: for its name, not for what its client may do. */
  last(url: string): ClientMetadata | undefined {
    return this.#kept.get(url)?.metadata
  }

  /** How long ago the document at a URL was fetched, in milliseconds. */
  age(url: string): number | undefined {
    const kept = this.#kept.get(url)
    return kept && performance.now() - kept.keptAt
  }

  standing(url: string): Standing {
    const kept = this.#kept.get(url)
    if (!kept) return 'unknown'
    return kept.isAllowed ? 'allowed' : 'known'
  }

  /** Keeps a document. It counts for the tenant that it was first fetched for. */
  keep(url: string, metadata: ClientMetadata, { fresh, stale }: Freshness, fetchFor: FetchFor): void {
    const before = this.#kept.size
    const { isAllowed, tenantId, site } = this.#kept.get(url) ?? { isAllowed: false, ...fetchFor }
    this.#kept.delete(url)
    this.#makeRoom(maxOfSite, (kept) => kept.site === site)
    this.#makeRoom(maxOfTenant, (kept) => kept.tenantId === tenantId)
    this.#makeRoom(maxDocuments, () => true)
    const keptAt = performance.now()
    const freshUntil = keptAt + fresh
    const usableUntil = freshUntil + stale
    this.#kept.set(url, {
      metadata,
      tenantId,
      site,
      keptAt,
      freshUntil,
      usableUntil,
      fetchAgainAt: freshUntil,
      isAllowed,
    })
    this.#tell(before)
  }

  /** Forgets a URL. */
  drop(url: string): void {
    const before = this.#kept.size
    this.#kept.delete(url)
    this.#tell(before)
  }

  /** Notes that a customer has allowed the client, so that its document makes room last. */
  markAllowed(url: string): void {
    const kept = this.#kept.get(url)
    if (kept) kept.isAllowed = true
  }

  /** How many documents there are, how many are no longer fresh, and how many of these could not be fetched again. */
  counts(): { kept: number; stale: number; failing: number } {
    const now = performance.now()
    const stale = [...this.#kept.values()].filter(({ freshUntil }) => now >= freshUntil)
    const failing = stale.filter(({ freshUntil, fetchAgainAt }) => fetchAgainAt > freshUntil)
    return { kept: this.#kept.size, stale: stale.length, failing: failing.length }
  }

  #tell(before: number): void {
    const kept = this.#kept.size
    tellOfDocuments({ kept, change: kept - before })
  }

  /** Removes one document of a group that is full. */
  #makeRoom(max: number, isInGroup: (kept: Kept) => boolean): void {
    if (this.#kept.size < max) return
    const group = [...this.#kept].filter(([, kept]) => isInGroup(kept))
    const first = group.find(([, { isAllowed }]) => !isAllowed) ?? group[0]
    if (first && group.length >= max) this.#kept.delete(first[0])
  }
}
