interface Timer {
  at: number
  call: () => void
  owner: string
  isOfCall: boolean
  unref(): Timer
}

/** The monotonic clock of a process, and its timers. Time passes only when the explorer says so. */
export class VirtualTime {
  now = 0
  readonly #timers = new Set<Timer>()

  /** @param isOfCall Whether it limits the time of a call. */
  set(call: () => void, delay: number, owner: string, isOfCall: boolean): Timer {
    const timer: Timer = { at: this.now + delay, call, owner, isOfCall, unref: () => timer }
    this.#timers.add(timer)
    return timer
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** When the timers are due, except those of calls. */
  due(): number[] {
    return [...this.#timers]
      .filter(({ isOfCall }) => !isOfCall)
      .map(({ at }) => at)
      .sort()
  }

  /** Lets time pass, and calls each timer when it is due. */
  async pass(duration: number, runs: (owner: string) => void, settled: () => Promise<void>): Promise<void> {
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
