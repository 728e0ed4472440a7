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
  return {
    advance: (seconds) => jest.advanceTimersByTime(seconds * 1000),
    now: () => Date.now(),
  }
}

/** Lets the time run again. */
export function releaseClock(): void {
  jest.useRealTimers()
}
