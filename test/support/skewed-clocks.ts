import type { Grant, TokenStore } from 'customer-sign-in/store'
import { releaseClock, stopClock } from './clock'

/** A store and the processes of a host, each with its own time. Time passes for all of them at the same pace. */
export class SkewedClocks {
  readonly #clock = stopClock()
  readonly #start = Date.now()
  readonly #storeOffset: number
  #passed = 0

  /** @param storeOffset In seconds, ahead of the true time. */
  constructor(storeOffset: number) {
    this.#storeOffset = storeOffset * 1000
  }

  /** The time of the store. */
  now(): number {
    return this.#start + this.#passed + this.#storeOffset
  }

  advance(seconds: number): void {
    this.#clock.advance(seconds)
    this.#passed += Math.round(seconds * 1000)
  }

  /** From now on, the clock of the current process is this many seconds ahead of the true time. */
  believe(offset: number): void {
    jest.setSystemTime(this.#start + this.#passed + offset * 1000)
  }

  release(): void {
    releaseClock()
  }

  /** A store in memory that uses its own clock, whatever the time of the process that calls it. */
  keep(memory: TokenStore): TokenStore {
    const atStoreTime = <T>(call: () => T): T => {
      const { now } = Date
      Date.now = () => this.now()
      try {
        return call()
      } finally {
        Date.now = now
      }
    }
    return new Proxy(memory, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        if (name !== 'deleteGrants')
          return (...args: unknown[]) => atStoreTime(() => Reflect.apply(method, target, args))
        return async function* (...args: unknown[]) {
          const grants: AsyncIterable<Grant> = Reflect.apply(method, target, args)
          const iterator = grants[Symbol.asyncIterator]()
          for (;;) {
            const { value, done } = await atStoreTime(() => iterator.next())
            if (done) return
            yield value
          }
        }
      },
    })
  }
}
