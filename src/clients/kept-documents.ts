import type { FetchFor } from '../http/fetch-slots'
import type { ClientMetadata } from './client-metadata'

const mostOfSite = 50
const mostOfTenant = 250
const mostDocuments = 1000

/** For how long a document may be kept. Milliseconds. */
export interface Freshness {
  /** Without asking for it again. */
  fresh: number
  /** After that, while it cannot be had. */
  stale: number
}

interface Kept extends FetchFor {
  metadata: ClientMetadata
  freshUntil: number
  usableUntil: number
  /** Whether a customer has allowed its client. */
  isAllowed: boolean
}

/**
 * The metadata documents that are kept: 1000, at most 50 of a site and 250 that one tenant has brought in. The one that was used longest ago
 * makes room, first of those whose client no customer has allowed.
 */
export class KeptDocuments {
  // In the order of their last use.
  readonly #kept = new Map<string, Kept>()

  /** The document at an address while it need not be asked for again. */
  fresh(url: string): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept || performance.now() >= kept.freshUntil) return undefined
    this.#kept.delete(url)
    this.#kept.set(url, kept)
    return kept.metadata
  }

  /**
   * The document at an address that cannot be had now.
   *
   * @param pause For how long it need not be asked for again. Milliseconds.
   */
  stale(url: string, pause: number): ClientMetadata | undefined {
    const kept = this.#kept.get(url)
    if (!kept || performance.now() >= kept.usableUntil) return undefined
    kept.freshUntil = Math.min(performance.now() + pause, kept.usableUntil)
    return kept.metadata
  }

  keep(url: string, metadata: ClientMetadata, { fresh, stale }: Freshness, { tenantId, site }: FetchFor): void {
    const isAllowed = this.#kept.get(url)?.isAllowed ?? false
    this.#kept.delete(url)
    this.#makeRoom(mostOfSite, (kept) => kept.site === site)
    this.#makeRoom(mostOfTenant, (kept) => kept.tenantId === tenantId)
    this.#makeRoom(mostDocuments, () => true)
    const freshUntil = performance.now() + fresh
    this.#kept.set(url, { metadata, tenantId, site, freshUntil, usableUntil: freshUntil + stale, isAllowed })
  }

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
