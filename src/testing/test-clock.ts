import { AsyncLocalStorage } from 'node:async_hooks'
import { ConfigurationError } from '../configuration/configuration-error'

/** The clock of a {@link SignInForTests}: that of the process, and ahead of it by as much as a test has moved it. */
export interface TestClock {
  /** The time in milliseconds since 1970. */
  now(): number

  /**
   * Lets time pass: codes, access tokens, refresh tokens and grants expire as they do in production. It does not move the
   * `Date` of the process, nor its timers, nor the clock of a token store that the test has brought.
   *
   * @param seconds A number that is not negative.
   * @throws {ConfigurationError} for anything else.
   *
   * @example
   * signIn.clock.advance(3600)
   */
  advance(seconds: number): void
}

/** A clock that tells work which belongs to the past another time. Its functions are handed on without it. */
export class MovableClock implements TestClock {
  readonly #setBack = new AsyncLocalStorage<number>()
  #ahead = 0

  readonly now = (): number => Date.now() + this.#ahead

  /** The same, except for what {@link ago} does. Not for a store, which all work shares. */
  readonly nowOrAgo = (): number => this.now() - (this.#setBack.getStore() ?? 0)

  advance(seconds: number): void {
    if (!(Number.isFinite(seconds) && seconds >= 0)) {
      throw new ConfigurationError('testSignIn.clock.advance', seconds, 'a number of seconds that is not negative', {
        quotes: true,
      })
    }
    this.#ahead += seconds * 1000
  }

  /** Does work as if it was so many seconds earlier. Whatever else is done meanwhile is not affected. */
  ago<Result>(seconds: number, work: () => Result): Result {
    return this.#setBack.run(seconds * 1000, work)
  }
}
