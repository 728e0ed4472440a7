import { OAuthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { Grant, TokenStore } from './token-store'

/**
 * The host's store, none of whose calls takes longer than `timeout` milliseconds. Whatever it rejects with becomes
 * `temporarily_unavailable`, with the store's own error as the cause.
 */
export function guardedStore(store: TokenStore, timeout: number): TokenStore {
  const guard = <T>(method: string, work: () => Promise<T>) => withinTime(`tokenStore.${method}`, timeout, work)
  return {
    createGrant: (grant) => guard('createGrant', () => store.createGrant(grant)),
    findGrant: (...ids) => guard('findGrant', () => store.findGrant(...ids)),
    // A swap is sent twice where it must be, both times within the limit (docs/credential-chain.md).
    swapCredential: (swap) => withinTime('tokenStore.swapCredential', timeout / 2, () => store.swapCredential(swap)),
    deleteGrant: (...ids) => guard('deleteGrant', () => store.deleteGrant(...ids)),
    listGrants: (...ids) => guard('listGrants', () => store.listGrants(...ids)),
    scanGrants: (tenantId) => guardedScan(store, tenantId),
    saveClient: (...args) => guard('saveClient', () => store.saveClient(...args)),
    findClient: (...ids) => guard('findClient', () => store.findClient(...ids)),
    keepClient: (...args) => guard('keepClient', () => store.keepClient(...args)),
    deleteClient: (...ids) => guard('deleteClient', () => store.deleteClient(...ids)),
  }
}

/** It goes through the whole store, so it may take longer, and who asks for it is the host. */
async function* guardedScan(store: TokenStore, tenantId: string): AsyncIterable<Grant> {
  try {
    yield* store.scanGrants(tenantId)
  } catch (error) {
    throw temporarilyUnavailable(error)
  }
}

/**
 * Does work of the host's that must end within `timeout` milliseconds.
 *
 * @throws {OAuthError} `temporarily_unavailable` when it throws, rejects or takes longer; its own `OAuthError` as it is.
 */
export function withinTime<T>(what: string, timeout: number, work: () => T | Promise<T>): Promise<T> {
  return ofHost(() => {
    const result = work()
    return isPromise(result) ? notLate(result, timeout, what) : result
  })
}

function isPromise<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as PromiseLike<T> | undefined)?.then === 'function'
}

function notLate<T>(result: PromiseLike<T>, timeout: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} took longer than ${timeout} ms`)), timeout)
    const settle =
      <V>(decide: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        decide(value)
      }
    Promise.resolve(result).then(settle(resolve), settle(reject))
  })
}

/**
 * Does work of the host's, which may take its time.
 *
 * @throws {OAuthError} `temporarily_unavailable` when it throws or rejects; its own `OAuthError` as it is.
 */
export async function ofHost<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OAuthError ? error : temporarilyUnavailable(error)
  }
}
