const minute = 60_000

/** Counts events by name, from zero again every minute. */
export class PerMinute {
  readonly #counts = new Map<string, number>()
  #ends = 0

  /** Counts one more event, unless there have been `max` with this name in this minute. @returns Whether it was counted. */
  count(name: string, max: number): boolean {
    const now = performance.now()
    if (now >= this.#ends) {
      this.#counts.clear()
      this.#ends = now + minute
    }
    const before = this.#counts.get(name) ?? 0
    if (before >= max) return false
    this.#counts.set(name, before + 1)
    return true
  }

  /** Seconds until the counts begin again from zero, at least 1. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#ends - performance.now()) / 1000))
  }
}
