interface Timer {
  at: number
  call: () => void
  owner: string | undefined
  unref(): Timer
}

/** The monotonic clock of a process, and its timers. Time passes only when the explorer says so. */
export class VirtualTime {
  now = 0
  readonly #timers = new Set<Timer>()

  set(call: () => void, delay: number, owner: string | undefined): Timer {
    const timer: Timer = { at: this.now + delay, call, owner, unref: () => timer }
    this.#timers.add(timer)
    return timer
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** When the timers that have an owner are due. */
  due(): number[] {
    return [...this.#timers]
      .filter(({ owner }) => owner !== undefined)
      .map(({ at }) => at)
      .sort()
  }

  /** Lets time pass, and calls each timer when it is due. */
  async pass(duration: number, runs: (owner: string | undefined) => void, settled: () => Promise<void>): Promise<void> {
    const until = this.now + duration
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.now = Math.max(this.now, next.at)
      this.#timers.delete(next)
      runs(next.owner)
      next.call()
      await settled()
    }
    this.now = until
  }

  #next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) if (timer.at <= until && (!first || timer.at < first.at)) first = timer
    return first
  }
}
