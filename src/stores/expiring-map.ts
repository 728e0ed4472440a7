const sweepEvery = 60_000

/** A map whose records are gone once they have expired, and are dropped by the first call a minute later. */
export class ExpiringMap<T extends { expiresAt: number }> {
  readonly #records = new Map<string, T>()
  readonly #onDrop: (record: T) => void
  #sweptAt = Date.now()
  /** Nothing expires before. */
  #nextExpiry = Number.POSITIVE_INFINITY

  /** @param onDrop Is told of each record that is deleted or dropped, but not of one that another takes the place of. */
  constructor(onDrop: (record: T) => void = () => {}) {
    this.#onDrop = onDrop
  }

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
    this.#nextExpiry = Math.min(this.#nextExpiry, record.expiresAt)
  }

  /** @returns Whether there was such a record, which had not expired. */
  delete(key: string): boolean {
    const isLive = this.get(key) !== undefined
    this.#drop(key)
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

  /** How many have not expired. */
  liveCount(): number {
    if (Date.now() >= this.#nextExpiry) this.#sweep()
    return this.#records.size
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
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#records) {
      if (expiresAt <= this.#sweptAt) this.#drop(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }

  #drop(key: string): void {
    const record = this.#records.get(key)
    this.#records.delete(key)
    if (record) this.#onDrop(record)
  }
}
