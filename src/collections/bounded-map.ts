/** A map of at most `maxSize` entries. The entry that was used longest ago makes room for a new one. */
export class BoundedMap<K, V> {
  /** The entry that was used longest ago comes first. */
  readonly #entries = new Map<K, V>()
  readonly #maxSize: number

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#entries.size
  }

  /** Gives a value and makes its entry the last to make room. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#putLast(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#putLast(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxSize) return
      this.#entries.delete(oldest)
    }
  }

  #putLast(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
