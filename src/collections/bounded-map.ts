/**
 * A map of at most `maxSize` entries. It keeps at least the half of them that was used last, and drops the others some time after.
 *
 * It has two generations: every entry that is used moves into the young one, and when that is full, it takes the place of the old one. So
 * nothing has to be sorted or searched, however full the map is.
 */
export class BoundedMap<K, V> {
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  readonly #maxYoung: number

  constructor(maxSize: number) {
    this.#maxYoung = Math.ceil(maxSize / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** Returns a value, and keeps its entry longer than those that were not used since. */
  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#maxYoung && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
