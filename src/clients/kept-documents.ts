import type { FetchFor } from '../http/fetch-slots'
import type { ClientMetadata } from './client-metadata'

const maxOfSite = 50
const maxOfTenant = 250
const maxDocuments = 1000

/** For how long a document may be kept. Milliseconds. */
export interface Freshness {
  /** Without asking for it again. */
  fresh: number
  /** After that, while it cannot be had. */
  stale: number
}

/**
 * What is known of an address: nothing, that it has given a document before, or that a customer has allowed that document's client besides.
 */
export type Standing = 'unknown' | 'known' | 'allowed'

interface Kept extends FetchFor {
  metadata: ClientMetadata
  freshUntil: number
  usableUntil: number
  /** When it is to be asked for again: once it is not fresh any more, or a pause later where it could not be had. */
  askAgainAt: number
  /** Whether a customer has allowed its client. */
  isAllowed: boolean
}

/**
 * The metadata documents that are kept: 1000, at most 50 of a site and 250 that one tenant has brought in. The one that was used longest ago
 * makes room, first of those whose client no customer has allowed. One that is too old to be used stays known.
 */
export class KeptDocuments {
  // In the order of their last use.
  readonly #kept = new Map<string, Kept>()

  /** The document at an address while it need not be asked for again. */
  fresh(url: string): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept || performance.now() >= kept.askAgainAt) return undefined
    this.#kept.delete(url)
    this.#kept.set(url, kept)
    return kept.metadata
  }

  /**
   * The document at an address that cannot be had now.
   *
   * @param most For how long it is good after it was fresh, unless its own headers forbid that. Milliseconds.
   * @param pause For how long it need not be asked for again. Milliseconds.
   */
  stale(url: string, most: number, pause: number): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept) return undefined
    const until = Math.min(kept.freshUntil + most, kept.usableUntil)
    if (performance.now() >= until) return undefined
    kept.askAgainAt = Math.min(performance.now() + pause, until)
    return kept.metadata
  }

  standing(url: string): Standing {
    const kept = this.#kept.get(url)
    if (!kept) return 'unknown'
    return kept.isAllowed ? 'allowed' : 'known'
  }

  /** Keeps a document, for the tenant that has brought it in first. */
  keep(url: string, metadata: ClientMetadata, { fresh, stale }: Freshness, fetchFor: FetchFor): void {
    const { isAllowed, tenantId, site } = this.#kept.get(url) ?? { isAllowed: false, ...fetchFor }
    this.#kept.delete(url)
    this.#makeRoom(maxOfSite, (kept) => kept.site === site)
    this.#makeRoom(maxOfTenant, (kept) => kept.tenantId === tenantId)
    this.#makeRoom(maxDocuments, () => true)
    const freshUntil = performance.now() + fresh
    const usableUntil = freshUntil + stale
    this.#kept.set(url, { metadata, tenantId, site, freshUntil, usableUntil, askAgainAt: freshUntil, isAllowed })
  }

  /** Forgets an address. */
  drop(url: string): void {
    this.#kept.delete(url)
  }

  /** A customer has allowed the client: its document makes room last. */
  allowed(url: string): void {
    const kept = this.#kept.get(url)
    if (kept) kept.isAllowed = true
  }

  #makeRoom(most: number, shares: (kept: Kept) => boolean): void {
    if (this.#kept.size < most) return
    const sharing = [...this.#kept].filter(([, kept]) => shares(kept))
    const [first] = sharing.filter(([, { isAllowed }]) => !isAllowed).concat(sharing)
    if (first && sharing.length >= most) this.#kept.delete(first[0])
  }
}
