import { isObject } from '../configuration/checks'
import { errorOfHost } from '../protocol/oauth-error'
import { storeCalls } from '../telemetry/channels'
import { errorWord } from '../telemetry/error-word'
import type { StoreMessage } from '../telemetry/messages'
import { callHost, callHostWithin } from './call-host'

/** Calls the methods of one of the host's stores, and tells the channel `customer-sign-in:store` of each call. */
export class StoreCalls {
  readonly #store: StoreMessage['store']
  readonly #system: string
  readonly #timeout: number

  /** @param timeout How long a call may take, in milliseconds. */
  constructor(store: StoreMessage['store'], instance: object, timeout: number) {
    this.#store = store
    this.#system = instance.constructor?.name || 'Object'
    this.#timeout = timeout
  }

  /** A call that must settle in time. @throws {OAuthError} As `callHostWithin` does. */
  within<T>(method: string, call: () => T | Promise<T>, timeout = this.#timeout): Promise<T> {
    return this.#told(method, () => callHostWithin(`${this.#store}.${method}`, timeout, call))
  }

  /** A call that may take its time. @throws {OAuthError} As `callHost` does. */
  unlimited<T>(method: string, call: () => T | Promise<T>): Promise<T> {
    return this.#told(method, () => callHost(this.#store, call))
  }

  /** A call whose results come one by one. Its time is also that of what is done with them. */
  async *each<T>(method: string, call: () => AsyncIterable<T>): AsyncIterable<T> {
    let settle: (settled?: Promise<never>) => void = () => {}
    const iterated = new Promise<void>((resolve) => {
      settle = resolve
    })
    // Its failure is thrown below.
    this.#told(method, () => iterated).catch(() => {})
    try {
      // A host's store without types may reject in place of returning an iterable.
      yield* await Promise.resolve(call())
    } catch (thrown) {
      const error = errorOfHost(thrown, this.#store)
      settle(Promise.reject(error))
      throw error
    } finally {
      settle()
    }
  }

  #told<T>(method: string, work: () => Promise<T>): Promise<T> {
    if (!storeCalls.isOn) return work()
    const message: StoreMessage = { store: this.#store, method, system: this.#system }
    return storeCalls.trace(
      message,
      async () => {
        const result = await work()
        if (isObject(result) && typeof result.outcome === 'string') message.outcome = result.outcome
        return result
      },
      (error) => {
        message.error = errorWord(error)
      },
    )
  }
}
