/**
 * What this process knows of a token store's clock from the store's results. That clock may differ from this machine's by any amount.
 * Between two results, this process's monotonic clock says how much time has passed.
 */
export class StoreClock {
  // The store's clock is ahead of the monotonic clock by something between these two.
  #minOffset = Number.NEGATIVE_INFINITY
  #maxOffset = Number.POSITIVE_INFINITY

  /** Learns from a result: the store's clock showed `now` at some time between `calledAt` and this moment. */
  learn(now: number, calledAt: number): void {
    if (!Number.isFinite(now)) throw new TypeError('The token store does not tell its time')
    const min = now - performance.now()
    const max = now - calledAt
    // No offset explains both results: a clock has been set or has drifted, or another server answers.
    const isContradiction = min > this.#maxOffset || max < this.#minOffset
    this.#minOffset = isContradiction ? min : Math.max(min, this.#minOffset)
    this.#maxOffset = isContradiction ? max : Math.min(max, this.#maxOffset)
  }

  /**
   * A time that the store's clock has reached when this process's monotonic clock shows `at`. Before the first result it is 1970: the store
   * then answers `late`, with its time.
   */
  noLaterThan(at: number): number {
    return this.#minOffset === Number.NEGATIVE_INFINITY ? 0 : Math.floor(at + this.#minOffset)
  }

  /** A time that the store's clock has not passed when this process's monotonic clock shows `at`. Infinite before the first result. */
  noEarlierThan(at: number): number {
    return Math.ceil(at + this.#maxOffset)
  }
}
