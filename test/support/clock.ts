/** The clock of a server that stops, goes on and passes with this process's. */
interface Follower {
  stopAt(time: number): void
  set(ahead: number): void
}

const followers = new Set<Follower>()

/** Lets the clock of a server go with this process's, from the next time that this is stopped. */
export function goTogether(clock: Follower): void {
  followers.add(clock)
}

/**
 * Stops the time that `Date` and `performance` tell, and lets it pass on demand; timers go on as ever.
 *
 * @example
 * const clock = stopClock()
 * clock.advance(11)
 */
export function stopClock(): { advance(seconds: number): void; now(): number } {
  jest.useFakeTimers({
    now: Date.now(),
    doNotFake: [
      'hrtime',
      'nextTick',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  })
  const stopFollowers = () => {
    for (const follower of followers) follower.stopAt(Date.now())
  }
  stopFollowers()
  return {
    advance: (seconds) => {
      jest.advanceTimersByTime(seconds * 1000)
      stopFollowers()
    },
    now: () => Date.now(),
  }
}

/** Lets the time run again. */
export function releaseClock(): void {
  jest.useRealTimers()
  for (const follower of followers) follower.set(0)
}
