const minute = 60_000

/** Counts things by name, and from nothing again each minute. */
export class PerMinute {
  readonly #counts = new Map<string, number>()
  #ends = 0

  /** Counts one more of a name, unless there are `most` of it in this minute. @returns Whether it has counted. */
  count(name: string, most: number): boolean {
    const now = performance.now()
    if (now >= this.#ends) {
      this.#counts.clear()
      this.#ends = now + minute
    }
    const before = this.#counts.get(name) ?? 0
    if (before >= most) return false
    this.#counts.set(name, before + 1)
    return true
  }

  /** Seconds until it counts from nothing again, from 1. */
  get rest(): number {
    return Math.max(1, Math.ceil((this.#ends - performance.now()) / 1000))
  }
}
