import { errorOfHost } from '../protocol/oauth-error'
import { blames, type PartOfHost } from '../protocol/reasons'
import { timedOut } from '../protocol/thrown'

// biome-ignore lint/suspicious/noConfusingVoidType: so that a hook can end with `return res.redirect(...)`.
type Nothing = undefined | void

/** What a hook of the host's returns: the answer or nothing, now or later. */
export type HookAnswer<T> = T | Nothing | Promise<T | Nothing>

/**
 * Calls a function of the host's that may take its time.
 *
 * @throws {OAuthError} `temporarily_unavailable` when it throws or rejects; an `OAuthError` of its own as it is.
 */
export async function callHost<T>(part: PartOfHost, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw errorOfHost(error, part)
  }
}

/**
 * Calls a function of the host's that must settle within `timeout` milliseconds.
 *
 * @param name What the error calls it, such as `tokenStore.swapCredential`.
 * @throws {OAuthError} `temporarily_unavailable` when it throws, rejects or takes longer; an `OAuthError` of its own as it is.
 */
export async function callHostWithin<T>(name: string, timeout: number, call: () => T | Promise<T>): Promise<T> {
  try {
    const result = call()
    return await (isPromise(result) ? withTimeout(result, timeout, name) : result)
  } catch (error) {
    throw errorOfHost(error, partOf(name))
  }
}

/** The part of the host that a name begins with. A function without a part of its own is an option of a guard. */
function partOf(name: string): PartOfHost {
  const part = name.split('.')[0] ?? ''
  return Object.hasOwn(blames, part) ? (part as PartOfHost) : 'guard'
}

function isPromise<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as PromiseLike<T> | undefined)?.then === 'function'
}

function withTimeout<T>(result: PromiseLike<T>, timeout: number, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timedOut(`${name} took longer than ${timeout} ms`)), timeout)
    Promise.resolve(result).then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
