/** Counts events by name, from zero again every minute. */
export class PerMinute {
  readonly #counts = new Map<string, number>()
  #ends = 0

  /**
   * Counts one more event under each of these names, unless one of them has had its share of this minute. An event that is not counted
   * takes nothing of any share, and no memory: a flood would fill both.
   *
   * @param shares How many events a name can have in a minute.
   * @returns Whether it was counted.
   */
  count(shares: Readonly<Record<string, number>>): boolean {
    const now = performance.now()
    if (now >= this.#ends) {
      this.#counts.clear()
      this.#ends = now + 60_000
    }
    const names = Object.keys(shares)
    if (names.some((name) => this.#countOf(name) >= (shares[name] ?? 0))) return false
    for (const name of names) this.#counts.set(name, this.#countOf(name) + 1)
    return true
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Seconds until the counts begin again from zero, at least 1. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#ends - performance.now()) / 1000))
  }
}
