// Enough for a burst, and few enough to be made before their callers give up: at 5 ms each it takes 2.5 seconds.
const maxCalls = 500
// Milliseconds. A call over a broken connection may never end.
const longestTurn = 5_000

/**
 * Calls that are made one after the other, in the order in which they came. So calls that would wait for the same lock of a database hold
 * one connection together, and not one each.
 */
export class InTurn {
  readonly #tooMany: string
  #lastTurn: Promise<void> = Promise.resolve()
  #calls = 0

  /** @param tooMany What the error says if too many calls are waiting. */
  constructor(tooMany: string) {
    this.#tooMany = tooMany
  }

  /** Makes a call when those before it have ended, or have taken five seconds. Rejects at once if 500 are waiting. */
  run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#calls >= maxCalls) return Promise.reject(new Error(this.#tooMany))
    this.#calls++
    const turn = this.#lastTurn
    const result = turn.then(call)
    this.#lastTurn = turn
      .then(() => endOf(result))
      .then(() => {
        this.#calls--
      })
    return result
  }
}

/** Resolves when a call has ended in any way, and after `longestTurn` at the latest. */
function endOf(call: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestTurn)
    timer.unref()
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    call.then(end, end)
  })
}
