const sweepEvery = 60_000

/** A map without the records that have expired. The first call that comes a minute later removes them from memory. */
export class ExpiringMap<T extends { expiresAt: number }> {
  readonly #records = new Map<string, T>()
  readonly #now: () => number
  #sweptAt: number
  /** No record expires before this time. */
  #nextExpiry = Number.POSITIVE_INFINITY

  /** @param now The clock, in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
    this.#sweptAt = now()
  }

  /** @returns The record, unless it has expired. */
  get(key: string): T | undefined {
    this.#sweepSometimes()
    const record = this.#records.get(key)
    return record && record.expiresAt > this.#now() ? record : undefined
  }

  /** Replaces a record, or adds one after all others. */
  set(key: string, record: T): void {
    this.#sweepSometimes()
    this.#records.set(key, record)
    this.#nextExpiry = Math.min(this.#nextExpiry, record.expiresAt)
  }

  /** @returns Whether there was such a record that had not expired. */
  delete(key: string): boolean {
    const isLive = this.get(key) !== undefined
    this.#records.delete(key)
    return isLive
  }

  /** The records that have not expired, in the order in which they were added. */
  live(): T[] {
    this.#sweep()
    return [...this.#records.values()]
  }

  /** All records in memory, with those that have expired and are not removed yet. */
  all(): T[] {
    return [...this.#records.values()]
  }

  /** Whether there are `max` records that have not expired. */
  isFull(max: number): boolean {
    if (this.#records.size >= max) this.#sweep()
    return this.#records.size >= max
  }

  #sweepSometimes(): void {
    // `abs`, so that a clock that is set back does not delay it.
    if (Math.abs(this.#now() - this.#sweptAt) >= sweepEvery) this.#sweep()
  }

  #sweep(): void {
    this.#sweptAt = this.#now()
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#records) {
      if (expiresAt <= this.#sweptAt) this.#records.delete(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }
}
