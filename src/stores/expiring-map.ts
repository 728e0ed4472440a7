const sweepEvery = 60_000

/** A map whose records are gone once they have expired, and are dropped by the first call a minute later. */
export class ExpiringMap<T extends { expiresAt: number }> {
  readonly #records = new Map<string, T>()
  #sweptAt = Date.now()

  /** @returns The record, unless it has expired. */
  get(key: string): T | undefined {
    this.#sweepSometimes()
    const record = this.#records.get(key)
    return record && record.expiresAt > Date.now() ? record : undefined
  }

  /** Puts a record in its place, or behind all others where there is none. */
  set(key: string, record: T): void {
    this.#sweepSometimes()
    this.#records.set(key, record)
  }

  /** @returns Whether there was such a record, which had not expired. */
  delete(key: string): boolean {
    const isLive = this.get(key) !== undefined
    this.#records.delete(key)
    return isLive
  }

  /** All that have not expired, the ones that were set first in front. */
  live(): T[] {
    this.#sweep()
    return [...this.#records.values()]
  }

  /** All records, also those that have expired and are not dropped yet. */
  all(): T[] {
    return [...this.#records.values()]
  }

  /** Whether no record can be added, not even in the place of an expired one. */
  isFull(most: number): boolean {
    if (this.#records.size >= most) this.#sweep()
    return this.#records.size >= most
  }

  #sweepSometimes(): void {
    // A clock that is set back must not put it off.
    if (Math.abs(Date.now() - this.#sweptAt) >= sweepEvery) this.#sweep()
  }

  #sweep(): void {
    this.#sweptAt = Date.now()
    for (const [key, record] of this.#records) {
      if (record.expiresAt <= this.#sweptAt) this.#records.delete(key)
    }
  }
}
