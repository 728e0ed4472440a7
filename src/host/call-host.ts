import { isObject } from '../configuration/checks'
import { errorOfHost, errorWord } from '../protocol/oauth-error'
import { blames, type PartOfHost } from '../protocol/reasons'
import { timedOut } from '../protocol/thrown'
import { storeCalls } from '../telemetry/channels'
import type { StoreMessage } from '../telemetry/messages'

// biome-ignore lint/suspicious/noConfusingVoidType: so that a hook can end with `return res.redirect(...)`.
type Nothing = undefined | void

/** What a hook of the host's returns: the answer or nothing, now or later. */
export type HookAnswer<T> = T | Nothing | Promise<T | Nothing>

/** How long something may take: milliseconds, or as long as it likes. */
type TimeLimit = number | 'unlimited'

/**
 * Waits for work, but not for longer than `timeout` milliseconds. The work goes on after that, and what becomes of it is dropped.
 *
 * @param late Gives the result in place of work that takes longer. Must not throw; it may reject.
 */
export async function withinTime<T>(work: Promise<T>, timeout: number, late: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), timeout)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}

/**
 * Calls a function of the host's. Every such call that may take its time goes through here.
 *
 * @param name What the error calls it, such as `tokenStore.swapCredential`.
 * @param read Reads what the call gives, unless it comes too late. What this throws counts as thrown by the host.
 * @throws {OAuthError} `temporarily_unavailable` when it throws, rejects or takes longer; an `OAuthError` of its own as it is.
 */
export function callHost<T, Read = T>(
  name: string,
  limit: TimeLimit,
  call: () => T | Promise<T>,
  read: (given: T) => Read | Promise<Read> = (given) => given as unknown as Read,
): Promise<Read> {
  // One promise: every call of a store waits here.
  return new Promise((resolve, reject) => {
    let isGivenUp = false
    const fail = (thrown: unknown) => reject(errorOfHost(thrown, partOf(name)))
    const take = (given: T) => {
      try {
        if (!isGivenUp) resolve(read(given))
      } catch (thrown) {
        fail(thrown)
      }
    }
    try {
      const given = call()
      // Some database clients return objects of their own that have a `then`.
      if (typeof (given as PromiseLike<T> | undefined)?.then !== 'function') return take(given as T)
      const late = () => {
        isGivenUp = true
        fail(timedOut(`${name} took longer than ${limit} ms`))
      }
      const timer = limit === 'unlimited' ? undefined : setTimeout(late, limit)
      Promise.resolve(given).then(
        (value) => {
          clearTimeout(timer)
          take(value)
        },
        (thrown) => {
          clearTimeout(timer)
          fail(thrown)
        },
      )
    } catch (thrown) {
      fail(thrown)
    }
  })
}

/** The part of the host that a name begins with. A function without a part of its own is an option of a guard. */
function partOf(name: string): PartOfHost {
  const part = name.split('.')[0] ?? ''
  return Object.hasOwn(blames, part) ? (part as PartOfHost) : 'guard'
}

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

  /** @throws {OAuthError} As {@link callHost} does. */
  call<T>(method: string, call: () => T | Promise<T>, limit: TimeLimit = this.#timeout): Promise<T> {
    return this.told(method, () => callHost(`${this.#store}.${method}`, limit, call))
  }

  /** A call whose results come one by one. Its time is also that of what is done with them. */
  async *each<T>(method: string, call: () => AsyncIterable<T>): AsyncIterable<T> {
    let settle: (settled?: Promise<never>) => void = () => {}
    const iterated = new Promise<void>((resolve) => {
      settle = resolve
    })
    // Its failure is thrown below.
    this.told(method, () => iterated).catch(() => {})
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

  /** Does what a call of a method takes, which may be several tries. */
  told<T>(method: string, work: () => Promise<T>): Promise<T> {
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
