/** The clock of a server that stops, goes on and advances together with that of this process. */
interface Follower {
  stopAt(time: number): void
  set(ahead: number): void
}

const followers = new Set<Follower>()

/** Couples the clock of a server to that of this process, from the next `stopClock` on. */
export function goTogether(clock: Follower): void {
  followers.add(clock)
}

/** Ends that, before the server stops. */
export function goAlone(clock: Follower): void {
  followers.delete(clock)
}

export interface StoppedClock {
  advance(seconds: number): void
  now(): number
}

/**
 * Stops the time of `Date` and `performance`, and lets it pass on demand.
 *
 * @param options.timers Whether timeouts stop too. By default they go on as usual.
 *
 * @example
 * const clock = stopClock()
 * clock.advance(11)
 */
export function stopClock({ timers = false }: { timers?: boolean } = {}): StoppedClock {
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
      ...(timers ? [] : (['setTimeout', 'clearTimeout'] as const)),
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
