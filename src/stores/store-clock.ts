/**
 * The clock of a token store, as far as its answers tell it. It may differ from this machine's by any amount; between two answers this
 * process's monotonic clock goes on from what they told.
 */
export class StoreClock {
  // The store's clock is ahead of the monotonic one by something between these two.
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY

  /** Learns from an answer: the store's clock showed `now` at some time between `askedAt` and this moment. */
  learn(now: number, askedAt: number): void {
    if (!Number.isFinite(now)) throw new TypeError('The token store does not tell its time')
    const [least, most] = [now - performance.now(), now - askedAt]
    // No offset explains both answers: one of the clocks has been set, or has drifted, or another server answers.
    const differs = least > this.#most || most < this.#least
    this.#least = differs ? least : Math.max(least, this.#least)
    this.#most = differs ? most : Math.min(most, this.#most)
  }

  /**
   * A time of the store that has come when this process's monotonic clock shows `at`. As long as nothing is known of the store's clock it
   * is 1970: the store answers that this is too late, and tells its time.
   */
  noLaterThan(at: number): number {
    return this.#least === Number.NEGATIVE_INFINITY ? 0 : Math.floor(at + this.#least)
  }
}
